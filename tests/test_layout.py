"""Which folders are builds, and which labels they carry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forensics.archive import BuildReference, open_archive
from forensics.layout import find_builds, joined_labels, model_name
from forensics.limits import Limits
from forensics.records import InputError
from tests.archives import write_folder, write_zip


def manifest(name: str = "app", scripts: dict[str, str] | None = None, **more: object) -> bytes:
    return json.dumps({"name": name, "scripts": scripts or {}, **more}).encode()


VITE_APP = {"package.json": manifest("x", {"dev": "vite"}), "index.html": b"<html>"}


def tree(*parts: tuple[str, dict[str, bytes]]) -> dict[str, bytes]:
    return {f"{folder}/{path}" if folder else path: data for folder, files in parts for path, data in files.items()}


def found(address: Path, layout: str = "auto") -> list[BuildReference]:
    with open_archive(str(address), Limits()) as archive:
        return find_builds(archive, layout)


def ids(tmp_path: Path, files: dict[str, bytes], layout: str = "auto") -> list[str]:
    """The builds of a tree, which must be the same for a folder and for a zip."""
    folder = write_folder(tmp_path / "top", files)
    packed = write_zip(tmp_path / "top.zip", files.items())
    first, second = [[reference.id for reference in found(place, layout)] for place in (folder, packed)]
    assert first == second
    return first


# ----------------------------------------------------------------------- auto


def test_a_folder_of_many_apps_is_many_builds(tmp_path: Path) -> None:
    files = tree(
        ("web/todo", VITE_APP), ("web/notes", VITE_APP), ("api", {"package.json": manifest()}), ("docs", {"a": b""})
    )
    assert ids(tmp_path, files) == ["api", "web/notes", "web/todo"]


def test_nested_packages_belong_to_the_outermost_one(tmp_path: Path) -> None:
    files = tree(
        ("shop", {"package.json": manifest("shop", {"dev": "concurrently 'npm:dev:*'"})}),
        ("shop/client", VITE_APP),
        ("shop/server", {"package.json": manifest("server", {"start": "node index.js"})}),
    )
    assert ids(tmp_path, files) == ["shop"]


def test_a_page_with_a_vite_config_is_a_build_without_a_manifest(tmp_path: Path) -> None:
    page = {"index.html": b"<html>", "vite.config.ts": b"export default {}"}
    assert ids(tmp_path, tree(("a", page), ("b", {"index.html": b"<html>"}))) == ["a"]


@pytest.mark.parametrize(
    ("client", "server"),
    [
        ("client", "server"),
        ("frontend", "backend"),
        ("front-end", "back-end"),
        ("shop-web", "shop-api"),
        ("UI", "Server"),
    ],
)
def test_halves_of_one_app_are_one_build(tmp_path: Path, client: str, server: str) -> None:
    files = tree((f"shop/{client}", VITE_APP), (f"shop/{server}", {"package.json": manifest()}), ("other", VITE_APP))
    assert ids(tmp_path, files) == ["other", "shop"]


def test_a_half_without_a_manifest_counts_where_the_other_has_one(tmp_path: Path) -> None:
    assert ids(tmp_path, tree(("a/client", VITE_APP), ("a/server", {"main.py": b""}))) == ["a"]


def test_halves_of_different_apps_are_builds_of_their_own(tmp_path: Path) -> None:
    files = tree(("all/shop-web", VITE_APP), ("all/blog-api", {"package.json": manifest()}))
    assert ids(tmp_path, files) == ["all/blog-api", "all/shop-web"]


def test_a_lone_half_beside_the_page_that_it_serves(tmp_path: Path) -> None:
    files = tree(("a", {"index.html": b"<html>"}), ("a/server", {"package.json": manifest()}))
    assert ids(tmp_path, files) == ["a"]


def test_services_that_a_compose_file_starts_together_are_one_build(tmp_path: Path) -> None:
    services = [(f"shop/{name}-service", {"package.json": manifest(name)}) for name in ("user", "order")]
    compose = b"services:\n  user:\n    build: ./user-service\n  order:\n    build:\n      context: order-service\n"
    assert ids(tmp_path, tree(("shop", {"docker-compose.yml": compose}), *services)) == ["shop"]


def test_a_compose_file_that_starts_only_some_does_not_join_them(tmp_path: Path) -> None:
    apps = [(f"lab/{name}", VITE_APP) for name in ("one", "two")]
    compose = b"services:\n  one:\n    build: ./one\n"
    assert ids(tmp_path, tree(("lab", {"compose.yaml": compose}), *apps)) == ["lab/one", "lab/two"]


def test_a_repository_root_that_merely_lists_apps_is_no_build(tmp_path: Path) -> None:
    root = {"package.json": manifest("root", {"dev": "turbo run dev", "lint": "eslint ."}, workspaces=["apps/*"])}
    apps = [(f"apps/{name}", VITE_APP | {"package.json": manifest(name, {"dev": "vite"})}) for name in ("a", "b", "c")]
    assert ids(tmp_path, tree(("", root), *apps)) == ["apps/a", "apps/b", "apps/c"]


def test_a_package_that_ships_templates_gives_the_templates(tmp_path: Path) -> None:
    root = {"package.json": manifest("create-it", {"dev": "tsdown --watch"}, bin="index.js"), "index.js": b""}
    templates = [(f"template-{name}", VITE_APP) for name in ("lit", "react", "vue")]
    assert ids(tmp_path, tree(("create-it", root), *[(f"create-it/{p}", f) for p, f in templates])) == [
        "create-it/template-lit",
        "create-it/template-react",
        "create-it/template-vue",
    ]


def test_a_product_whose_apps_share_a_package_is_one_build(tmp_path: Path) -> None:
    root = {"package.json": manifest("product", {"dev": "turbo run dev"}, workspaces=["apps/*", "packages/*"])}
    shared = manifest("@product/ui")
    apps = [
        (
            f"apps/{name}",
            VITE_APP | {"package.json": manifest(name, {"dev": "vite"}, dependencies={"@product/ui": "workspace:*"})},
        )
        for name in ("web", "admin", "docs")
    ]
    files = tree(("p", root), ("p/packages/ui", {"package.json": shared}), *[(f"p/{place}", f) for place, f in apps])
    assert ids(tmp_path, files) == ["p"]


def test_an_app_that_starts_its_own_parts_is_one_build(tmp_path: Path) -> None:
    root = {"package.json": manifest("p", {"dev": "npm run dev -w a & npm run dev -w b & npm run dev -w c"})}
    apps = [(f"p/{name}", VITE_APP | {"package.json": manifest(name, {"dev": "vite"})}) for name in ("a", "b", "c")]
    assert ids(tmp_path, tree(("p", root), *apps)) == ["p"]


def test_an_app_with_examples_beside_it_is_one_build(tmp_path: Path) -> None:
    root = {"package.json": manifest("p", {"start": "node server.js"})}
    examples = [(f"p/examples/{name}", VITE_APP) for name in ("a", "b", "c")]
    assert ids(tmp_path, tree(("p", root), *examples)) == ["p"]


def test_packages_in_node_modules_are_never_builds(tmp_path: Path) -> None:
    files = {"app/src/main.js": b"", "app/node_modules/x/package.json": manifest("x"), "b/package.json": manifest()}
    assert ids(tmp_path, files) == ["b"]


@pytest.mark.parametrize("broken", [b"{", b"[1]", b'{"scripts": 3}', b"\xff\xfe", b"[" * 100_000])
def test_a_broken_manifest_still_marks_its_build(tmp_path: Path, broken: bytes) -> None:
    assert ids(tmp_path, {"a/package.json": broken}) == ["a"]


def test_an_archive_without_any_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"top: no folder holds a package\.json"):
        found(write_folder(tmp_path / "top", {"a/notes.txt": b""}))


# ---------------------------------------------------------------------- study

RUN = "runs/batch-1/kanban-board/boot_check/runs/21"


def test_the_study_layout_labels_a_run_by_its_path_and_manifest(tmp_path: Path) -> None:
    run_manifest = {
        "model": "gpt-5.5-anthropic",
        "status": "completed",
        "tokens": {"input": 1200, "output": 34},
        "total_tokens": 1234,
        "prompt": "build it",
        "started": "2026-07-03",
    }
    files = {
        f"{RUN}/app/package.json": manifest(),
        f"{RUN}/app/client/package.json": manifest("client"),
        f"{RUN}/smoke/logs/manifest.json": json.dumps(run_manifest).encode(),
        f"{RUN}/notes.md": b"",
        "runs/batch-1/kanban-board/boot_check/runs/22/notes.md": b"no app",
    }
    for address in (
        write_folder(tmp_path / "study", files),
        write_zip(tmp_path / "study.zip", files.items()),
        write_zip(tmp_path / "inside.zip", [(f"repository-main/data/{path}", data) for path, data in files.items()]),
        tmp_path / "study" / "runs",
    ):
        (reference,) = found(address, "study")
        assert reference.id == "kanban-board/boot_check/runs/21"
        assert reference.labels == {
            "task": "kanban-board",
            "condition": "boot_check",
            "run_id": "21",
            "batch": "batch-1",
            "model": "gpt-5.5",
            "status": "completed",
            "tokens_input": "1200",
            "tokens_output": "34",
            "total_tokens": "1234",
        }


def test_the_study_manifest_may_lie_in_the_app(tmp_path: Path) -> None:
    files = {f"{RUN}/app/package.json": manifest(), f"{RUN}/app/smoke/logs/manifest.json": b'{"model": "grok-4.3"}'}
    (reference,) = found(write_folder(tmp_path / "study", files), "study")
    assert reference.labels["model"] == "grok-4.3"


def test_a_study_run_without_a_readable_manifest_has_the_labels_of_its_path(tmp_path: Path) -> None:
    files = {f"{RUN}/app/package.json": manifest(), f"{RUN}/smoke/logs/manifest.json": b"{oops"}
    (reference,) = found(write_folder(tmp_path / "study", files), "study")
    assert set(reference.labels) == {"task", "condition", "run_id", "batch"}


def test_the_model_suffix_is_dropped_once_and_only_at_the_end() -> None:
    assert model_name("sonnet-4.6-anthropic") == "sonnet-4.6"
    assert model_name("anthropic-x") == "anthropic-x"


def test_an_archive_that_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="matches the layout study"):
        found(write_folder(tmp_path / "top", {"a/package.json": manifest()}), "study")


# -------------------------------------------------------------------- pattern


def test_a_pattern_names_labels(tmp_path: Path) -> None:
    files = {
        "gpt/todo/run_1/package.json": manifest(),
        "gpt/todo/run_2/src/main.js": b"",
        "gpt/todo/notes/package.json": manifest(),
        "opus/chat/run_1/package.json": manifest(),
    }
    for address in (write_folder(tmp_path / "top", files), write_zip(tmp_path / "t.zip", files.items())):
        references = found(address, "{model}/{task}/run_{run}")
        assert [(reference.id, reference.labels) for reference in references] == [
            ("gpt/todo/run_1", {"model": "gpt", "task": "todo", "run": "1"}),
            ("gpt/todo/run_2", {"model": "gpt", "task": "todo", "run": "2"}),
            ("opus/chat/run_1", {"model": "opus", "task": "chat", "run": "1"}),
        ]


def test_a_pattern_may_begin_inside_the_only_folder_and_end_with_a_fixed_name(tmp_path: Path) -> None:
    files = {"all/gpt/app/package.json": manifest(), "all/gpt/log/x.txt": b""}
    (reference,) = found(write_folder(tmp_path / "top", files), "{model}/app")
    assert (reference.id, reference.root, reference.labels) == ("all/gpt/app", "all/gpt/app", {"model": "gpt"})


def test_a_star_matches_any_part_of_a_name(tmp_path: Path) -> None:
    files = {"x-1/run-a/package.json": manifest(), "y-2/run-b/package.json": manifest()}
    assert ids(tmp_path, files, "*-{n}/run-*") == ["x-1/run-a", "y-2/run-b"]


@pytest.mark.parametrize(
    "pattern", ["{model", "model}", "{}", "{a b}", "{m}/{m}", "{m}-{m}", "", "{a}//{b}", "nope/{x}"]
)
def test_patterns_that_can_not_be_used(tmp_path: Path, pattern: str) -> None:
    folder = write_folder(tmp_path / "top", {"a/b/package.json": manifest()})
    with pytest.raises(InputError) as caught:
        found(folder, pattern)
    assert "\n" not in str(caught.value)


# --------------------------------------------------------------------- labels


def references(tmp_path: Path) -> list[BuildReference]:
    files = {"todo/fast/runs/1/package.json": manifest(), "todo/fast/runs/2/package.json": manifest()}
    return found(write_folder(tmp_path / "top", files), "{task}/{condition}/runs/{run_id}")


def test_labels_are_joined_by_the_id_that_a_row_gives(tmp_path: Path) -> None:
    table = "task,condition,run_id,model,score\r\ntodo,fast,1,gpt-anthropic,7\r\nchat,fast,9,opus,8\r\n"
    template = "{task}/{condition}/runs/{run_id}"
    first, second = joined_labels(references(tmp_path), table, "t.csv", template, clean_models=True)
    assert first.labels == {"task": "todo", "condition": "fast", "run_id": "1", "model": "gpt", "score": "7"}
    assert second.labels == {"task": "todo", "condition": "fast", "run_id": "2"}


def test_without_a_template_the_column_id_is_the_build_id(tmp_path: Path) -> None:
    first, _ = joined_labels(references(tmp_path), "id,model\ntodo/fast/runs/1,gpt\n", "t.csv", None)
    assert first.labels["model"] == "gpt"


@pytest.mark.parametrize(
    ("table", "template", "message"),
    [
        ("task,run\ntodo,1\n", "{task}/{condition}", "columns that the file lacks"),
        ("task,run\ntodo,1\n", None, "no column is called id or build"),
        ("task,run\ntodo,1\n", "plain", "columns that the file lacks"),
        ("task,run\ntodo,1\n", "{task}/{run}", "fits no build; a row gives 'todo/1'"),
        ("id\n", None, "fits no build"),
        ("", None, "no column"),
    ],
)
def test_labels_that_fit_nothing_are_refused(tmp_path: Path, table: str, template: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        joined_labels(references(tmp_path), table, "t.csv", template)
