"""Programs of the shapes in which real applications compute their ports, targets, folders and addresses.

Each shape was met in public repositories; names and values here are our own and change from program to program.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.facts.generated_programs import SET_VARIABLES, UNSET_VARIABLES, Program

_NAMES = ["orders", "ledger", "gateway", "kiosk", "parcel", "meadow", "harbor", "cobalt", "tulip", "quartz", "ember", "willow"]  # fmt: skip
_FOLDERS = ["data", "storage", "../data", "var/lib", "./db", "../../state", ".cache", "uploads/raw"]
_FILES = ["app.db", "main.sqlite", "store.json", "notes.db", "kv.data"]
_HOSTS = ["localhost", "127.0.0.1", "api.internal", "0.0.0.0"]
_PATHS = ["/api", "api/v2/", "/graphql", "rest", "/v1/"]

Shape = Callable[["Values"], dict[str, str]]
SHAPES: dict[str, Shape] = {}


class Values:
    """Names and values of one program; `main` is where its entry lies."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.names = self.random.sample(_NAMES, 8)
        self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h = self.names

    def pick(self, options: list[str]) -> str:
        return self.random.choice(options)

    @property
    def port(self) -> str:
        return str(self.random.choice([3000, 3001, 4000, 4321, 5173, 8080, 8787, 9000]))

    @property
    def env(self) -> str:
        return "process.env." + self.pick([*SET_VARIABLES, *UNSET_VARIABLES])

    @property
    def folder(self) -> str:
        return self.pick(_FOLDERS)

    @property
    def file(self) -> str:
        return self.pick(_FILES)

    @property
    def host(self) -> str:
        return self.pick(_HOSTS)

    @property
    def path(self) -> str:
        return self.pick(_PATHS)


def shape(make: Shape) -> Shape:
    SHAPES[make.__name__.strip("_")] = make
    return make


_HERE = "import path from 'node:path';\nimport { fileURLToPath } from 'node:url';\nconst here = path.dirname(fileURLToPath(import.meta.url));\n"


@shape
def _normalized_port(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""function {v.a}(value) {{
  const number = parseInt(value, 10);
  if (isNaN(number)) {{ return value; }}
  if (number >= 0) {{ return number; }}
  return false;
}}
export const result = {v.a}({v.env} || '{v.port}');
"""}  # fmt: skip


@shape
def _data_folder_and_files(v: Values) -> dict[str, str]:
    return {"main.mjs": _HERE + f"""const {v.a} = path.resolve({v.env} || path.join(here, '{v.folder}'));
const {v.b} = path.join({v.a}, '{v.file}');
const {v.c} = {v.env} ? path.resolve({v.env}) : path.join({v.a}, '{v.d}');
export const result = {{ {v.a}, {v.b}, {v.c}, same: {v.a} === {v.c} }};
"""}  # fmt: skip


@shape
def _config_module_with_required(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import {v.a}, {{ {v.b} }} from './config.mjs';\nexport const result = [{v.a}.server.port, {v.b}({v.a})];\n",
        "config.mjs": f"""function {v.c}(name, fallback) {{
  const value = process.env[name];
  if (value === undefined || value === '') {{
    if (fallback === undefined) throw new Error(`Missing ${{name}}`);
    return fallback;
  }}
  return value;
}}
const {v.d} = {{
  server: {{ port: Number({v.c}('{v.pick(["PORT", "WEB_PORT", "API_PORT"])}', '{v.port}')), host: {v.c}('{v.pick(["HOST", "NOT_SET"])}', '{v.host}') }},
  paths: {{ data: {v.c}('{v.pick(["DATA_DIR", "DB_PATH"])}', '{v.folder}') }},
}};
export const {v.b} = ({{ server: {{ host, port }}, paths }}) => `${{host}}:${{port}}|${{paths.data}}`;
export default {v.d};
""",
    }


@shape
def _clamped_numbers_and_flags(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const {v.a} = Math.max(1, Number({v.env} || {v.port}));
const {v.b} = Math.min({v.a}, parseInt({v.env} ?? '{v.port}', 10) || 24);
const {v.c} = ({v.env} ?? 'true') !== 'false';
const {v.d} = ['1', 'true', 'yes'].includes(String({v.env} || '').toLowerCase());
export const result = {{ {v.a}, {v.b}, {v.c}, {v.d} }};
"""}  # fmt: skip


