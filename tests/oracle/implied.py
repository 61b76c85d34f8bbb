"""What observations imply: the status of each scanner and the rules that were seen at work.

Pure functions of `Observation` records and the tree's text. Nothing here asks the code under test: whether a key
captured a module is read off who answered, not off the key.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.expectations import Example, Probe
from tests.oracle.browsing import JAVASCRIPT, Answer
from tests.oracle.observing import Observation
from tests.oracle.processes import Process

PROXY_FAILURES = (500, 502)
_EXHAUSTED = re.compile(r"ECONNRESET|socket hang up|EMFILE|EBUSY|too many")
"""What Node says when a call that goes in circles has used up its connections or look-ups."""
CONFIG_NAMES = tuple(f"vite.config.{end}" for end in ("js", "mjs", "ts", "cjs", "mts", "cts"))
STORE_PROBLEM = re.compile(
    r"ENOENT|ENOTDIR|SQLITE_CANTOPEN|ERR_SQLITE_ERROR|unable to open database|directory does not exist"
    r"|ERR_INVALID_ARG_TYPE|ERR_INVALID_ARG_VALUE|ERR_INVALID_URL|EEXIST|Expected first argument to be a string"
)
FAILING_DATADIR = frozenset({"WILL-FAIL", "LATENT"})
UNKNOWN = "UNKNOWN"
NO_FILE = frozenset({"OK-MEMORY", "NO-STORE"})


def observed_wiring(observations: list[Observation], tree: Path) -> tuple[str, frozenset[str]]:
    """The wiring status that the runs imply ("" where the back end died), and the rules seen."""
    development = [seen for seen in observations if seen.run.name == "dev"]
    rules: set[str] = set()
    for seen in observations:
        rules |= production_rules(seen) if seen.run.name != "dev" else development_rules(seen, tree)
    if not development:
        return "", frozenset(f"wiring/{rule}" for rule in rules)
    return development_status(development[0], tree), frozenset(f"wiring/{rule}" for rule in rules)


def development_status(seen: Observation, tree: Path) -> str:
    if seen.vite is None:
        return "" if crashed(seen) else "NO_VITE"
    if captured(seen):
        return "API_JS_COLLISION"
    unproxied = [probe for probe, answer in seen.probes if probe.relative and stays_at_page(seen, answer)]
    reached = [probe for probe, answer in seen.probes if probe.relative and by_server(seen, answer)]
    failed = [probe for probe, answer in seen.probes if probe.relative and proxy_failed(seen, answer)]
    if unproxied and not reached and not failed:
        if seen.vite.file:
            return "NO_PROXY_IN_CONFIG"
        return "PROXY_NOT_LOADED" if proxy_elsewhere(tree) else "NO_PROXY_CONFIG"
    refused = [probe for probe, answer in seen.probes if not probe.relative and answer.status == 0]
    if failed or refused:
        return "PORT_MISMATCH" if seen.servers or not crashed(seen) else ""
    return "OK"


def development_rules(seen: Observation, tree: Path) -> set[str]:
    rules: set[str] = set()
    if seen.vite is None:
        embedded = any(process.config is not None and process.config.middleware for process in seen.processes)
        looped = _EXHAUSTED.search(seen.output) or any(answer.status == -1 for _, answer in seen.probes)
        return {"proxy-loop"} if embedded and looped else rules
    if captured(seen):
        rules.add("module-captured-by-proxy")
    calls = [(probe, answer) for probe, answer in seen.probes if probe.relative]
    unproxied = [probe for probe, answer in calls if stays_at_page(seen, answer)]
    through = [answer for _, answer in calls if by_server(seen, answer)]
    failed = [answer for _, answer in calls if proxy_failed(seen, answer)]
    if unproxied:
        if through or failed:
            rules.add("partial-proxy")
        elif not seen.vite.file:
            rules.add("proxy-not-loaded" if proxy_elsewhere(tree) else "no-proxy-config")
        else:
            rules.add("no-proxy-in-config")
        if seen.vite.proxy or seen.vite.top_level_proxy:
            rules.add("proxy-misplaced")
        if foreign_proxy(tree):
            rules.add("foreign-proxy-config")
    if failed and seen.servers:
        looped = _EXHAUSTED.search(seen.output) or failed[0].status == -1
        refused = "ECONNREFUSED" in seen.output
        rules |= (
            {"port-mismatch"} if refused else {"proxy-loop", "proxy-bad-target"} if looped else {"proxy-bad-target"}
        )
    if any(answer.status == 404 for answer in through):
        rules |= {"rewrite-mismatch", "proxy-shadowed"}
    if any(
        answer.allow not in ("*", seen.origin)
        for probe, answer in seen.probes
        if not probe.relative and answer.status > 0
    ):
        rules.add("missing-cors")
    if any(not probe.relative and answer.status == 0 for probe, answer in seen.probes):
        rules.add("api-base-unreachable")
    if any(not socket.opens and socket.opens_at_server for socket in seen.sockets):
        rules.add("websocket-not-proxied")
    if unset_environment(seen, tree):
        rules.add("env-not-exposed")
    if shadowed_config(seen, tree):
        rules.add("config-shadowed")
    return rules


def production_rules(seen: Observation) -> set[str]:
    rules: set[str] = set()
    if seen.page is None:
        rules.add("output-not-served")
    elif any(answer.status != 200 or answer.type != "text/html" for answer in seen.deep):
        rules.add("no-spa-fallback")
    if any(not probe.relative and answer.status == 0 for probe, answer in seen.probes):
        rules.add("api-base-unreachable")
    relative = [answer for probe, answer in seen.probes if probe.relative]
    if seen.vite is not None and any(stays_at_page(seen, answer) for answer in relative):
        rules.add("no-proxy-in-config")
    return rules


def captured(seen: Observation) -> list[Answer]:
    """The page's own scripts, styles and assets that the back end answered, or a proxy that could not reach it."""
    return [
        answer
        for answer in seen.requests
        if by_server(seen, answer) or (answer.status in PROXY_FAILURES and answer.type in ("text/plain", ""))
    ]


