// SPDX-License-Identifier: Apache-2.0
// Filters as chips, and the form that adds one. A page has them in a row above it; the page Compare for each of its sides.
import { get, of } from './api.js';
import { h, toast } from './dom.js';
import { STATES } from './series.js';
import { chipsOf, FILTERS, fitsQuestion, pathsOf } from './state.js';

const NAMES = { endpoint: 'endpoint', label: 'label', thread: 'thread', process: 'process', state: 'state', kind: 'kind of code', package: 'package', filter: 'through', exclude: 'without', exclude_path: 'without subtree' };
const HINTS = { endpoint: 'GET /path', label: 'key:value', thread: 'name, regex', process: 'name or number, regex', state: 'state, regex', kind: 'leaf frame: java, kernel \u2026', package: 'com.acme', filter: 'frame, regex', exclude: 'frame, regex', exclude_path: 'A.main;B.run;*' };
const SUGGESTIONS = 200;
const CLASSES = 1000; // whose packages are offered

/** The packages of classes, and those above them, in their order: "com.acme.web.Shop$1" is in com.acme.web and com.acme. */
export function packagesOf(classes) {
  const out = new Set();
  for (const name of classes) {
    const parts = /^([a-z_]\w*\.)+[A-Z_$]/.exec(name)?.[0].split('.') ?? [];
    for (let n = parts.length - 1; n >= 1; n--) out.add(parts.slice(0, n).join('.'));
  }
  return [...out];
}

/** A chip: what it is of, what it holds, and how it is called where it is removed. */
export function chip(name, text, remove, onRemove, title = null) {
  return h('span.filter-chip', { title }, h('b', name), ` ${text}`, h('button', { type: 'button', 'aria-label': remove, onclick: onRemove }, '\u00d7'));
}

/** The chips of a state's filters. @param onChange (the state without the one that was removed) */
export function filterChips(state, onChange, where = '') {
  return chipsOf(state).map((c) => chip(NAMES[c.key], c.text, `Remove the filter ${NAMES[c.key]} ${c.text}${where}`, () => onChange(c.without), c.title));
}

export class FilterAdder {
  /** @param options {id: of the list of suggestions, label: what the fields are called, onAdd(part of a state)} */
  constructor(options) {
    this.options = options;
    this.kind = h('select', { 'aria-label': `${options.label} by` }, ...FILTERS.map((f) => h('option', { value: f }, NAMES[f])));
    this.text = h('input', { type: 'text', 'aria-label': options.label, autocomplete: 'off', spellcheck: 'false', list: options.id });
    this.values = h('datalist', { id: options.id });
    this.stop = new AbortController();
    this.root = h('form.adder', { onsubmit: (e) => {
      e.preventDefault();
      this.add(this.kind.value, this.text.value.trim());
      this.text.value = '';
    } }, this.kind, this.text, this.values, h('button.plain', { 'aria-label': options.button ?? null }, 'Add filter'));
    this.text.addEventListener('focus', () => this.suggest());
    this.kind.addEventListener('change', () => {
      this.hint();
      this.suggest();
    });
    this.hint();
  }

  release() {
    this.stop.abort();
  }

  hint() {
    this.text.placeholder = HINTS[this.kind.value];
  }

  /** @param recording whose endpoints, labels and threads are offered @param state that filters are added to */
  update(recording, state) {
    this.recording = recording;
    this.state = state;
  }

  /** Offers what there is: endpoints, labels, threads, kinds of code, packages. */
  async suggest() {
    const { recording, state } = this;
    const kind = this.kind.value;
    const asked = `${recording.id} ${state.event} ${kind}`;
    if (this.suggested === asked) return;
    this.suggested = asked;
    let found = [];
    try {
      const query = [['event', state.event]];
      const ask = (what, more = []) => get(of(recording.id, what), [...query, ...more], this.stop.signal);
      if (kind === 'endpoint' || kind === 'label' || kind === 'process') {
        const { labels } = await ask('labels');
        found = kind === 'label' ? labels.flatMap((l) => l.values.map((v) => `${l.key}:${v.value}`)) : (labels.find((l) => l.key === kind)?.values ?? []).map((v) => v.value);
      } else if (kind === 'thread') found = (await ask('threads')).threads.map((t) => t.name);
      else if (kind === 'state') found = STATES.map(([key]) => key);
      else if (kind === 'kind') found = (await ask('table', [['by', 'kind']])).rows.map((r) => r.name);
      else if (kind === 'package') found = packagesOf((await ask('table', [['by', 'class'], ['sort', 'total'], ['rows', String(CLASSES)]])).rows.map((r) => r.name));
    } catch {
      return; // then there are no suggestions; the query itself says why
    }
    this.values.replaceChildren(...[...new Set(found)].slice(0, SUGGESTIONS).map((value) => h('option', { value })));
  }

  add(key, text) {
    if (!text) return;
    const part = { exclude_path: () => ({ [key]: [...pathsOf(this.state), text].join('\n') }), label: () => ({ labels: [...this.state.labels, text] }) }[key]?.() ?? { [key]: text };
    if (key === 'label' && !text.includes(':')) toast('A label is written key:value');
    else if (fitsQuestion({ ...this.state, ...part })) this.options.onAdd(part);
    else toast('Not added: all filters together would be more than a question may have');
  }
}