@shape
def _allowed_origins(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const {v.a} = ({v.env} || 'http://{v.host}:{v.port}, http://{v.host}:{v.port} ,,').split(',').map((item) => item.trim()).filter(Boolean);
const {v.b} = (origin) => !origin || {v.a}.includes(origin) || /^http:\\/\\/localhost(:\\d+)?$/.test(origin);
export const result = [{v.a}, {v.b}('http://localhost:{v.port}'), {v.b}('http://evil.example'), {v.b}()];
"""}  # fmt: skip


@shape
def _base_without_slash(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import {{ {v.a}, {v.b} }} from './lib/{v.c}.mjs';\nexport const result = [{v.a}('/{v.d}'), {v.a}('{v.e}'), {v.b}];\n",
        f"lib/{v.c}.mjs": f"""const raw = {v.env} ?? 'http://{v.host}:{v.port}/';
export const {v.b} = raw.replace(/\\/+$/, '').concat('{v.path}').replace(/\\/$/, '');
export function {v.a}(endpoint) {{
  const clean = endpoint.startsWith('/') ? endpoint : `/${{endpoint}}`;
  return `${{{v.b}}}${{clean}}`;
}}
""",
    }


@shape
def _address_with_query(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""function {v.a}(endpoint, parameters = {{}}) {{
  const url = new URL(endpoint, {v.env} || 'http://{v.host}:{v.port}');
  for (const [key, value] of Object.entries(parameters)) {{
    if (value !== undefined && value !== null) url.searchParams.set(key, String(value));
  }}
  return url.toString();
}}
let {v.b};
try {{ {v.b} = {v.a}('{v.path}', {{ page: 2, q: '{v.c} & {v.d}', skip: undefined }}); }} catch {{ {v.b} = 'invalid'; }}
export const result = [{v.b}, new URLSearchParams({{ {v.c}: '{v.e}', n: 1 }}).toString()];
"""}  # fmt: skip


