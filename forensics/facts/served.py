"""What a page requests from Vite's dev server: the graph of URLs reachable from the served HTML.

Nodes are requests, edges say why one leads to another: a script tag, an import, a literal dynamic import, a worker, a
style sheet, an asset. URLs are as the browser sends them, base included, which is what proxy keys are matched against.

Sources: vite `plugins/importAnalysis.ts` (how specifiers become URLs), `plugins/css.ts` (`@import` is inlined by
postcss-import, `url()` rewritten), `plugins/html.ts`, https://vite.dev/guide/assets.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from forensics.build import Build
from forensics.facts.interpreter import Resolved, Site
from forensics.facts.resolution import SCRIPT_EXTENSIONS, Resolver, glob_pattern
from forensics.facts.vite import ViteConfig
from forensics.syntax import ir
from forensics.syntax.index import FileIndex
from forensics.syntax.walk import walk

if TYPE_CHECKING:
    import networkx as nx

STYLE_EXTENSIONS = frozenset({".css", ".scss", ".sass", ".less", ".styl", ".stylus", ".pcss", ".postcss"})
_TYPESCRIPT = frozenset({".ts", ".tsx", ".mts", ".cts"})
_REFERRING_ATTRIBUTES = {
    "img": ("src",),
    "source": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "input": ("src",),
    "embed": ("src",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}

Kind = Literal["page", "module", "style", "worker", "asset"]


@dataclass(frozen=True)
class Request:
    """One URL the browser asks the dev server for.

    `path` is the file behind it, "" for a package or a file that isn't there; `site` where the reference stands;
    `chain` the files that lead here from the page.
    """

    url: str
    kind: Kind
    path: str
    site: Site
    chain: tuple[str, ...]


@dataclass(frozen=True)
class Missing:
    """A reference to a file that isn't there."""

    specifier: str
    site: Site
    reason: str


@dataclass(frozen=True)
class ServedPage:
    """A page and everything it requests. `files` are the build paths reached, the page first; `edges` say which file
    leads to which."""

    page: str
    requests: tuple[Request, ...]
    missing: tuple[Missing, ...]
    files: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]

    @property
    def graph(self) -> nx.DiGraph[str]:
        """The module graph, build paths as nodes."""
        import networkx as nx

        made: nx.DiGraph[str] = nx.DiGraph(self.edges)
        made.add_nodes_from(self.files)
        return made

    @property
    def modules(self) -> tuple[str, ...]:
        """Build paths of scripts and modules, in request order."""
        return tuple(item.path for item in self.requests if item.kind in ("module", "worker") and item.path)


def pages_of(build: Build, config: ViteConfig) -> tuple[str, ...]:
    """The HTML files that the dev server answers as pages: index.html of the root first, then others under it."""
    if config.root is None:
        return ()
    prefix = f"{config.root}/" if config.root else ""
    index = prefix + "index.html"
    skipped = {folder for folder in (config.public, config.out_dir) if folder}
    found = [
        path
        for path in build.files
        if path.startswith(prefix)
        and path.endswith((".html", ".htm"))
        and path != index
        and not any(path.startswith(folder + "/") for folder in skipped)
    ]
    return ((index,) if index in build.files else ()) + tuple(found)