def broken(seen: Observation) -> list[Answer]:
    """Scripts that did not come as JavaScript and styles that did not come as CSS, whoever answered."""
    return [
        answer
        for answer in seen.requests
        if (answer.kind == "script" and not (answer.status == 200 and answer.type in JAVASCRIPT))
        or (answer.kind == "style" and answer.type != "text/css")
    ]


def by_server(seen: Observation, answer: Answer) -> bool:
    return answer.by not in (0, seen.page_port)


def stays_at_page(seen: Observation, answer: Answer) -> bool:
    """Vite itself answered: the page, a file or nothing, which is no answer of an API."""
    return answer.by == seen.page_port and not proxy_failed(seen, answer)


def proxy_failed(seen: Observation, answer: Answer) -> bool:
    """A proxy took the request and reached no server of the tree.

    Without a proxy a GET gets the page. A 404 without a type comes from whatever host the target named by mistake: for
    `localhost:4241`, without a scheme, Vite 5 asks a host called 4241.
    """
    empty = answer.method == "GET" and answer.status == 404 and answer.type == "" and seen.vite is not None
    return (answer.by == seen.page_port and (answer.status in PROXY_FAILURES or empty)) or answer.status == -1


def crashed(seen: Observation) -> list[Process]:
    return [process for process in seen.processes if process.crash is not None and process.config is None]


def proxy_elsewhere(tree: Path) -> bool:
    """A Vite configuration somewhere in the tree speaks of a proxy."""
    return any("proxy" in path.read_text("utf-8") for path in tree.rglob("vite*.config.*")) or any(
        "proxy" in path.read_text("utf-8") for path in tree.rglob("vite.*.[cm]js")
    )


def foreign_proxy(tree: Path) -> bool:
    """Another tool's proxy setting lies in the tree."""
    manifests = [json.loads(path.read_text("utf-8-sig")) for path in tree.rglob("package.json")]
    names = ("setupProxy.js", ".proxyrc*", "proxy.conf.json", "webpack.config.*", "next.config.*", "vue.config.js")
    return any("proxy" in manifest for manifest in manifests) or any(list(tree.rglob(name)) for name in names)