@shape
def _argument_or_environment(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const {v.a} = process.argv.slice(2);
const {v.b} = (name) => {v.a}.find((item) => item.startsWith(`--${{name}}=`))?.split('=')[1];
const {v.c} = Number({v.b}('{v.d}') ?? {v.env} ?? {v.port});
export const result = [{v.c}, {v.b}('none') ?? '{v.host}', {v.a}.includes('--watch')];
"""}  # fmt: skip


@shape
def _root_by_marker(v: Values) -> dict[str, str]:
    return {
        "app/src/main.mjs": f"""import fs from 'node:fs';
import {{ dirname, join }} from 'node:path';
function {v.a}(from) {{
  let folder = from;
  for (let i = 0; i < {v.pick(["4", "6"])}; i++) {{
    if (fs.existsSync(join(folder, '{v.b}.marker'))) return folder;
    folder = dirname(folder);
  }}
  return from;
}}
const {v.c} = {v.a}(import.meta.dirname);
export const result = [{v.c}, join({v.c}, '{v.folder}'), fs.existsSync(join({v.c}, 'missing'))];
""",
        f"{v.pick(['', 'app/'])}{v.b}.marker": "here",
    }


@shape
def _json_file_read(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"""import {{ readFileSync }} from 'node:fs';
const {v.a} = JSON.parse(readFileSync(new URL('./{v.b}.json', import.meta.url), 'utf{v.pick(["8", "-8"])}'));
const {{ server: {{ port = {v.port}, ...{v.c} }} = {{}}, list = [] }} = {v.a};
export const result = {{ port, {v.c}, list: list.map(({{ name }}) => name.toUpperCase()) }};
""",
        f"{v.b}.json": f'{{"server": {{"host": "{v.host}"{v.pick([", " + chr(34) + "port" + chr(34) + ": " + v.port, ""])}}}, "list": [{{"name": "{v.d}"}}, {{"name": "{v.e}"}}]}}',
    }


@shape
def _json_required(v: Values) -> dict[str, str]:
    return {
        "main.cjs": f"""const {{ {v.a}, nested }} = require('./{v.b}.json');
const path = require('path');
exports.result = [`${{{v.a}}}:${{nested.port || {v.port}}}`, path.join(__dirname, nested.dir ?? '{v.folder}'), Object.keys(require('./{v.b}.json'))];
""",
        f"{v.b}.json": f'{{"{v.a}": "{v.host}", "nested": {{"dir": "{v.folder}", "port": {v.pick(["0", v.port])}}}}}',
    }


@shape
def _composed_address(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import * as {v.a} from './{v.b}.mjs';\nexport const result = {{ ...{v.a}.default, url: {v.a}.url(), ws: {v.a}.url('ws') }};\n",
        f"{v.b}.mjs": f"""export const HOST = {v.env} || '{v.host}';
export const PORT = +({v.env} || {v.port});
const secure = {v.env} === 'production';
export function url(kind = 'http', suffix = '{v.path}') {{
  const scheme = secure ? kind + 's' : kind;
  const shown = PORT && PORT !== (secure ? 443 : 80) ? `:${{PORT}}` : '';
  return `${{scheme}}://${{HOST}}${{shown}}${{suffix.startsWith('/') ? '' : '/'}}${{suffix}}`;
}}
export default {{ HOST, PORT, secure }};
""",
    }


@shape
def _database_address(v: Values) -> dict[str, str]:
    return {"main.mjs": _HERE + f"""const {v.a} = {v.env} || `file:${{path.join(here, '{v.folder}', '{v.file}')}}`;
const {v.b} = {v.a}.replace(/^(file|sqlite):(\\/\\/)?/, '');
const {v.c} = path.isAbsolute({v.b}) ? {v.b} : path.resolve(process.cwd(), {v.b});
export const result = {{ file: {v.c}, folder: path.dirname({v.c}), kind: path.extname({v.c}).slice(1) || 'none', memory: {v.a} === ':memory:' }};
"""}  # fmt: skip


@shape
def _proxy_table(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"""import {{ {v.a} }} from './{v.b}.mjs';
export const result = Object.fromEntries(
  Object.entries({v.a}).map(([name, port]) => [`/${{name}}`, {{ target: `http://{v.host}:${{port}}`, changeOrigin: true, ws: name === '{v.c}' }}]),
);
""",
        f"{v.b}.mjs": f"const base = {v.port};\nexport const {v.a} = {{ {v.c}: base, {v.d}: base + 1, {v.e}: Number({v.env} || base + 2) }};\n",
    }


@shape
def _memoised(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import {{ {v.a} }} from './{v.b}.mjs';\nconst first = {v.a}();\nexport const result = [first.port, {v.a}() === first, {v.a}().calls];\n",
        f"{v.b}.mjs": f"""let cached = null;
let calls = 0;
function build() {{ calls += 1; return {{ port: parseInt({v.env} || '{v.port}', 10), calls }}; }}
export function {v.a}() {{ if (!cached) {{ cached = build(); }} return cached; }}
""",
    }


@shape
def _config_class(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""class {v.a.title()} {{
  static #instance;
  #values = new Map();
  constructor(values) {{ for (const [key, value] of Object.entries(values)) this.#values.set(key, value); }}
  static get instance() {{ return (this.#instance ??= new {v.a.title()}({{ port: {v.env} || {v.port}, host: '{v.host}' }})); }}
  get(key, fallback) {{ return this.#values.has(key) ? this.#values.get(key) : fallback; }}
  get url() {{ return `http://${{this.get('host')}}:${{this.get('port')}}`; }}
}}
export const result = [{v.a.title()}.instance.url, {v.a.title()}.instance.get('{v.b}', '{v.c}'), {v.a.title()}.instance === {v.a.title()}.instance];
"""}  # fmt: skip


@shape
def _by_mode(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const {v.a} = () => {{
  switch ({v.env}) {{
    case 'production': return {{ base: '/', port: 80 }};
    case 'test': case '4100': return {{ base: '/{v.b}/', port: 0 }};
    default: return {{ base: '/{v.c}/', port: {v.port} }};
  }}
}};
const {{ base, port }} = {v.a}();
export const result = `${{base}}${{port}}`.repeat({v.pick(["1", "2"])});
"""}  # fmt: skip


@shape
def _deep_merge(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
function {v.a}(target, source) {{
  const out = {{ ...target }};
  for (const key of Object.keys(source)) {{
    if (isObject(source[key]) && isObject(target[key])) out[key] = {v.a}(target[key], source[key]);
    else if (source[key] !== undefined) out[key] = source[key];
  }}
  return out;
}}
const defaults = {{ server: {{ port: {v.port}, hosts: ['{v.host}'] }}, {v.b}: {{ {v.c}: 1 }} }};
export const result = {v.a}(defaults, {{ server: {{ port: Number({v.env}) || undefined, open: true }}, {v.b}: {{ {v.d}: null }}, {v.e}: [1] }});
"""}  # fmt: skip


