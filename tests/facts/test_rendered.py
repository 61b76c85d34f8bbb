from __future__ import annotations

from forensics.facts.elements import Element
from tests.in_memory import page_of


def outline(element: Element) -> str:
    """An element with its classes and children: `div.a(p button)`."""
    inner = " ".join(outline(child) for child in element.children)
    name = ".".join([element.name or "?", *sorted(element.classes)])
    return f"{name}({inner})" if inner else name


def body_of(files: dict[str, str]) -> str:
    page = page_of(files)
    assert page.tree is not None
    return outline(next(item for item in page.tree.subtree() if item.name == "body"))


def script(code: str, body: str = '<div id="box"></div>') -> dict[str, str]:
    return {
        "index.html": f"<!doctype html><body>{body}</body><script type=module src=/main.js></script>",
        "main.js": code,
    }


def test_markup_of_templates_stands_in_its_container() -> None:
    code = """const row = (item) => `<li class="row ${item.late ? 'late' : ''}">${item.name}</li>`
    document.getElementById('box').innerHTML = `<ul>${items.map((item) => row(item)).join('')}</ul>`"""
    assert body_of(script(code)) == "body(div(ul(li.row)) script)"


def test_created_elements_are_as_the_code_beside_makes_them() -> None:
    code = """const card = document.createElement('article')
    card.className = 'card'
    if (late) card.classList.add('late')
    const close = document.createElement('button')
    card.append(close)
    document.querySelector('#box').appendChild(card)"""
    assert body_of(script(code)) == "body(div(article.card(button)) script)"


def test_components_are_expanded_to_host_elements() -> None:
    files = {
        "index.html": '<!doctype html><body><div id="root"></div></body><script type=module src=/main.jsx></script>',
        "main.jsx": "import { createRoot } from 'react-dom/client'\nimport { App } from './App'\n"
        "createRoot(document.getElementById('root')).render(<App />)",
        "App.jsx": "import Panel from './Panel'\n"
        "export const App = () => <main><Panel title='x'><b className='in'>1</b></Panel>{open && <i>2</i>}</main>",
        "Panel.jsx": "import { memo } from 'react'\n"
        "export default memo(function Panel({ title, children }) { return <section className={`panel ${title}`}>{children}</section> })",
    }
    assert body_of(files) == "body(div(main(section.panel(b.in) i)) script)"


def test_what_stands_under_a_condition_says_so() -> None:
    files = {
        "index.html": '<!doctype html><body><div id="root"></div></body><script type=module src=/main.jsx></script>',
        "main.jsx": "function App() { return <>{open && <i>1</i>}<b>2</b></> }\nReactDOM.render(<App />, document.querySelector('#root'))",
    }
    page = page_of(files)
    assert page.tree is not None
    needed = {item.name: len(item.needed()) for item in page.tree.subtree()}
    assert (needed["i"], needed["b"]) == (1, 0)


def test_styles_come_in_the_order_in_which_they_apply() -> None:
    files = {
        "index.html": "<!doctype html><link rel=stylesheet href=/a.css><style>p { color: red }</style>"
        "<script type=module src=/main.js></script>",
        "main.js": "import './part.js'\nimport './c.css'",
        "part.js": "import './b.css'",
        **{f"{name}.css": "p { display: block }" for name in "abc"},
    }
    assert [sheet.path for sheet in page_of(files).sheets] == ["a.css", "index.html", "b.css", "c.css"]