def shadowed_config(seen: Observation, tree: Path) -> bool:
    """Another configuration, later in Vite's order of names, lies beside the one that it loaded."""
    if seen.vite is None or Path(seen.vite.file).name not in CONFIG_NAMES:
        return False
    beside = [name for name in CONFIG_NAMES if (tree / seen.vite.file).with_name(name).is_file()]
    return len(beside) > 1 and beside[0] == Path(seen.vite.file).name


def unset_environment(seen: Observation, tree: Path) -> list[str]:
    """Names that a served module reads from import.meta.env although Vite set none, and process.env left as is."""
    found: list[str] = []
    declared = "\n".join(path.read_text("utf-8") for path in tree.rglob(".env*") if path.is_file())
    defined = "\n".join(answer.text for answer in seen.requests if "/client/env.mjs" in answer.url)
    for answer in seen.requests:
        if "/@vite/" in answer.url or "/node_modules/" in answer.url or "/@fs/" in answer.url:
            continue
        given = re.search(r"import\.meta\.env = (\{.*?\});", answer.text)
        known = set(json.loads(given.group(1))) if given else set()
        rest = answer.text.replace(given.group(0), "") if given else answer.text
        names = re.findall(r"import\.meta\.env\??\.(\w+)", rest) + re.findall(r"import\.meta\.env\[\"(\w+)\"\]", rest)
        found += [name for name in names if name not in known and (name in declared or not name.startswith("VITE_"))]
        names = re.findall(r"(?<![\w.])process\.env\.(\w+)", rest)
        found += [name for name in names if f'"process.env.{name}"' not in defined]
    return found


def observed_datadir(observations: list[Observation], tree: Path) -> tuple[str, frozenset[str]]:
    """The datadir status that the runs imply, and the rules seen.

    The run called "mended" makes the missing folder first: if the store then opens, that was all that was wrong.
    OK-MEMORY also stands for NO-STORE: neither leaves a file.
    """
    plain = [seen for seen in observations if not seen.run.before and seen.run.name != "production"]
    after_setup = [seen for seen in observations if seen.run.before and seen.run.name == "setup"]
    if not plain:
        return "", frozenset()
    if store_problems(plain[0]):
        if any(not store_problems(seen) and works(seen) for seen in after_setup):
            return "LATENT", frozenset({"datadir/created-elsewhere"})
        mended = [seen for seen in observations if seen.run.name == "mended"]
        if not mended:
            return "WILL-FAIL", frozenset({"datadir/missing-parent", "datadir/unusable-path"})
        rule = "missing-parent" if all(works(seen) for seen in mended) else "unusable-path"
        return "WILL-FAIL", frozenset({f"datadir/{rule}"})
    if not works(plain[0]):
        return "", frozenset()
    stores = store_roots(plain[0].new_paths)
    if not stores:
        return "OK-MEMORY", frozenset()
    new = set(plain[0].new_paths)
    made = [store for store in stores if f"{store.rstrip('/').rpartition('/')[0]}/" in new]
    return ("OK-MKDIR" if made else "OK-SHALLOW"), frozenset()


def store_problems(seen: Observation) -> list[str]:
    """What went wrong with a store: an uncaught error of the server, or a call answered with such an error."""
    found = [
        f"{process.script}: {process.crash.get('code') or process.crash['name']}: {process.crash['message']}"
        for process in crashed(seen)
        if process.crash and STORE_PROBLEM.search(f"{process.crash.get('code')} {process.crash['message']}")
    ]
    found += [
        f"{process.script} ended with {process.exit}"
        for process in seen.processes
        if process.own and process.exit and process.crash is None and STORE_PROBLEM.search(seen.output)
    ]
    return found + [
        f"{probe.method} {probe.url}: {answer.status}"
        for probe, answer in seen.probes
        if answer.status >= 500 and STORE_PROBLEM.search(answer.text + seen.output)
    ]


def works(seen: Observation) -> bool:
    """Every call is answered by a server of the tree without an error, if not through the page then directly."""
    direct = dict(seen.direct)
    return bool(seen.probes) and all(
        (200 <= answer.status < 400 and (by_server(seen, answer) or seen.vite is None))
        or (probe in direct and 200 <= direct[probe].status < 400)
        for probe, answer in seen.probes
    )