@shape
def _environment_schema(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const schema = {{ PORT: {{ type: 'number', default: {v.port} }}, HOST: {{ type: 'string', default: '{v.host}' }}, NOT_SET: {{ type: 'boolean', default: false }}, API_PORT: {{ type: 'number', default: 1 }} }};
const {v.a} = {{}};
for (const [key, {{ type, default: fallback }}] of Object.entries(schema)) {{
  const raw = process.env[key];
  if (raw === undefined || raw === '') {{ {v.a}[key] = fallback; continue; }}
  {v.a}[key] = type === 'number' ? Number(raw) : type === 'boolean' ? raw === 'true' : raw;
}}
export const result = Object.freeze({v.a});
"""}  # fmt: skip


@shape
def _aliases(v: Values) -> dict[str, str]:
    return {"main.mjs": _HERE + f"""const {v.a} = (...parts) => path.resolve(here, '{v.folder}', ...parts);
export const result = {{
  ...Object.fromEntries(['{v.b}', '{v.c}'].map((name) => [`@${{name}}`, {v.a}('src', name)])),
  root: {v.a}(), list: ['{v.d}', '{v.e}'].map((name) => ({{ find: new RegExp(`^@${{name}}/`).source, replacement: {v.a}(name) + '/' }})),
}};
"""}  # fmt: skip


@shape
def _barrel(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import {{ {v.a}, {v.b}, default as {v.c} }} from './lib/index.mjs';\nexport const result = [{v.a}, {v.b}, {v.c}];\n",
        "lib/index.mjs": f"export * from './{v.d}.mjs';\nexport {{ {v.b}, default }} from './{v.e}.mjs';\n",
        f"lib/{v.d}.mjs": f"export const {v.a} = Number({v.env} || {v.port});\n",
        f"lib/{v.e}.mjs": f"import {{ {v.a} }} from './{v.d}.mjs';\nexport const {v.b} = `http://{v.host}:${{{v.a}}}`;\nexport default {{ url: {v.b} + '{v.path}' }};\n",
    }


@shape
def _asynchronous_start(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import {{ {v.a} }} from './{v.b}.mjs';\nconst {{ port, stages }} = await {v.a}({{ {v.c}: '{v.d}' }});\nexport const result = {{ port, stages }};\n",
        f"{v.b}.mjs": f"""const stages = [];
const wait = (label, ms = 0) => new Promise((resolve) => setTimeout(() => {{ stages.push(label); resolve(label); }}, ms));
async function connect(name) {{ await wait(`connect ${{name}}`); return {{ name, ready: true }}; }}
export async function {v.a}({{ {v.c} }}) {{
  const [first, second] = await Promise.all([connect({v.c}), connect('{v.e}')]);
  try {{ await Promise.reject(new Error('down')); }} catch (error) {{ stages.push(error.message); }}
  return {{ port: first.ready && second.ready ? Number({v.env} || {v.port}) : 0, stages }};
}}
""",
    }


@shape
def _host_and_port_text(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const [host, port = '{v.port}'] = ({v.env} || '{v.host}:{v.port}').split(':');
const {v.a} = /^(?<scheme>\\w+):\\/\\/(?<name>[^:/]+)(?::(?<port>\\d+))?/.exec('http://{v.host}{v.pick(["", ":" + v.port])}/x');
export const result = [host, Number(port), {v.a}?.groups.scheme, {v.a}?.groups.name, {v.a}?.groups.port ?? 'none', {v.a}?.index];
"""}  # fmt: skip


@shape
def _versions(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const [major, minor = 0] = '{v.pick(["1.2.3", "10.0.0-rc.1", "4"])}'.split('.').map(Number);
const {v.a} = (one, other) => one.split('.').map((part, index) => Number(part) - Number(other.split('.')[index])).find((part) => part !== 0) ?? 0;
export const result = [`/api/v${{major}}`, minor, {v.a}('1.10.0', '1.9.2'), ['1.10.0', '1.9.2', '1.0.0'].sort({v.a}), String(major).padStart(4, '0')];
"""}  # fmt: skip


@shape
def _joined_addresses(v: Values) -> dict[str, str]:
    return {
        "main.cjs": f"""const {{ {v.a} }} = require('./{v.b}.cjs');
module.exports = {{ result: [{v.a}('http://{v.host}:{v.port}/', '{v.path}', '/{v.c}/'), {v.a}({v.env} || '', '{v.d}')] }};
""",
        f"{v.b}.cjs": f"exports.{v.a} = (first, ...rest) => [first.replace(/\\/+$/, ''), ...rest.map((part) => part.replace(/^\\/+|\\/+$/g, ''))].filter(Boolean).join('/');\n",
    }


@shape
def _filled_template(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const values = {{ host: {v.env} || '{v.host}', port: {v.port}, '{v.a}-id': 7 }};
const fill = (text) => text.replace(/\\{{([\\w-]+)\\}}/g, (whole, key) => (key in values ? values[key] : whole));
export const result = [fill('http://{{host}}:{{port}}/{{missing}}'), fill('{{{v.a}-id}}'), '%s-%s'.replace('%s', '{v.b}').replace('%s', '$&')];
"""}  # fmt: skip


