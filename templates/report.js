'use strict';
/*
The script of the report. It adds what a static page can't have: one section at a time, tables that sort, search and
filter over all rows, a page for each build, permalinks, copying. Text reaches the page through text nodes and
attributes of our own choosing only, so nothing that a build says is ever read as markup.

Embedded data (page_data.py): `strings` holds each distinct string once; every column of `builds`, `findings` and
`places` holds numbers. Rows are filtered and sorted as arrays of row numbers; only the page of rows that is seen is
in the document.
*/
(() => {
  const PAGE = 200;
  const SEVERITIES = ['error', 'warning', 'note'];
  const CONFIDENCES = ['high', 'medium', 'low'];
  const TONES = ['ok', 'defect', 'unknown', 'neutral'];
  const STARTS = ['starts', 'fails', 'unknown', 'none'];
  const START_WORDS = { starts: 'yes', fails: 'no', unknown: 'can’t be told', none: 'no path declared' };
  const Z95 = 1.959963984540054;
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  let S, B, F, P; // strings, builds, findings, places

  // ---------- building the document ----------
  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === false || value === null || value === undefined) continue;
      if (name === 'on') for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
      else node.setAttribute(name, value === true ? '' : value);
    }
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
    return node;
  }
  // Text with `code` between backticks.
  function prose(text) {
    const parts = text.split('`');
    if (parts.length % 2 === 0) return [text];
    return parts.map((part, odd) => (odd % 2 ? el('code', null, part) : part));
  }
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
  const ruleAnchor = (rule) => 'rule-' + rule.replace(/[^A-Za-z0-9]+/g, '-');
  const severity = (value) => el('span', { class: `sev sev-${value}` }, el('span', { class: 'shape', 'aria-hidden': 'true' }), value);
  const status = (word, mood) => el('span', { class: `status t-${mood}` }, word);
  const ruleLink = (rule) => el('a', { href: '#' + ruleAnchor(rule) }, el('code', { class: 'rule-id' }, rule.split('/').flatMap((part, at) => (at ? ['/', el('wbr'), part] : part))));
  const buildLink = (build) => el('a', { href: '#' + address('b', { b: S[B.id[build]] }) }, S[B.id[build]]);

  // ---------- the address: #view?key=value&…, #b=build, #f=fingerprint&b=build ----------
  function address(view, parameters) {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters)) if (value !== '' && value !== undefined) query.set(key, value);
    const text = query.toString().replace(/%2F/g, '/').replace(/%3A/g, ':');
    if (view === 'b' || view === 'f') return text;
    return text ? `${view}?${text}` : view;
  }
  function readAddress() {
    const hash = location.hash.slice(1);
    if (/^[bf]=/.test(hash)) {
      const query = new URLSearchParams(hash);
      return { view: 'build', build: query.get('b'), fingerprint: query.get('f') };
    }
    const cut = hash.indexOf('?');
    const name = cut < 0 ? hash : hash.slice(0, cut);
    return { view: name, parameters: Object.fromEntries(new URLSearchParams(cut < 0 ? '' : hash.slice(cut + 1))) };
  }

  // ---------- excerpts ----------
  function excerpt(place) {
    const snippet = S[P.snippet[place]];
    const box = el('div', { class: 'excerpt' }, el('p', { class: 'where' }, el('code', null, where(place)), ' ', prose(S[P.message[place]])));
    if (!snippet) return box;
    const code = el('code');
    snippet.split('\n').forEach((text, offset) => {
      const at = P.snippet_line[place] + offset;
      const points = Array.from(text); // columns count code points
      let from = 0, to = 0;
      if (at >= P.line[place] && at <= Math.max(P.line[place], P.end_line[place])) {
        from = at === P.line[place] ? P.mark[place] : points.length - points.join('').trimStart().length;
        to = at === P.line[place] ? P.mark_end[place] : at === P.end_line[place] ? P.last[place] : points.length;
      }
      const source = el('span', { class: 'src' });
      if (to > from) source.append(points.slice(0, from).join(''), el('mark', null, points.slice(from, to).join('')), points.slice(to).join(''));
      else source.append(text);
      code.append(el('span', { class: to > from ? 'line hit' : 'line' }, el('span', { class: 'ln' }, at), source), '\n');
    });
    box.append(el('pre', { class: 'code' }, code));
    return box;
  }
  function where(place) {
    const line = P.line[place];
    return S[P.path[place]] + (line ? `:${line}:${P.column[place]}` : '');
  }

  // ---------- one finding ----------
  function findingBody(finding) {
    const body = [el('div', { class: 'excerpts' }, excerpt(F.place[finding]), F.related[finding].map(excerpt))];
    const fix = S[F.fix[finding]];
    if (fix) body.push(el('p', { class: 'fix' }, el('strong', null, 'Mend'), ' ', prose(fix)));
    const evidence = F.evidence[finding];
    if (evidence.length) {
      body.push(el('details', null, el('summary', null, 'Chain of evidence'), el('ol', { class: 'evidence' }, evidence.map((step) => el('li', null, prose(S[step]))))));
    }
    body.push(
      el('div', { class: 'actions' },
        el('button', { type: 'button', class: 'quiet', on: { click: (event) => copy(event.currentTarget, findingText(finding)) } }, 'Copy as text'),
        el('a', { href: '#' + permalink(finding) }, 'Permalink'),
        el('a', { href: '#' + ruleAnchor(S[F.rule[finding]]) }, 'About this rule')),
    );
    return body;
  }
  const permalink = (finding) => address('f', { f: S[F.fingerprint[finding]], b: S[B.id[F.build[finding]]] });
  function findingText(finding) {
    const lines = [
      `${SEVERITIES[F.severity[finding]]}[${S[F.rule[finding]]}] ${S[B.id[F.build[finding]]]}`,
      S[F.message[finding]],
    ];
    for (const place of [F.place[finding], ...F.related[finding]]) {
      lines.push('', `${where(place)}${P.message[place] ? '  ' + S[P.message[place]] : ''}`);
      const snippet = S[P.snippet[place]];
      if (!snippet) continue;
      const rows = snippet.split('\n');
      const width = String(P.snippet_line[place] + rows.length - 1).length;
      rows.forEach((text, offset) => {
        const at = P.snippet_line[place] + offset;
        lines.push(`${at >= P.line[place] && at <= P.end_line[place] ? '>' : ' '} ${String(at).padStart(width)} | ${text}`);
      });
    }
    if (F.fix[finding]) lines.push('', `mend: ${S[F.fix[finding]]}`);
    lines.push(`fingerprint: ${S[F.fingerprint[finding]]}`);
    return lines.join('\n');
  }
  async function copy(button, text) {
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      const area = el('textarea', { 'aria-label': 'Text of the finding', rows: 12, cols: 80, readonly: true });
      area.value = text;
      button.after(area);
      area.select();
      button.textContent = document.execCommand('copy') ? 'Copied' : 'Copy the selected text';
      if (button.textContent === 'Copied') area.remove();
    }
    setTimeout(() => { button.textContent = before; }, 2000);
  }

  // ---------- a table that sorts, filters and pages over all rows ----------
  /* `spec`: total rows; `fields` for the filter form; `keep(parameters)` gives a predicate over row numbers; `order` maps a
     sort key to a function row → string or number; `row(row)` gives its <tr>s. State lives in the address. */
  function liveTable(view, ids, spec) {
    const table = byId(ids.table), body = table.tBodies[0], form = byId(ids.filters), pager = byId(ids.pager), count = byId(ids.count);
    const controls = {};
    let current = null;
    if (byId(ids.more)) byId(ids.more).remove();

    for (const field of spec.fields) {
      const id = `${view}-${field.key}`;
      let control;
      if (field.choices) {
        control = el('select', { id }, el('option', { value: '' }, field.any || 'any'));
        for (const choice of field.choices) {
          if (choice.group) control.append(el('optgroup', { label: choice.group }, choice.choices.map((each) => el('option', { value: each.value }, each.text))));
          else control.append(el('option', { value: choice.value }, choice.text));
        }
      } else control = el('input', { id, type: 'search', placeholder: field.placeholder, spellcheck: 'false', autocomplete: 'off' });
      controls[field.key] = control;
      form.append(el('label', { for: id, class: field.choices ? null : 'wide' }, field.label, control));
    }
    const clear = el('button', { type: 'button', on: { click: () => go({}) } }, 'Clear');
    const save = el('button', { type: 'button', on: { click: () => download(`${view}.csv`, [spec.header, ...listed.map(spec.values)]) } }, 'Download CSV');
    form.append(clear, save);
    form.hidden = false;
    let timer = 0, listed = [];
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(() => go(read(), true), 60); });

    for (const head of table.tHead.rows[0].cells) {
      const key = head.dataset.sort;
      if (!key) continue;
      const words = head.textContent;
      head.textContent = '';
      head.append(el('button', { type: 'button', on: { click: () => {
        const down = current.sort === key ? current.dir !== 'desc' : spec.descendingFirst.has(key);
        go({ ...read(), sort: key, dir: down ? 'desc' : '' });
      } } }, words));
    }

    function read() {
      const parameters = {};
      for (const [key, control] of Object.entries(controls)) parameters[key] = control.value;
      if (current && current.sort) { parameters.sort = current.sort; parameters.dir = current.dir; }
      return parameters;
    }
    function go(parameters, replace) {
      const next = '#' + address(view, parameters);
      if (replace) { history.replaceState(null, '', next); here = next; show(readAddress().parameters); }
      else if (location.hash === next) show(parameters);
      else location.hash = next;
    }
    function show(parameters) {
      current = parameters;
      for (const [key, control] of Object.entries(controls)) {
        const value = parameters[key] || '';
        if (control.value !== value) control.value = value;
        if (control.tagName === 'SELECT' && value && control.value !== value) {
          control.append(el('option', { value }, value)); // from a link to a value that this report does not have
          control.value = value;
        }
      }
      const keep = spec.keep(parameters);
      let rows = [];
      for (let row = 0; row < spec.total; row++) if (keep(row)) rows.push(row);
      const kept = rows.length;
      const order = spec.order[parameters.sort] || spec.order.default;
      if (order) {
        const keys = new Map(rows.map((row) => [row, order(row)]));
        const down = parameters.dir === 'desc' ? -1 : 1;
        rows.sort((one, two) => {
          const a = keys.get(one), b = keys.get(two);
          return (a < b ? -1 : a > b ? 1 : 0) * down || one - two;
        });
      }
      listed = rows;
      const pages = Math.max(1, Math.ceil(kept / PAGE));
      const page = Math.min(Math.max(1, Number(parameters.page) || 1), pages);
      const seen = rows.slice((page - 1) * PAGE, page * PAGE);
      body.replaceChildren(...seen.flatMap(spec.row));
      for (const head of table.tHead.rows[0].cells) {
        if (head.dataset.sort && head.dataset.sort === parameters.sort) head.setAttribute('aria-sort', parameters.dir === 'desc' ? 'descending' : 'ascending');
        else head.removeAttribute('aria-sort');
      }
      count.textContent = (kept === spec.total ? plural(kept, spec.noun) : `${number(kept)} of ${plural(spec.total, spec.noun)}`) + spec.also(rows)
        + (pages > 1 ? `. Rows ${number((page - 1) * PAGE + 1)} to ${number(Math.min(kept, page * PAGE))} are shown` : '') + '.';
      clear.disabled = !Object.values(parameters).some(Boolean);
      const turn = (to) => () => { go({ ...parameters, page: to === 1 ? '' : to }); table.scrollIntoView(); };
      pager.hidden = pages === 1;
      pager.replaceChildren(
        el('button', { type: 'button', disabled: page === 1, on: { click: turn(page - 1) } }, 'Previous'),
        el('span', null, `Page ${page} of ${pages}`),
        el('button', { type: 'button', disabled: page === pages, on: { click: turn(page + 1) } }, 'Next'));
    }
    return show;
  }

  // A spreadsheet takes a cell that begins with one of these signs for a formula; cells come from hostile builds.
  function download(name, rows) {
    const cell = (value) => { const text = String(value); return `"${(/^[=+\-@\t\r]/.test(text) ? "'" + text : text).replace(/"/g, '""')}"`; };
    const address = URL.createObjectURL(new Blob([rows.map((row) => row.map(cell).join(',') + '\n').join('')], { type: 'text/csv' }));
    el('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  const distinct = (column) => [...new Set(column)].filter((each) => S[each] !== '').sort((a, b) => (S[a] < S[b] ? -1 : 1));
  const choices = (column) => distinct(column).map((each) => ({ value: S[each], text: shorten(S[each]) }));
  const shorten = (text) => (text.length > 60 ? text.slice(0, 59) + '…' : text);
  const IDENTIFIERS = new Set(['run', 'run_id', 'seed', 'replicate']);
  const groupLabels = () => B.labels.filter((label) => {
    if (IDENTIFIERS.has(S[label.name])) return false;
    const values = new Set(label.value.filter((each) => S[each] !== ''));
    return values.size >= 2 && values.size <= 60 && values.size <= Math.max(2, B.id.length / 2);
  });
  const labelFields = () => groupLabels().map((label) => ({ key: 'label.' + S[label.name], label: S[label.name], choices: choices(label.value) }));
  // A predicate over builds for the `label.…` parameters.
  function labelTests(parameters) {
    const tests = [];
    for (const label of B.labels) {
      const wanted = parameters['label.' + S[label.name]];
      if (wanted) tests.push((build) => S[label.value[build]] === wanted);
    }
    return (build) => tests.every((test) => test(build));
  }
  const rulesFound = () => {
    const byScanner = new Map();
    for (const rule of distinct(F.rule)) {
      const scanner = S[rule].split('/')[0];
      if (!byScanner.has(scanner)) byScanner.set(scanner, []);
      byScanner.get(scanner).push({ value: S[rule], text: S[rule] });
    }
    return [...byScanner].map(([group, listed]) => ({ group, choices: listed }));
  };
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  function findingsTable() {
    const texts = [];
    const text = (row) => (texts[row] ??= [F.message[row], F.rule[row], P.path[F.place[row]], B.id[F.build[row]], F.fix[row], F.fingerprint[row], P.snippet[F.place[row]]]
      .map((each) => S[each]).join('\n').toLowerCase());
    return liveTable('findings', { table: 'finding-table', filters: 'finding-filters', pager: 'finding-pager', count: 'finding-count', more: 'finding-more' }, {
      total: F.build.length,
      noun: 'finding',
      also: (rows) => { const builds = new Set(rows.map((row) => F.build[row])); return rows.length ? ` in ${plural(builds.size, 'build')}` : ''; },
      descendingFirst: new Set(),
      fields: [
        { key: 'q', label: 'Text', placeholder: 'message, path, source, build' },
        { key: 'severity', label: 'Severity', choices: SEVERITIES.map((each) => ({ value: each, text: each })) },
        { key: 'scanner', label: 'Scanner', choices: [...new Set(distinct(F.rule).map((rule) => S[rule].split('/')[0]))].map((each) => ({ value: each, text: each })) },
        { key: 'rule', label: 'Rule', choices: rulesFound() },
        ...labelFields(),
        { key: 'suppressed', label: 'Suppressed', any: 'not shown', choices: [{ value: 'also', text: 'also shown' }, { value: 'only', text: 'only these' }] },
      ],
      keep(parameters) {
        const wanted = words(parameters.q || ''), inLabels = labelTests(parameters);
        const level = SEVERITIES.indexOf(parameters.severity);
        const { rule, scanner, suppressed, f } = parameters;
        return (row) => (level < 0 || F.severity[row] === level)
          && (!rule || S[F.rule[row]] === rule)
          && (!scanner || S[F.rule[row]].startsWith(scanner + '/'))
          && (!f || S[F.fingerprint[row]] === f)
          && (suppressed === 'also' || Boolean(F.suppressed[row]) === (suppressed === 'only'))
          && inLabels(F.build[row])
          && wanted.every((word) => text(row).includes(word));
      },
      order: {
        default: (row) => F.severity[row],
        severity: (row) => F.severity[row],
        message: (row) => S[F.message[row]],
        rule: (row) => S[F.rule[row]],
        place: (row) => `${S[P.path[F.place[row]]]}:${String(P.line[F.place[row]]).padStart(7, '0')}`,
        build: (row) => F.build[row],
      },
      row: findingRow,
      header: ['build', ...B.labels.map((label) => S[label.name]), 'severity', 'confidence', 'rule', 'path', 'line', 'column', 'message', 'fix', 'suppressed', 'fingerprint'],
      values: (row) => [S[B.id[F.build[row]]], ...B.labels.map((label) => S[label.value[F.build[row]]]), SEVERITIES[F.severity[row]], CONFIDENCES[F.confidence[row]], S[F.rule[row]],
        S[P.path[F.place[row]]], P.line[F.place[row]], P.column[F.place[row]], S[F.message[row]], S[F.fix[row]], S[F.suppressed[row]], S[F.fingerprint[row]]],
    });
  }
  function findingRow(finding) {
    const detail = el('tr', { class: 'detail', hidden: true }, el('td', { colspan: 5 }));
    const open = () => {
      if (!detail.cells[0].hasChildNodes()) detail.cells[0].append(...findingBody(finding));
      detail.hidden = !detail.hidden;
      expand.setAttribute('aria-expanded', String(!detail.hidden));
    };
    const expand = el('button', { type: 'button', class: 'expand', 'aria-expanded': 'false', on: { click: open } }, prose(S[F.message[finding]]));
    const suppressed = S[F.suppressed[finding]], confidence = CONFIDENCES[F.confidence[finding]];
    return [
      el('tr', null,
        el('td', { 'data-label': 'Severity' }, severity(SEVERITIES[F.severity[finding]]),
          confidence === 'high' ? null : el('span', { class: 'conf' }, `${confidence} confidence`),
          suppressed ? el('span', { class: 'supp' }, `suppressed by ${suppressed}`) : null),
        el('td', { class: 'said', 'data-label': 'What goes wrong' }, expand),
        el('td', { 'data-label': 'Rule' }, ruleLink(S[F.rule[finding]])),
        el('td', { 'data-label': 'Place' }, el('code', null, where(F.place[finding]))),
        el('td', { 'data-label': 'Build' }, buildLink(F.build[finding]))),
      detail,
    ];
  }

  let findingsOf; // build → its findings' numbers
  function buildsTable() {
    const errors = B.errors_found, warnings = B.warnings_found;
    const defects = B.id.map((_, build) => B.verdicts.filter((verdict) => verdict.tone[build] === 1).map((verdict) => `${S[verdict.scanner]}:${S[verdict.status[build]]}`));
    const text = B.id.map((id, build) => [S[id], ...B.labels.map((label) => S[label.value[build]]), ...defects[build]].join('\n').toLowerCase());
    const columns = [...byId('build-table').tHead.rows[0].cells].map((head) => head.dataset.sort).filter((key) => key.startsWith('label.'))
      .map((key) => B.labels.find((label) => 'label.' + S[label.name] === key));
    const verdictChoices = B.verdicts.map((verdict) => ({
      group: S[verdict.scanner],
      choices: distinct(verdict.status).map((word) => ({ value: `${S[verdict.scanner]}:${S[word]}`, text: S[word] })),
    }));
    const order = {
      id: (build) => S[B.id[build]],
      start: (build) => B.start[build],
      errors: (build) => errors[build],
      warnings: (build) => warnings[build],
      defects: (build) => defects[build].join(' '),
    };
    for (const label of columns) order['label.' + S[label.name]] = (build) => S[label.value[build]];
    // A scanner that was not asked (no contract given) is unknown everywhere for one reason: the same in every row says nothing.
    const asked = B.verdicts.filter((verdict) => B.id.length === 1 || new Set(verdict.status).size > 1 || new Set(verdict.reason).size > 1);
    return liveTable('builds', { table: 'build-table', filters: 'build-filters', pager: 'build-pager', count: 'build-count', more: 'build-more' }, {
      total: B.id.length,
      noun: 'build',
      also: (rows) => (rows.length ? `, ${number(rows.filter((build) => errors[build]).length)} with errors` : ''),
      descendingFirst: new Set(['errors', 'warnings', 'defects', 'start']),
      fields: [
        { key: 'q', label: 'Text', placeholder: 'build, label, verdict' },
        { key: 'start', label: 'Comes up', choices: STARTS.map((each) => ({ value: each, text: START_WORDS[each] })) },
        { key: 'verdict', label: 'Verdict', choices: verdictChoices },
        { key: 'rule', label: 'Rule found', choices: rulesFound() },
        ...labelFields(),
      ],
      keep(parameters) {
        const wanted = words(parameters.q || ''), inLabels = labelTests(parameters);
        const start = STARTS.indexOf(parameters.start);
        const [scanner, word] = (parameters.verdict || '').split(/:(.*)/s);
        const verdict = B.verdicts.find((each) => S[each.scanner] === scanner);
        const rule = parameters.rule ? S.indexOf(parameters.rule) : -1;
        return (build) => (start < 0 || B.start[build] === start)
          && (!parameters.verdict || (verdict && S[verdict.status[build]] === word))
          && (!parameters.rule || B.rules_found[build].includes(rule))
          && inLabels(build)
          && wanted.every((each) => text[build].includes(each));
      },
      order,
      header: ['build', ...B.labels.map((label) => S[label.name]), ...B.verdicts.map((verdict) => S[verdict.scanner]), 'comes up', 'errors', 'warnings'],
      values: (build) => [S[B.id[build]], ...B.labels.map((label) => S[label.value[build]]), ...B.verdicts.map((verdict) => S[verdict.status[build]]), STARTS[B.start[build]], errors[build], warnings[build]],
      row: (build) => [el('tr', null,
        el('th', { scope: 'row' }, buildLink(build)),
        columns.map((label) => el('td', { 'data-label': S[label.name] }, S[label.value[build]])),
        el('td', { 'data-label': 'Comes up' }, START_WORDS[STARTS[B.start[build]]]),
        el('td', { class: 'num', 'data-label': 'Errors' }, errors[build]),
        el('td', { class: 'num', 'data-label': 'Warnings' }, warnings[build]),
        el('td', { 'data-label': 'Verdicts' }, asked.filter((verdict) => verdict.tone[build] === 1 || verdict.tone[build] === 2)
          .sort((one, two) => one.tone[build] - two.tone[build])
          .map((verdict) => el('span', { class: 'pair' }, S[verdict.scanner], ' ', status(S[verdict.status[build]], TONES[verdict.tone[build]])))))],
    });
  }

  // ---------- the launch plan: script → process → proxy → the server it reaches ----------
  function launchPlan(label, steps) {
    const box = (text, kind) => {
      const split = /^([^(]+?)\s*\((.*)\)$/s.exec(text);
      return el('span', { class: `box ${kind}` }, split ? [split[1], el('small', null, split[2])] : text);
    };
    const portOf = (text) => (/\bport (\d+)/.exec(text) || [])[1];
    const lanes = []; // one for each process, with the proxies of a Vite process
    for (const step of steps) {
      const proxy = /^proxy \S+ → (\S+)/.exec(step);
      const front = lanes.findLast((lane) => /^vite\b/.test(lane.process));
      if (proxy && front) front.proxies.push({ text: step, port: (/:(\d+)(?:\/|$)/.exec(proxy[1]) || [])[1] });
      else lanes.push({ process: step, proxies: [] });
    }
    const reached = (port) => port && lanes.find((lane) => !/^vite\b/.test(lane.process) && portOf(lane.process) === port);
    const targets = new Set(lanes.flatMap((lane) => lane.proxies.map((proxy) => reached(proxy.port))));
    const rows = lanes.filter((lane) => !targets.has(lane)).map((lane) => el('li', { class: 'lane' }, box(lane.process, 'process'),
      lane.proxies.length ? el('ul', { class: 'routes' }, lane.proxies.map((proxy) => {
        const server = reached(proxy.port);
        return el('li', { class: 'lane' }, box(proxy.text, 'proxy'), server ? box(server.process, 'process') : null);
      })) : null));
    return el('div', { class: 'plan', role: 'group', 'aria-label': `Launch plan of ${label}` }, box(label, 'script'), el('ul', { class: 'lanes' }, rows));
  }

  // ---------- the page of one build ----------
  function showBuild(name, fingerprint) {
    let build = B.id.findIndex((id) => S[id] === name);
    if (build < 0 && fingerprint) {
      const first = F.fingerprint.findIndex((each) => S[each] === fingerprint);
      if (first >= 0) build = F.build[first];
    }
    const section = byId('build');
    if (build < 0) {
      section.replaceChildren(el('p', { class: 'kicker' }, 'Build'), el('h1', { id: 'build-title' }, 'This report does not hold what the link names'),
        el('p', { class: 'lead' }, 'It may come from another scan. ', el('a', { href: '#builds' }, 'All builds')));
      return;
    }
    const list = findingsOf[build];
    const counted = list.filter((each) => !F.suppressed[each]);
    const errors = B.errors_found[build];
    const same = fingerprint ? new Set(F.build.filter((other, each) => other !== build && S[F.fingerprint[each]] === fingerprint)).size : 0;
    const start = STARTS[B.start[build]];
    const works = { 0: 'fails', 1: 'works', 2: 'can’t be told' }, moods = { 0: 'defect', 1: 'ok', 2: 'unknown' };
    const parts = [
      el('div', { class: 'build-nav' }, el('a', { href: '#builds' }, 'All builds'),
        build > 0 ? el('a', { href: '#' + address('b', { b: S[B.id[build - 1]] }) }, 'Previous build') : null,
        build + 1 < B.id.length ? el('a', { href: '#' + address('b', { b: S[B.id[build + 1]] }) }, 'Next build') : null),
      el('p', { class: 'kicker' }, 'Build'),
      el('h1', { id: 'build-title' }, S[B.id[build]]),
      el('dl', { class: 'build-labels' }, B.labels.filter((label) => S[label.value[build]]).map((label) => el('div', null, el('dt', null, S[label.name]), el('dd', null, S[label.value[build]])))),
      el('p', { class: 'lead' },
        { starts: 'It comes up by at least one way that its own files declare.', fails: 'It fails by every way that its own files declare.', unknown: 'Whether it comes up can’t be told from its files.', none: 'Its files declare no way to start it.' }[start],
        ' ', !counted.length ? 'No findings.' : errors === counted.length ? `${plural(errors, 'error')}.` : `${plural(counted.length, 'finding')}, ${errors ? plural(errors, 'error') : 'no error'} among them.`),
    ];
    if (same) parts.push(el('p', { class: 'notice' }, `The same finding stands in ${plural(same, 'other build')}: `, el('a', { href: '#' + address('findings', { f: fingerprint }) }, 'show all'), '.'));
    if (B.launch[build].length) {
      parts.push(el('h2', null, 'Launch paths'), el('ol', { class: 'paths' }, B.launch[build].map(([label, works_, command, because, steps]) => el('li', { class: 'panel' },
        el('p', { class: 'path-head' }, el('b', null, S[label]), status(works[works_], moods[works_]), S[command] ? el('span', null, works_ === 0 ? 'comes up with ' : null, el('code', null, S[command])) : null),
        S[because] ? el('p', { class: 'because' }, prose(S[because])) : null,
        steps.length ? launchPlan(S[label], steps.map((step) => S[step])) : null))));
    }
    parts.push(el('h2', null, 'Findings, what stops the user first at the top'));
    if (!list.length) parts.push(el('p', null, 'None.'));
    for (const finding of list) {
      const current = fingerprint && S[F.fingerprint[finding]] === fingerprint;
      const level = SEVERITIES[F.severity[finding]], confidence = CONFIDENCES[F.confidence[finding]];
      parts.push(el('article', { class: `finding${current ? ' current' : ''}${F.suppressed[finding] ? ' suppressed' : ''}`, id: 'f-' + S[F.fingerprint[finding]], tabindex: current ? '-1' : null },
        el('header', null, severity(level), ruleLink(S[F.rule[finding]]),
          confidence === 'high' ? null : el('span', { class: 'conf' }, `${confidence} confidence`),
          F.suppressed[finding] ? el('span', { class: 'supp' }, `suppressed by ${S[F.suppressed[finding]]}`) : null),
        el('h3', null, prose(S[F.message[finding]])),
        findingBody(finding)));
    }
    parts.push(el('h2', null, 'Verdicts'), el('ul', { class: 'verdict-list' }, B.verdicts.filter((verdict) => verdict.status[build]).map((verdict) => el('li', null,
      S[verdict.scanner], ' ', status(S[verdict.status[build]], TONES[verdict.tone[build]]),
      verdict.reason[build] ? el('p', { class: 'because' }, prose(S[verdict.reason[build]])) : null))));
    if (B.errors[build].length) {
      parts.push(el('h2', null, 'Lost coverage'), el('ul', null, B.errors[build].map(([path, kind, message]) => el('li', null, el('code', null, S[path]), ` (${S[kind]}): `, prose(S[message])))));
    }
    const features = B.features.filter((feature) => feature.value[build] !== null && feature.value[build] !== undefined);
    if (features.length) {
      parts.push(el('h2', null, 'Features'), el('dl', { class: 'features' }, features.map((feature) => {
        const value = feature.value[build];
        return el('div', null, el('dt', null, S[feature.name]), el('dd', null, Array.isArray(value) ? S[value[0]] : value === true ? 'yes' : value === false ? 'no' : String(Number.isInteger(value) ? value : Number(value.toPrecision(4)))));
      })));
    }
    parts.push(el('h2', null, 'Provenance'), el('table', { class: 'facts' }, el('tbody', null,
      [['Archive', S[B.archive[build]]], ['Files', number(B.files[build])], ['Bytes', number(B.bytes[build])], ['Digest (SHA-256)', S[B.digest[build]]]]
        .map(([key, value]) => el('tr', null, el('th', { scope: 'row' }, key), el('td', null, key.startsWith('Digest') ? el('code', null, value) : value))))));
    section.replaceChildren(...parts);
  }

  // ---------- comparison: choose the label, the groups, only what differs ----------
  function wilson(count, total) {
    const share = count / total, square = (Z95 * Z95) / total;
    const centre = (share + square / 2) / (1 + square);
    const half = (Z95 / (1 + square)) * Math.sqrt((share * (1 - share)) / total + square / (4 * total));
    return [Math.max(0, centre - half), Math.min(1, centre + half)];
  }
  // Newcombe's interval of the difference leaves out zero: 1 above, -1 below, 0 neither.
  function differs(count, total, otherCount, otherTotal) {
    if (!total || !otherTotal) return 0;
    const p = count / total, q = otherCount / otherTotal, [pl, pu] = wilson(count, total), [ql, qu] = wilson(otherCount, otherTotal);
    if (p - q - Math.hypot(p - pl, qu - q) > 0) return 1;
    return p - q + Math.hypot(pu - p, q - ql) < 0 ? -1 : 0;
  }
  function comparison() {
    const boxes = [...document.querySelectorAll('.comparison')];
    const form = byId('compare-filters');
    if (!form) return () => {};
    const pick = el('select', { id: 'compare-by' }, boxes.map((box) => el('option', { value: box.dataset.label }, box.dataset.label)));
    const only = el('input', { type: 'checkbox', id: 'compare-only' });
    const groups = el('fieldset', { class: 'groups' });
    form.append(el('label', { for: 'compare-by' }, 'Groups by', pick), el('label', { class: 'check', for: 'compare-only' }, only, 'Only what differs'), groups);
    form.hidden = false;
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', (event) => {
      const off = event.target === pick ? [] : [...groups.querySelectorAll('input')].flatMap((input, index) => (input.checked ? [] : [index]));
      history.replaceState(null, '', '#' + address('compare', { by: pick.value, only: only.checked ? '1' : '', without: off.join(',') }));
      show(readAddress().parameters);
    });
    function show(parameters) {
      const by = parameters.by || boxes[0].dataset.label;
      pick.value = by;
      only.checked = Boolean(parameters.only);
      const without = new Set((parameters.without || '').split(',').filter(Boolean).map(Number));
      for (const box of boxes) box.hidden = box.dataset.label !== by;
      const box = boxes.find((each) => !each.hidden);
      if (!box) return;
      const table = box.querySelector('table');
      const heads = [...table.tHead.rows[0].cells].slice(1);
      if (groups.dataset.by !== by) {
        groups.dataset.by = by;
        groups.replaceChildren(el('legend', null, 'Shown'), ...heads.map((head, index) => el('label', { class: 'check' }, el('input', { type: 'checkbox', value: index }), head.firstChild.textContent)));
      }
      groups.querySelectorAll('input').forEach((input, index) => { input.checked = !without.has(index); });
      heads.forEach((head, index) => { head.hidden = without.has(index); });
      for (const row of table.querySelectorAll('tbody tr:not(.group)')) {
        const cells = [...row.cells].slice(1);
        const kept = cells.filter((_, index) => !without.has(index));
        const total = (key) => kept.reduce((sum, cell) => sum + Number(cell.dataset[key]), 0);
        const count = total('k'), size = total('n');
        let any = false;
        cells.forEach((cell, index) => {
          cell.hidden = without.has(index);
          const k = Number(cell.dataset.k), n = Number(cell.dataset.n);
          const sign = cell.hidden ? 0 : differs(k, n, count - k, size - n);
          any ||= sign !== 0;
          cell.classList.toggle('higher', sign > 0);
          cell.classList.toggle('lower', sign < 0);
          const mark = cell.querySelector('.mark');
          if (mark) mark.replaceChildren(...(sign ? [el('span', { 'aria-hidden': 'true' }, sign > 0 ? '▲' : '▼'), el('span', { class: 'visually-hidden' }, sign > 0 ? 'higher: ' : 'lower: ')] : []));
        });
        row.classList.toggle('differs', any);
        row.hidden = only.checked && !any;
      }
      for (const body of table.tBodies) body.hidden = ![...body.rows].some((row) => !row.classList.contains('group') && !row.hidden);
    }
    return show;
  }

  // ---------- small tables whose rows are all in the page ----------
  function sortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const words = head.textContent;
      head.replaceChildren(el('button', { type: 'button', on: { click: () => {
        const down = head.getAttribute('aria-sort') === 'ascending';
        for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const text = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const asNumber = (row) => Number(text(row).replace(/^[<>≥≤]/, '').replace(/[\s,%]/g, '') || NaN); // ".46", "<.001", "12 %"
        const all = [...table.tBodies[0].rows];
        const numeric = all.every((row) => ['', '–'].includes(text(row)) || !Number.isNaN(asNumber(row)));
        const value = numeric ? (row) => (Number.isNaN(asNumber(row)) ? -Infinity : asNumber(row)) : text;
        const rows = all.sort((one, two) => { const a = value(one), b = value(two); return (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1); });
        table.tBodies[0].append(...rows);
      } } }, words));
    });
  }

  // ---------- theme ----------
  function theme() {
    const button = byId('theme'), dark = matchMedia('(prefers-color-scheme: dark)');
    const store = { get: () => { try { return localStorage.getItem('build-forensics-theme'); } catch { return null; } }, set: (value) => { try { localStorage.setItem('build-forensics-theme', value); } catch { /* a file that may not store: the choice lasts for the visit */ } } };
    const apply = (choice) => {
      if (choice === 'dark' || choice === 'light') root.dataset.theme = choice;
      const now = root.dataset.theme || (dark.matches ? 'dark' : 'light');
      button.textContent = now === 'dark' ? 'Light' : 'Dark';
      button.setAttribute('aria-label', `Use the ${now === 'dark' ? 'light' : 'dark'} theme`);
    };
    apply(store.get());
    dark.addEventListener('change', () => apply());
    button.hidden = false;
    button.addEventListener('click', () => {
      const next = (root.dataset.theme || (dark.matches ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark';
      store.set(next);
      apply(next);
    });
  }

  // ---------- views ----------
  async function read() {
    const holder = byId('data');
    if (holder.dataset.encoding === 'json') return JSON.parse(holder.textContent);
    const packed = Uint8Array.from(atob(holder.textContent), (each) => each.charCodeAt(0));
    return JSON.parse(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
  }
  const made = {};
  const lazily = (name, make) => (parameters) => (made[name] ??= make())(parameters);
  const views = { builds: lazily('builds', buildsTable), findings: lazily('findings', findingsTable), compare: lazily('compare', comparison) };
  const sections = [...document.querySelectorAll('.view')];
  const positions = new Map(); // address → how far it was scrolled, for going back
  let here = location.hash, clicked = false;

  // Shows the section that the address names. Without the data yet, only the choice of the section.
  function route(moved) {
    const asked = readAddress();
    let view = asked.view || (byId('content').dataset.builds === '1' ? 'build' : 'overview');
    let anchor = null;
    if (!sections.some((section) => section.id === view)) {
      anchor = byId(decodeURIComponent(view));
      const holder = anchor && anchor.closest('.view');
      view = holder ? holder.id : 'overview';
    }
    for (const section of sections) section.classList.toggle('active', section.id === view);
    document.body.dataset.view = view;
    for (const link of document.querySelectorAll('.tabs a')) {
      if (link.hash === '#' + (view === 'build' ? 'builds' : view)) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    byId('build').hidden = view !== 'build';
    if (!S) return;
    if (view === 'build') showBuild(asked.build || (asked.fingerprint ? null : S[B.id[0]]), asked.fingerprint);
    else if (views[view]) views[view](asked.parameters || {});
    document.title = `${sections.find((section) => section.id === view).querySelector('h1').textContent} · Build Forensics`;
    const found = asked.fingerprint && byId('f-' + asked.fingerprint);
    if (anchor) anchor.scrollIntoView();
    else if (found) found.scrollIntoView({ block: 'center' });
    else scrollTo(0, moved && !clicked ? positions.get(location.hash) || 0 : 0);
    if (found) found.focus({ preventScroll: true });
    else if (moved && clicked) byId('content').focus({ preventScroll: true });
    clicked = false;
    here = location.hash;
  }
  function beforePrint() {
    for (const name of ['builds', 'findings', 'compare']) if (!made[name]) views[name]({});
    document.querySelectorAll('.expand[aria-expanded="false"]').forEach((button) => button.click());
    document.querySelectorAll('.view details:not([open])').forEach((details) => { details.open = true; });
  }
  async function start() {
    theme();
    root.classList.add('js');
    route();
    try {
      ({ strings: S, builds: B, findings: F, places: P } = await read());
    } catch (problem) {
      root.classList.remove('js');
      byId('problem').textContent = `The data of this report could not be read (${problem.message}); its summary, catalogue and comparison are complete all the same. A current browser reads it.`;
      byId('problem').hidden = false;
      return;
    }
    findingsOf = B.id.map(() => []);
    F.build.forEach((build, finding) => findingsOf[build].push(finding));
    document.querySelectorAll('table.sortable').forEach(sortable);
    addEventListener('scroll', () => { positions.set(here, scrollY); }, { passive: true });
    document.addEventListener('click', (event) => { clicked = Boolean(event.target.closest('a[href^="#"]')); });
    document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); byId('content').focus(); });
    addEventListener('hashchange', () => route(true));
    addEventListener('beforeprint', beforePrint);
    route();
    root.dataset.ready = 'true';
  }
  start();
})();