def store_roots(new_paths: tuple[str, ...]) -> list[str]:
    """What stores left: a data folder with its marker file, or single files outside of one (a dot file is no store)."""
    folders = [
        path.rpartition("/")[0]
        for path in new_paths
        if path.rpartition("/")[2] in ("PG_VERSION", "CURRENT") and "/base/" not in path
    ]
    roots = [folder for folder in folders if not any(folder.startswith(f"{other}/") for other in folders)]
    files = [
        path
        for path in new_paths
        if not path.endswith(("/", "-wal", "-shm", "-journal", ".tmp"))
        and not any(path.startswith(f"{root}/") for root in roots)
        and not path.rpartition("/")[2].startswith(".")
        and ".timestamp-" not in path
    ]
    return roots + files


def disagreements(example: Example, observations: list[Observation]) -> list[str]:
    """Where the observed outcome is not what the example's expectation says. Empty: they agree."""
    found: list[str] = []
    tree = example.folder
    wiring, wiring_rules = observed_wiring(observations, tree)
    expected = example.verdicts.get("wiring")
    if expected and wiring and expected not in (wiring, UNKNOWN):
        found.append(f"wiring: expected {expected}, observed {wiring}")
    datadir, datadir_rules = observed_datadir(observations, tree)
    expected = example.verdicts.get("datadir")
    if expected and expected not in (datadir, UNKNOWN) and not {expected, datadir} <= NO_FILE:
        found.append(f"datadir: expected {expected}, observed {datadir or 'nothing that tells'}")
    rules = wiring_rules | datadir_rules
    for wanted in example.findings:
        scanner = wanted.rule.partition("/")[0]
        if scanner in ("wiring", "datadir") and wanted.rule not in rules:
            found.append(f"expected {wanted.rule}, observed {', '.join(sorted(rules)) or 'no rule at work'}")
    certain = rules - {wanted.rule for wanted in example.findings} - ambiguous(rules)
    found += [f"expected no {rule}, but it was observed" for rule in example.absent if rule in certain]
    found += [f"before: a command ended with {status}" for seen in observations for status in seen.before if status]
    failing_probes = [
        f"{probe.method} {probe.url}: {answer.status} {answer.type}"
        for seen in observations
        for probe, answer in failed_calls(seen)
    ]
    if failing_probes and example.healthy:
        found.append(f"nothing is expected to fail, but {'; '.join(failing_probes)}")
    if example.scanner == "wiring":
        found += [f"{process.script} died: {process.crash}" for seen in observations for process in crashed(seen)]
    for seen in observations:
        requests = broken(seen)
        if (
            requests
            and not any(wanted.rule == "wiring/module-captured-by-proxy" for wanted in example.findings)
            and (example.verdicts.get("wiring") != "API_JS_COLLISION")
        ):
            found.append(f"the page's {requests[0].url} answered {requests[0].status} {requests[0].type}")
        if seen.page is None and example.healthy and (seen.vite is not None or seen.run.name == "production"):
            found.append(f"{seen.run.name}: no page")
        if seen.page_process == 0 and example.healthy:
            found.append(f"{seen.run.name}: nothing listens")
    return found


def failed_calls(seen: Observation) -> list[tuple[Probe, Answer]]:
    """Calls of the page that got no usable answer of a back end."""
    return [
        (probe, answer)
        for probe, answer in seen.probes
        if not 200 <= answer.status < 400
        or (probe.relative and seen.vite is not None and stays_at_page(seen, answer))
        or (not probe.relative and seen.vite is not None and answer.allow not in ("*", seen.origin))
    ]


def ambiguous(rules: frozenset[str]) -> frozenset[str]:
    """Rules that one observation can't tell apart: each of a group counts as seen only where it is expected."""
    groups = (
        {"wiring/rewrite-mismatch", "wiring/proxy-shadowed"},
        {"wiring/proxy-loop", "wiring/proxy-bad-target"},
        {"datadir/missing-parent", "datadir/unusable-path"},
    )
    return frozenset(rule for group in groups for rule in group if len(group & rules) > 1)