@shape
def _dotenv_by_hand(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"""import {{ existsSync, readFileSync }} from 'node:fs';
import {{ join }} from 'node:path';
const file = join(import.meta.dirname, '{v.a}.env');
const {v.b} = {{}};
if (existsSync(file)) {{
  for (const line of readFileSync(file, 'utf8').split(/\\r?\\n/)) {{
    const text = line.trim();
    if (!text || text.startsWith('#')) continue;
    const at = text.indexOf('=');
    if (at < 0) continue;
    {v.b}[text.slice(0, at).trim()] = text.slice(at + 1).trim().replace(/^(['"])(.*)\\1$/, '$2');
  }}
}}
export const result = {{ ...{v.b}, port: Number({v.b}.{v.c.upper()} ?? {v.port}) }};
""",
        f"{v.a}.env": f"# settings\n{v.c.upper()}={v.port}\n{v.d.upper()} = \"{v.host}\"\n\nbroken line\n{v.e.upper()}='a=b'\n",
    }


@shape
def _settings_by_spread(v: Values) -> dict[str, str]:
    return {
        "main.cjs": f"const settings = require('./{v.a}.cjs');\nexports.result = [settings, Object.keys(settings).length, settings.{v.b}?.{v.c} ?? 'off'];\n",
        f"{v.a}.cjs": f"""const base = {{ port: {v.port}, {v.b}: {{ {v.c}: '{v.d}' }} }};
const production = {v.env} === 'production' || {v.env} === '4100';
module.exports = {{ ...base, ...(production && {{ {v.b}: undefined, host: '0.0.0.0' }}), ...(!production ? {{ debug: true }} : {{}}) }};
""",
    }


@shape
def _registry(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const registry = new Map();
const register = (name, port, tags = []) => registry.set(name, {{ port, tags: new Set(tags) }});
register('{v.a}', {v.port}, ['{v.b}', '{v.b}']);
register('{v.c}', Number({v.env}) || {v.port}, ['{v.d}']);
const taken = new Set([...registry.values()].map((service) => service.port));
function* candidates(start) {{ for (let port = start; ; port++) yield port; }}
let free; for (const port of candidates({v.port})) {{ if (!taken.has(port)) {{ free = port; break; }} }}
export const result = {{ names: [...registry.keys()], free, tags: registry.get('{v.a}').tags.size, missing: registry.get('none')?.port ?? -1 }};
"""}  # fmt: skip


@shape
def _parsed_or_fallback(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""function {v.a}(text, fallback) {{ try {{ return JSON.parse(text); }} catch (error) {{ return {{ ...fallback, failed: error instanceof SyntaxError }}; }} }}
export const result = [{v.a}({v.env}, {{ {v.b}: 1 }}), {v.a}('{{"{v.c}": [1, 2, {{"x": null}}]}}', {{}}), {v.a}('not json', {{ {v.d}: '{v.e}' }})];
"""}  # fmt: skip


@shape
def _builder(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const create = () => {{
  const state = {{ path: '/', parts: [] }};
  const self = {{
    {v.a}(value) {{ state.path = value; return self; }},
    {v.b}: (...values) => {{ state.parts.push(...values); return self; }},
    when(test, then) {{ return test ? then(self) : self; }},
    build: () => [state.path, ...state.parts].join('/').replace(/\\/{{2,}}/g, '/'),
  }};
  return self;
}};
export const result = create().{v.a}('{v.path}').{v.b}('{v.c}', {v.port}).when({v.env} === '4100', (it) => it.{v.b}('{v.d}')).build();
"""}  # fmt: skip


@shape
def _home_and_relative(v: Values) -> dict[str, str]:
    return {"main.mjs": _HERE + f"""const expand = (value) => value.replace(/^~(?=$|\\/)/, '/home/{v.a}').replace(/\\$(\\w+)/g, (_, name) => process.env[name] ?? '');
const {v.b} = expand({v.env} || '~/{v.folder}/$HOST');
export const result = [{v.b}, path.relative(process.cwd(), path.resolve(here, '{v.folder}')), path.join('{v.folder}', '..', '{v.file}'), path.parse(path.join(here, '{v.file}')).name];
"""}  # fmt: skip


@shape
def _retry_loop(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""let attempts = 0;
async function {v.a}() {{ attempts += 1; if (attempts < {v.pick(["1", "3", "4"])}) throw new Error('try ' + attempts); return '{v.b}'; }}
async function {v.c}(task, limit = 3) {{
  let last;
  for (let n = 1; n <= limit; n++) {{ try {{ return await task(n); }} catch (error) {{ last = error; await new Promise((resolve) => setTimeout(resolve, 1)); }} }}
  throw last;
}}
export const result = [await {v.c}({v.a}).catch((error) => `failed: ${{error.message}}`), attempts];
"""}  # fmt: skip


