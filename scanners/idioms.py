"""Which structural habits does a build carry?

Features only, no findings: the published categories of the study, computed from facts, and further ones that carry
signal. Each is defined in one sentence in `FEATURES`, from which docs/idioms.md is generated.

It can't see: habits of files that were not shipped.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable

from forensics.facts import Facts
from forensics.facts.habits import Habits, lines_of_code, source_files, test_files
from forensics.facts.launch_plan import processes
from forensics.records import Scalar, Status, Verdict
from forensics.scanner import Context, Scanner


class IdiomsStatus(Status):
    OK = "OK"
    UNKNOWN = "UNKNOWN"


Compute = Callable[[Facts, Habits], Scalar]


def _manifest_layout(facts: Facts, habits: Habits) -> Scalar:
    if not len(facts.packages):
        return "none"
    root = facts.packages.root
    nested = [package for package in facts.packages if package.folder]
    if root is None:
        return "nested"
    if root.workspace_patterns:
        return "workspaces"
    return "mixed" if nested else "root"


def _dir_style(facts: Facts, habits: Habits) -> Scalar:
    top = {path.split("/")[0] for path in source_files(facts.build) if "/" in path}
    if {"client", "server"} <= top:
        return "client-server"
    if {"frontend", "backend"} <= top:
        return "frontend-backend"
    if "src" in top:
        return "src-tree"
    return "flat" if not top else "other"


def _module_system(facts: Facts, habits: Habits) -> Scalar:
    imports = (
        habits.kinds.get("Import", 0) + habits.kinds.get("ExportDeclaration", 0) + habits.kinds.get("ExportDefault", 0)
    )
    requires = habits.calls.get("require", 0)
    if imports and requires:
        return "mixed"
    return "esm" if imports else "cjs" if requires else "none"


def _orchestration(facts: Facts, habits: Habits) -> Scalar:
    texts = " ".join(
        script.text
        for package in facts.packages
        for script in package.scripts.values()
        if script.name.split(":")[0] in ("dev", "start", "serve", "develop")
    )
    if re.search(r"\bconcurrently\b", texts):
        return "concurrently"
    if re.search(r"\b(npm-run-all2?|run-p|run-s)\b", texts):
        return "npm-run-all"
    launchers = [
        process
        for plan in facts.dev
        for process in processes(plan)
        if process.kind in ("node", "tsx") and len(process.chain) and facts.spawns(process)
    ]
    if launchers:
        return "custom-launcher"
    if re.search(r"--workspaces?\b|\s-ws?\b|\bturbo\b|\blerna\b", texts):
        return "workspaces"
    if re.search(r"(?<!&)&(?!&)", texts):
        return "shell"
    return "single-script"


def _vite_invocation(facts: Facts, habits: Habits) -> Scalar:
    for plan in (*facts.dev, *map(facts.expanded, facts.launch.plans.values())):
        for process in processes(plan):
            if process.kind == "vite-dev":
                if process.programmatic:
                    return "programmatic"
                if process.options.get("config"):
                    return "config-flag"
                return "positional" if process.options.get("root") else "bare"
            if facts.embeds_vite(process):
                return "programmatic"
    return "none"


def _client_style(facts: Facts, habits: Habits) -> Scalar:
    calls = [call for server in facts.dev_servers for _, call in server.calls]
    if any("import.meta.env" in source or "VITE_" in source for source in _client_sources(facts)) and calls:
        return "env-base"
    reaches = Counter(call.reach for call in calls)
    if not reaches:
        return "none"
    return "absolute" if reaches["absolute"] > reaches["relative"] else "relative" if reaches["relative"] else "none"


def _client_sources(facts: Facts) -> list[str]:
    paths = dict.fromkeys(path for server in facts.dev_servers for page in server.pages for path in page.served.modules)
    return [facts.build.text(path) for path in paths if path in facts.build.files]


def _depth(facts: Facts, habits: Habits) -> Scalar:
    return max((path.count("/") for path in source_files(facts.build)), default=0)


def _endpoints(facts: Facts, habits: Habits) -> Scalar:
    found: set[tuple[str, str]] = set()
    for process in facts.server_processes:
        for server in facts.servers(process):
            found.update(
                (route.method, route.path) for route in server.routes if route.kind == "route" and "*" not in route.path
            )
    return len(found)


def _dependencies(facts: Facts, habits: Habits) -> Scalar:
    return len({item.name for package in facts.packages for item in package.dependencies})


def _pins(facts: Facts, habits: Habits) -> Scalar:
    ranges = [item.range for package in facts.packages for item in package.dependencies]
    if not ranges:
        return "none"
    kinds = Counter(
        "caret"
        if text.startswith("^")
        else "tilde"
        if text.startswith("~")
        else "latest"
        if text in ("latest", "*")
        else "exact"
        for text in ranges
    )
    kind, count = kinds.most_common(1)[0]
    return kind if count >= 0.8 * len(ranges) else "mixed"


def _dominant(habits: Habits, options: dict[str, str], threshold: float = 0.7) -> str:
    counts = {label: habits.style.get(key, 0) for key, label in options.items()}
    total = sum(counts.values())
    if not total:
        return "none"
    label, count = max(counts.items(), key=lambda item: item[1])
    return label if count >= threshold * total else "mixed"


def _quotes(facts: Facts, habits: Habits) -> Scalar:
    return _dominant(habits, {"quotes_single": "single", "quotes_double": "double"})


def _semicolons(facts: Facts, habits: Habits) -> Scalar:
    return _dominant(habits, {"statements_with_semicolon": "always", "statements_without_semicolon": "never"})


def _indent(facts: Facts, habits: Habits) -> Scalar:
    return _dominant(habits, {"indent_2": "2", "indent_4": "4", "indent_tab": "tab"})


def _comment_density(facts: Facts, habits: Habits) -> Scalar:
    comments, code = habits.style.get("comment_lines", 0), habits.style.get("code_lines", 0)
    return round(comments / (comments + code), 3) if comments + code else None


def _arrow_share(facts: Facts, habits: Habits) -> Scalar:
    return round(habits.arrows / habits.functions, 3) if habits.functions else None


def _async_share(facts: Facts, habits: Habits) -> Scalar:
    return round(habits.async_functions / habits.functions, 3) if habits.functions else None


def _per_thousand(count: int, habits: Habits) -> float | None:
    return round(1000 * count / habits.node_count, 2) if habits.node_count else None


def _error_handling(facts: Facts, habits: Habits) -> Scalar:
    tries, catches = habits.kinds.get("Try", 0), habits.calls.get("catch", 0)
    if not tries and not catches:
        return "none"
    return "try" if tries >= 3 * catches else "catch-method" if catches > tries else "both"


def _live(facts: Facts, habits: Habits) -> Scalar:
    has_events = "EventSource" in facts.inventory.names or any("text/event-stream" in text for text in habits.texts)
    has_socket = "WebSocket" in facts.inventory.names or {"ws", "socket.io"} & set(facts.inventory.packages)
    if has_events and has_socket:
        return "both"
    return "event-stream" if has_events else "web-socket" if has_socket else "none"


def _sql_case(facts: Facts, habits: Habits) -> Scalar:
    upper = lower = 0
    for text in habits.texts:
        match = re.match(r"\s*(select|insert|update|delete|create)\b", text, re.IGNORECASE)
        if match:
            upper += match[1].isupper()
            lower += match[1].islower()
    if not upper and not lower:
        return "none"
    return "upper" if upper >= 3 * lower else "lower" if lower >= 3 * upper else "mixed"


def _css_approach(facts: Facts, habits: Habits) -> Scalar:
    packages = set(facts.inventory.packages) | {
        item.name for package in facts.packages for item in package.dependencies
    }
    if "tailwindcss" in packages:
        return "tailwind"
    if {"styled-components", "@emotion/react", "@emotion/styled"} & packages:
        return "css-in-js"
    if any(path.endswith((".module.css", ".module.scss")) for path in facts.build.files):
        return "modules"
    if any(path.endswith((".scss", ".sass", ".less")) for path in facts.build.files):
        return "preprocessor"
    if any(path.endswith(".css") for path in source_files(facts.build)):
        return "sheet"
    pages = [facts.files.page(path) for path in source_files(facts.build) if path.endswith((".html", ".htm"))]
    return "inline" if any(page is not None and page.styles for page in pages) else "none"


def _css_variables(facts: Facts, habits: Habits) -> Scalar:
    count = 0
    for path in source_files(facts.build):
        sheet = facts.files.stylesheet(path) if path.endswith(".css") else None
        page = facts.files.page(path) if path.endswith((".html", ".htm")) else None
        sheets = [sheet] if sheet is not None else [item.stylesheet for item in page.styles] if page is not None else []
        for item in sheets:
            count += sum(1 for rule in item.rules for entry in rule.declarations if entry.property.startswith("--"))
    return count


def _identifiers(facts: Facts, habits: Habits) -> Scalar:
    if "randomUUID" in facts.inventory.names:
        return "random-uuid"
    for package in ("uuid", "nanoid", "ulid", "cuid"):
        if package in facts.inventory.packages:
            return package
    if any(re.search(r"(?i)\bserial\b|generated .* identity|autoincrement", text) for text in habits.texts):
        return "database"
    return "math-random" if habits.calls.get("random") else "other"


def _framework(facts: Facts, habits: Habits) -> Scalar:
    packages = {item.name for package in facts.packages for item in package.dependencies}
    for name, label in (
        ("react", "react"),
        ("vue", "vue"),
        ("svelte", "svelte"),
        ("solid-js", "solid"),
        ("preact", "preact"),
    ):
        if name in packages:
            return label
    return "none"


def _server_port(facts: Facts, habits: Habits) -> Scalar:
    ports = [server.port for process in facts.server_processes for server in facts.servers(process)]
    known = sorted(port for port in ports if isinstance(port, int))
    return str(known[0]) if known else "none"


def _vite_port(facts: Facts, habits: Habits) -> Scalar:
    ports = [server.config.port for server in facts.dev_servers if isinstance(server.config.port, int)]
    return str(ports[0]) if ports else "none"


def _entry_name(facts: Facts, habits: Habits) -> Scalar:
    names = sorted({posixpath.basename(process.entry) for process in facts.server_processes})
    return names[0] if names else "none"


def _client_entry(facts: Facts, habits: Habits) -> Scalar:
    for server in facts.dev_servers:
        for page in server.pages[:1]:
            for path in page.served.modules:
                return posixpath.basename(path)
    return "none"


def _config_form(facts: Facts, habits: Habits) -> Scalar:
    for server in facts.dev_servers:
        if server.config.path is None:
            return "none"
        text = facts.build.text(server.config.path)
        if "mergeConfig" in text:
            return "merged"
        if re.search(r"defineConfig\(\s*(async\s*)?\(", text):
            return "function"
        return "define-config" if "defineConfig" in text else "object"
    return "none"


def _readme_sections(facts: Facts, habits: Habits) -> Scalar:
    readme = next(
        (path for path in facts.build.files if path.lower() in ("readme.md", "readme.markdown", "readme")), None
    )
    if readme is None:
        return 0
    return sum(1 for line in facts.build.text(readme).splitlines() if line.startswith("#"))


def _emoji(facts: Facts, habits: Habits) -> Scalar:
    return any(re.search("[\U0001f300-\U0001faff\u2600-\u27bf]", text) for text in habits.texts)


def _name_style(facts: Facts, habits: Habits) -> Scalar:
    return _dominant(habits, {"camel_case": "camel", "snake_case": "snake"}, 0.9)


def _mean_name(facts: Facts, habits: Habits) -> Scalar:
    return round(sum(map(len, habits.names)) / len(habits.names), 2) if habits.names else None


def _let_share(facts: Facts, habits: Habits) -> Scalar:
    total = sum(habits.declares.values())
    return round(habits.declares.get("let", 0) / total, 3) if total else None


def _uses_var(facts: Facts, habits: Habits) -> Scalar:
    return habits.declares.get("var", 0) > 0


def _node_prefix(facts: Facts, habits: Habits) -> Scalar:
    prefixed = sum(1 for text in habits.specifiers if text.startswith("node:"))
    bare = sum(
        1
        for text in habits.specifiers
        if text in ("fs", "path", "url", "http", "crypto", "os", "child_process", "fs/promises")
    )
    if not prefixed and not bare:
        return "none"
    return "always" if not bare else "never" if not prefixed else "mixed"


def _extension_in_imports(facts: Facts, habits: Habits) -> Scalar:
    relative = [text for text in habits.specifiers if text.startswith(".")]
    if not relative:
        return "none"
    written = sum(1 for text in relative if posixpath.splitext(text)[1])
    return "always" if written == len(relative) else "never" if not written else "mixed"


_RESIDUE_FILE = re.compile(
    r"(?i)(^|/)(preview|viewport|screenshot|scratch|debug|smoke|verify|check|tmp|temp|demo|playground|test[-_]?page)[\w.-]*\.(html|[cm]?js|ts|py|sh|png)$|"
    r"\.(log|pid)$|(^|/)nohup\.out$"
)


def _residue(facts: Facts, habits: Habits) -> Scalar:
    return sum(1 for path in facts.build.files if _RESIDUE_FILE.search(path) and not path.startswith("node_modules/"))


def _demo_hooks(facts: Facts, habits: Habits) -> Scalar:
    words = ("demo", "debug", "preview", "mock", "fixture", "seed", "screenshot")
    gets = habits.calls.get("get", 0) + habits.calls.get("has", 0)
    return bool(gets) and "URLSearchParams" in facts.inventory.names and any(text in words for text in habits.texts)


def _seed_route(facts: Facts, habits: Habits) -> Scalar:
    return any(
        re.search(r"(?i)/(seed|reset|test|debug|__\w+)\b", route.path)
        for process in facts.server_processes
        for server in facts.servers(process)
        for route in server.routes
    )


FEATURES: dict[str, tuple[str, Compute]] = {
    "manifest_layout": ("Where package.json files lie: root, nested, mixed, workspaces, none.", _manifest_layout),
    "dir_style": ("Top folders of the sources: client-server, frontend-backend, src-tree, flat, other.", _dir_style),
    "module_system": ("Which module syntax the scripts use: esm, cjs, mixed, none.", _module_system),
    "dev_orchestration": ("What starts the halves together in the dev and start scripts.", _orchestration),
    "vite_invocation": (
        "How the dev command calls Vite: bare, positional root, config-flag, programmatic, none.",
        _vite_invocation,
    ),
    "api_client_style": ("How the page addresses its server: relative, absolute, env-base, none.", _client_style),
    "uses_typescript": (
        "Whether any own source is TypeScript.",
        lambda facts, habits: any(path.endswith((".ts", ".tsx", ".mts")) for path in source_files(facts.build)),
    ),
    "uses_vite": (
        "Whether a manifest declares Vite or a script starts it.",
        lambda facts, habits: bool(facts.dev_servers) or any(p.declares("vite") for p in facts.packages),
    ),
    "has_tests": ("Whether a source is a test by folder or name.", lambda facts, habits: bool(test_files(facts.build))),
    "has_readme": (
        "Whether a README lies at the top.",
        lambda facts, habits: any(path.lower().startswith("readme") and "/" not in path for path in facts.build.files),
    ),
    "n_source_files": ("Number of own sources.", lambda facts, habits: len(source_files(facts.build))),
    "total_loc": (
        "Non-empty lines of own sources.",
        lambda facts, habits: lines_of_code(facts.build, source_files(facts.build)),
    ),
    "max_depth": ("Deepest folder of an own source.", _depth),
    "n_endpoints": ("Distinct routes (method and path) of the servers that the scripts start.", _endpoints),
    "n_deps": ("Distinct packages that any manifest declares.", _dependencies),
    "dependency_pins": ("Form of at least 80 % of the version ranges: caret, tilde, exact, latest, mixed.", _pins),
    "quote_style": ("Quotes of at least 70 % of the string literals.", _quotes),
    "semicolons": ("Whether at least 70 % of statements end with a semicolon.", _semicolons),
    "indent_style": ("Indentation of at least 70 % of indented lines.", _indent),
    "comment_density": ("Share of comment lines among comment and code lines.", _comment_density),
    "arrow_share": ("Share of arrow functions among functions.", _arrow_share),
    "async_share": ("Share of async functions among functions.", _async_share),
    "error_handling": ("try statements against .catch() calls.", _error_handling),
    "live_updates": ("Event stream, web socket, both or none.", _live),
    "sql_case": ("Case of SQL keywords at the start of statements.", _sql_case),
    "css_approach": (
        "How styles are written: tailwind, css-in-js, modules, preprocessor, sheet, inline, none.",
        _css_approach,
    ),
    "css_variables": ("Number of custom property declarations.", _css_variables),
    "id_generation": ("Where identifiers come from.", _identifiers),
    "ui_framework": ("The declared front-end framework.", _framework),
    "server_port": ("The lowest port that the servers listen on.", _server_port),
    "vite_port": ("The port of the first Vite server.", _vite_port),
    "server_entry": ("File name of the server that the scripts start.", _entry_name),
    "client_entry": ("File name of the first module that the page loads.", _client_entry),
    "config_form": ("Form of the loaded Vite config: object, define-config, function, merged, none.", _config_form),
    "readme_sections": ("Number of headings in the README at the top.", _readme_sections),
    "emoji_in_text": ("Whether a string literal holds a pictograph.", _emoji),
    "name_style": ("Case of at least 90 % of the declared names that have an inner word boundary.", _name_style),
    "mean_name_length": ("Mean length of declared names.", _mean_name),
    "let_share": ("Share of let among variable declarations.", _let_share),
    "uses_var": ("Whether a variable is declared with var.", _uses_var),
    "node_prefix": ("Whether Node's builtins are imported with node:.", _node_prefix),
    "import_extensions": ("Whether relative imports write the extension.", _extension_in_imports),
    "functions_per_1000": ("Functions per thousand syntax-tree nodes.", lambda f, h: _per_thousand(h.functions, h)),
    "ternaries_per_1000": (
        "Conditional expressions per thousand nodes.",
        lambda f, h: _per_thousand(h.kinds.get("Conditional", 0), h),
    ),
    "templates_per_1000": (
        "Template literals per thousand nodes.",
        lambda f, h: _per_thousand(h.kinds.get("Template", 0), h),
    ),
    "classes_per_1000": ("Classes per thousand nodes.", lambda f, h: _per_thousand(h.kinds.get("Class", 0), h)),
    "nullish_per_1000": ("?? operators per thousand nodes.", lambda f, h: _per_thousand(h.operators.get("??", 0), h)),
    "loops_per_1000": (
        "for and while statements per thousand nodes.",
        lambda f, h: _per_thousand(sum(h.kinds.get(kind, 0) for kind in ("For", "ForEach", "While")), h),
    ),
    "array_methods_per_1000": (
        "map, filter, reduce, forEach and find calls per thousand nodes.",
        lambda f, h: _per_thousand(
            sum(h.calls.get(name, 0) for name in ("map", "filter", "reduce", "forEach", "find")), h
        ),
    ),
    "dom_building": (
        "How the page is built: innerHTML, createElement, both, none.",
        lambda f, h: {
            (True, True): "both",
            (True, False): "inner-html",
            (False, True): "create-element",
            (False, False): "none",
        }[("innerHTML" in f.inventory.names, h.calls.get("createElement", 0) > 0)],
    ),
    "longest_function": ("Bytes of the longest function.", lambda f, h: h.longest_function),
    "verification_residue": (
        "Files that an agent's own checking left: preview pages, scratch scripts, logs.",
        _residue,
    ),
    "demo_hooks": ("Whether the client reads a demo or debug switch from its address.", _demo_hooks),
    "seed_route": ("Whether a server has a seed, reset or debug route.", _seed_route),
}
"""Every feature with its definition and how it is computed."""


def scan(facts: Facts, context: Context) -> Verdict:
    """The features of a build."""
    if not source_files(facts.build):
        return Verdict(scanner="idioms", status=IdiomsStatus.UNKNOWN.value, reason="the build holds no source file")
    habits = facts.habits
    features = {name: compute(facts, habits) for name, (_, compute) in FEATURES.items()}
    return Verdict(scanner="idioms", status=IdiomsStatus.OK.value, features=features)


SCANNER = Scanner(name="idioms", statuses=IdiomsStatus, rules=(), scan=scan)