class _Collector:
    def __init__(self, build: Build, files: FileIndex, resolver: Resolver, config: ViteConfig) -> None:
        self.build = build
        self.files = files
        self.resolver = resolver
        self.config = config
        self.root = config.root or ""
        self.base = config.base if config.base.endswith("/") else config.base + "/"
        self.requests: dict[str, Request] = {}
        self.missing: list[Missing] = []
        self.reached: dict[str, None] = {}
        self.edges: dict[tuple[str, str], None] = {}
        self.queue: list[tuple[str, Kind, tuple[str, ...]]] = []
        self.visited: set[tuple[str, str]] = set()

    def url_of(self, path: str) -> str:
        """The URL of a file: below the root its relative path, of a public file its path in there, else `/@fs/`."""
        if self.config.public is not None and path.startswith(f"{self.config.public}/"):
            return self.base + path[len(self.config.public) + 1 :]
        if not self.root:
            return self.base + path
        if path.startswith(self.root + "/"):
            return self.base + path[len(self.root) + 1 :]
        return self.base + "@fs/" + path

    def add(self, url: str, kind: Kind, path: str, site: Site, chain: tuple[str, ...]) -> None:
        if url not in self.requests:
            self.requests[url] = Request(url, kind, path, site, chain)
        if path:
            self.reached.setdefault(path)
            if chain:
                self.edges[chain[-1], path] = None
            self.queue.append((path, kind, (*chain, path)))

    def run(self, page: str) -> None:
        self.add(self.url_of(page), "page", page, Site(page, 0, 0), ())
        while self.queue:
            path, kind, chain = self.queue.pop(0)
            if (path, kind) in self.visited:
                continue
            self.visited.add((path, kind))
            extension = posixpath.splitext(path)[1].lower()
            if kind == "page":
                self.from_page(path, chain)
            elif extension in STYLE_EXTENSIONS:
                self.from_style(path, self.files.stylesheet(path), chain)
            elif extension in (".vue", ".svelte"):
                component = self.files.page(path)
                for item in component.scripts if component else []:
                    self.from_script(path, item.script, chain)
            elif extension in SCRIPT_EXTENSIONS:
                script = self.files.script(path)
                if script is not None:
                    self.from_script(path, script, chain)

    # ------------------------------------------------------------------ HTML

    def from_page(self, path: str, chain: tuple[str, ...]) -> None:
        page = self.files.page(path)
        if page is None:
            return
        for tag in page.tags:
            attributes = {item.name: item for item in tag.attributes}
            if tag.name == "script" and "src" in attributes:
                self.reference(attributes["src"], path, "module", chain)
            elif tag.name == "link" and "href" in attributes:
                relation = (attributes["rel"].value or "").lower().split() if "rel" in attributes else []
                if "stylesheet" in relation:
                    self.reference(attributes["href"], path, "style", chain)
                elif "modulepreload" in relation:
                    self.reference(attributes["href"], path, "module", chain)
                elif {"icon", "manifest", "apple-touch-icon", "preload"} & set(relation):
                    self.reference(attributes["href"], path, "asset", chain)
            for name in _REFERRING_ATTRIBUTES.get(tag.name, ()):
                if name in attributes:
                    self.reference(attributes[name], path, "asset", chain)
        for item in page.scripts:
            if item.kind == "module":
                self.from_script(path, item.script, chain)
        for style in page.styles:
            self.from_style(path, style.stylesheet, chain)

    def reference(self, attribute: ir.Attribute, page: str, kind: Kind, chain: tuple[str, ...]) -> None:
        """A URL in the page: absolute below the base, or relative to the page."""
        value = (attribute.value or "").strip()
        if not value or "://" in value or value.startswith(("//", "data:", "#", "mailto:", "javascript:", "blob:")):
            return
        site = Site(page, attribute.start, attribute.end)
        bare = value.split("#")[0]
        address, _, query = bare.partition("?")
        if address.startswith("/"):
            below = address[len(self.base) :] if address.startswith(self.base) else address.lstrip("/")
            target = posixpath.normpath(posixpath.join(self.root or ".", below))
        else:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
        target = "" if target == "." else target
        found = target if target in self.build.files else None
        if found is None and self.config.public is not None:
            rooted = address.removeprefix(self.base) if address.startswith("/") else address
            in_public = posixpath.normpath(posixpath.join(self.config.public, rooted.lstrip("/")))
            found = in_public if in_public in self.build.files else None
        if found is None:
            resolved = self.resolver.resolve(address if address.startswith(("/", ".")) else "./" + address, page)
            found = resolved.target if resolved.kind in ("module", "asset") else None
        if found is None:
            self.missing.append(Missing(value, site, f"no such file: {target}"))
            url = self.base + target[len(self.root) :].lstrip("/") if not address.startswith("/") else address
            self.add(url, kind, "", site, chain)
            return
        self.add(self.url_of(found) + (f"?{query}" if query else ""), kind, found, site, chain)

    # --------------------------------------------------------------- modules

    def from_script(self, path: str, script: ir.Script, chain: tuple[str, ...]) -> None:
        used: set[str] | None = None
        is_typescript = posixpath.splitext(path)[1].lower() in _TYPESCRIPT
        for node in walk(script.body):
            if isinstance(node, ir.Import) and not node.type_only:
                if is_typescript and node.bindings:
                    if used is None:
                        used = _used_names(script)
                    if not any(binding.local in used for binding in node.bindings):
                        continue  # esbuild drops an import that is only used as a type
                self.specifier(node.specifier, path, Site(path, node.specifier_start, node.specifier_end), chain)
            elif isinstance(node, ir.Export) and node.specifier and not node.type_only:
                self.specifier(node.specifier, path, Site(path, node.specifier_start, node.specifier_end), chain)
            elif isinstance(node, ir.DynamicImport) and isinstance(node.specifier, ir.Const):
                if isinstance(node.specifier.value, str):
                    self.specifier(node.specifier.value, path, Site(path, node.start, node.end), chain)
            elif isinstance(node, ir.New):
                self.constructed(node, path, chain)
            elif isinstance(node, ir.Call):
                self.globbed(node, path, chain)

    def specifier(self, specifier: str, importer: str, site: Site, chain: tuple[str, ...]) -> None:
        if "://" in specifier or specifier.startswith(("data:", "virtual:", "\0")):
            return
        resolved: Resolved = self.resolver.resolve(specifier, importer)
        if resolved.kind == "external":
            name = resolved.target.replace("/", "_")
            self.add(f"{self.base}node_modules/.vite/deps/{name}.js", "module", "", site, chain)
            return
        if resolved.kind == "missing":
            self.missing.append(Missing(specifier, site, resolved.target))
            return
        extension = posixpath.splitext(resolved.target)[1].lower()
        query = specifier.partition("?")[2]
        if extension in STYLE_EXTENSIONS:
            kind: Kind = "style"
        elif "worker" in query.split("&") or "sharedworker" in query.split("&"):
            kind = "worker"
        elif extension in SCRIPT_EXTENSIONS and resolved.kind == "module":
            kind = "module"
        else:
            # importAnalysis marks requests for anything but scripts and styles.
            kind, query = "asset", f"import&{query}" if query else "import"
        if extension == ".json":
            query = f"import&{query}" if query else "import"
        self.add(self.url_of(resolved.target) + (f"?{query}" if query else ""), kind, resolved.target, site, chain)

    def constructed(self, node: ir.New, path: str, chain: tuple[str, ...]) -> None:
        """`new URL('./x', import.meta.url)`, alone or inside `new Worker(…)`."""
        callee = node.callee.name if isinstance(node.callee, ir.Name) else ""
        if callee in ("Worker", "SharedWorker") and node.arguments:
            first = node.arguments[0]
            if isinstance(first, ir.New):
                target = _meta_url(first)
                if target is not None:
                    self.specifier(_relative(target) + "?worker_file&type=module", path, _at(path, first), chain)
            elif isinstance(first, ir.Const) and isinstance(first.value, str) and first.value.startswith("/"):
                self.specifier(first.value, path, _at(path, first), chain)
            return
        target = _meta_url(node)
        if target is not None:
            resolved = self.resolver.resolve(_relative(target), path)
            if resolved.kind in ("asset", "module"):
                self.add(self.url_of(resolved.target), "asset", resolved.target, _at(path, node), chain)

    def globbed(self, node: ir.Call, path: str, chain: tuple[str, ...]) -> None:
        """`import.meta.glob('./pages/*.js')` requests every match."""
        callee = node.callee
        if not (isinstance(callee, ir.Member) and callee.name == "glob" and isinstance(callee.object, ir.ImportMeta)):
            return
        first = node.arguments[0] if node.arguments else None
        patterns = first.items if isinstance(first, ir.Array) else [first]
        for pattern in patterns:
            if not isinstance(pattern, ir.Const) or not isinstance(pattern.value, str):
                continue
            text = pattern.value
            whole = (
                posixpath.join(self.root, text[1:])
                if text.startswith("/")
                else posixpath.join(posixpath.dirname(path), text)
            )
            matcher = glob_pattern(posixpath.normpath(whole))
            for target in self.build.files:
                if target != path and matcher.fullmatch(target):
                    relative = posixpath.relpath(target, posixpath.dirname(path) or ".")
                    self.specifier(_relative(relative), path, _at(path, node), chain)

    # ---------------------------------------------------------------- styles

    def from_style(self, path: str, stylesheet: ir.Stylesheet | None, chain: tuple[str, ...]) -> None:
        if stylesheet is None:
            return
        is_public = self.config.public is not None and path.startswith(f"{self.config.public}/")
        for reference in stylesheet.references:
            url = reference.url
            if not url or "://" in url or url.startswith(("data:", "//", "#")):
                continue
            site = Site(path, reference.start, reference.end)
            bare = url.split("?")[0].split("#")[0]
            relative = bare if bare.startswith(("/", "./", "../")) else "./" + bare
            resolved = self.resolver.resolve(relative, path)
            if resolved.kind not in ("asset", "module"):
                if reference.kind == "import" and not bare.startswith((".", "/")):
                    continue  # a package's style sheet
                self.missing.append(Missing(url, site, resolved.target))
                continue
            target = resolved.target
            if reference.kind == "import" and not is_public:
                # Inlined into the importing sheet: no request of its own, but what it refers to is requested.
                self.reached.setdefault(target)
                self.edges[path, target] = None
                if (target, "style") not in self.visited:
                    self.queue.append((target, "style", (*chain, target)))
                continue
            kind: Kind = "style" if reference.kind == "import" else "asset"
            self.add(self.url_of(target), kind, target, site, chain)