@shape
def _service_subclass(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import {v.a.title()} from './{v.b}.mjs';\nclass Own extends {v.a.title()} {{ static kind = '{v.c}'; prefix = '/{v.d}'; describe() {{ return `${{super.describe()}} (${{this.constructor.kind}})`; }} }}\nexport const result = [new Own({v.env} || {v.port}).describe(), new {v.a.title()}().describe(), Own.make() instanceof {v.a.title()}];\n",
        f"{v.b}.mjs": f"export default class {v.a.title()} {{ prefix = '{v.path}'; constructor(port = {v.port}) {{ this.port = Number(port); }} static make() {{ return new this(); }} get address() {{ return `http://{v.host}:${{this.port}}${{this.prefix}}`; }} describe() {{ return this.address; }} }}\n",
    }


@shape
def _commonjs_class(v: Values) -> dict[str, str]:
    return {
        "main.cjs": f"const Store = require('./{v.a}.cjs');\nconst {{ VERSION }} = Store;\nconst store = new Store('{v.folder}');\nstore.set('{v.b}', {v.env} || {v.port}).set('{v.c}', VERSION);\nexports.result = [store.file('{v.file}'), store.values, store.get('none', '{v.d}')];\n",
        f"{v.a}.cjs": f"const path = require('node:path');\nfunction Store(folder) {{ this.folder = path.resolve(__dirname, folder); this.values = {{}}; }}\nStore.prototype.set = function (key, value) {{ this.values[key] = value; return this; }};\nStore.prototype.get = function (key, fallback) {{ return Object.prototype.hasOwnProperty.call(this.values, key) ? this.values[key] : fallback; }};\nStore.prototype.file = function (name) {{ return path.join(this.folder, name); }};\nStore.VERSION = '{v.e}';\nmodule.exports = Store;\n",
    }


@shape
def _tables_of_routes(v: Values) -> dict[str, str]:
    return {"main.mjs": f"""const routes = [
  {{ method: 'get', path: '/{v.a}', roles: ['{v.b}'] }},
  {{ method: 'post', path: '/{v.a}/:id', roles: [] }},
  {{ method: 'get', path: '{v.path}' }},
];
const grouped = routes.reduce((all, {{ method, path, roles = ['any'] }}) => {{ (all[method] ??= []).push({{ path, open: roles.length === 0 }}); return all; }}, {{}});
export const result = {{ grouped, names: routes.flatMap(({{ path }}) => path.match(/:(\\w+)/g) ?? []), first: routes.find((route) => route.method === '{v.pick(["post", "put"])}')?.path ?? null }};
"""}  # fmt: skip


@shape
def _cycle_of_modules(v: Values) -> dict[str, str]:
    return {
        "main.mjs": f"import {{ {v.a} }} from './{v.b}.mjs';\nimport {{ {v.c} }} from './{v.d}.mjs';\nexport const result = [{v.a}(), {v.c}()];\n",
        f"{v.b}.mjs": f"import {{ {v.c} }} from './{v.d}.mjs';\nexport const PORT = {v.port};\nexport function {v.a}() {{ return `a:${{{v.c}(true)}}`; }}\n",
        f"{v.d}.mjs": f"import {{ PORT }} from './{v.b}.mjs';\nexport function {v.c}(short) {{ return short ? PORT : `b:${{PORT + 1}}`; }}\n",
    }


def shapes(count: int, seed: str = "shapes") -> list[Program]:
    """Programs of all shapes in turn."""
    names = sorted(SHAPES)
    programs = []
    for number in range(count):
        name = names[number % len(names)]
        files = SHAPES[name](Values(f"{seed} {number}"))
        entry = next(iter(files))
        programs.append(Program(name, entry, files, depth=3))
    return programs