def _used_names(script: ir.Script) -> set[str]:
    """Identifiers that stand in expressions (types are erased in the IR)."""
    found = {node.name for node in walk(script.body) if isinstance(node, ir.Name)}
    found.update(
        binding.local
        for node in script.body
        if isinstance(node, ir.Export) and not node.specifier
        for binding in node.bindings
    )
    return found


def _meta_url(node: ir.New) -> str | None:
    """The first argument of `new URL(literal, import.meta.url)`."""
    if not (isinstance(node.callee, ir.Name) and node.callee.name == "URL" and len(node.arguments) == 2):
        return None
    first, second = node.arguments
    is_meta = isinstance(second, ir.Member) and second.name == "url" and isinstance(second.object, ir.ImportMeta)
    return first.value if is_meta and isinstance(first, ir.Const) and isinstance(first.value, str) else None


def _relative(path: str) -> str:
    return path if path.startswith(("./", "../", "/")) else "./" + path


def _at(path: str, node: ir.Node) -> Site:
    return Site(path, node.start, node.end)


def served_page(build: Build, files: FileIndex, resolver: Resolver, config: ViteConfig, page: str) -> ServedPage:
    """Every request that opening a page makes to the dev server."""
    collector = _Collector(build, files, resolver, config)
    collector.run(page)
    base = collector.base
    first = Site(page, 0, 0)
    requests = [*collector.requests.values(), Request(f"{base}@vite/client", "module", "", first, (page,))]
    return ServedPage(page, tuple(requests), tuple(collector.missing), tuple(collector.reached), tuple(collector.edges))
