// SPDX-License-Identifier: Apache-2.0
// Where the weight of an event is: flame graph, one for each thread or endpoint, table of methods, one method between its callers
// and callees, threads.
import { compileSearch, formatCount, formatPercent } from '../flame/text.js';
import { button, h } from './dom.js';
import { weightText } from './format.js';
import { FlameSlot } from './flame_slot.js';
import { Groups } from './groups.js';
import { Lines } from './lines.js';
import { Sandwich } from './sandwich.js';
import { Segment } from './segment.js';
import { exactly, foldOf, queryOf } from './state.js';
import { figures, Table } from './table.js';
import { Slot } from './view.js';

const SHOWS = [['', 'Flame graph'], ['methods', 'Methods'], ['sandwich', 'Sandwich'], ['lines', 'Lines'], ['threads', 'Threads'], ['groups', 'Side by side']];

const OF_METHOD = ['sandwich', 'lines'];

/** A part of a function as compilers name it. */
const PIECE = /\.(part|constprop|isra|cold|lto_priv)\b/;

/** Whether a name can be that of a Java method. */
function isJava(name) {
  return /^[^\s:([]+\.[^\s:([.]+$/.test(name) && !PIECE.test(name);
}

/** A name whose package gives way first where there is no room. */
export function methodText(name) {
  const [, before, rest] = /^((?:[a-z_][\w$]*\.)+)([^.\s]+\..+)$/.exec(name) ?? ['', '', name];
  return before && !PIECE.test(name) ? h('span.method', h('span.package', before), h('span', rest)) : name;
}

/** A weight beside its share, as two columns of a table. */
export function weightColumns(key, head, all, unit, colour) {
  return [
    { key: `${key}_share`, head: `${head} %`, value: (r) => r[key], text: (r) => formatPercent(r[key], all()), all, colour },
    figures(key, head, (v) => weightText(v, unit())),
  ];
}

export class CpuView {
  constructor() {
    this.switch = new Segment('div.segment', 'Show as', (show) => this.context.navigate({ show, sort: '' }));
    this.place = h('div.fill');
    this.home = h('div.page-tools', this.switch.root);
    this.root = h('div.page.fill', this.home, this.place);
    this.part = null;
    this.partName = null;
  }

  release() {
    this.part?.release();
  }

  update(context) {
    const { state } = context;
    this.context = context;
    this.switch.update(SHOWS, (show) => show === state.show);
    const asked = SHOWS.some(([show]) => show === state.show) ? state.show : '';
    const name = OF_METHOD.includes(asked) && !state.focus ? 'methods' : asked; // of which method, the list asks
    if (name !== this.partName) {
      this.part?.release();
      this.part = this.make(name);
      this.partName = name;
      this.place.replaceChildren(this.part.root);
    }
    if (name) this.part.update(context);
    else this.part.ask(context, 'flame', [...queryOf(state), ...foldOf(state)]);
  }

  make(name) {
    if (name === 'methods') return new Methods();
    if (name === 'threads') return new Threads();
    if (name === 'lines') return new Lines();
    if (name === 'groups') return new Groups(this.switch.root, this.home);
    return name === 'sandwich' ? new Sandwich(this.switch.root, this.home) : new FlameSlot(this.switch.root, this.home);
  }
}

const METHODS_BY = { name: 'name', self: 'self', self_share: 'self', total: 'total', total_share: 'total', sandwich: 'total' };

/** What to ask for to fill a table of methods: the heaviest by the column that it is sorted by, or all of them where the server has
 *  no such order, and where one is to be found among all. */
export function methodsAsked({ sort, turned, most }, search) {
  const by = METHODS_BY[sort];
  return { rows: search || turned || !by ? 0 : most, by: by ?? 'self' };
}

/** Methods by self and total; a click shows where they are in the flame graph, or what calls them and what they call. */
class Methods extends Slot {
  constructor() {
    super('div.scrolls');
    this.whole = { weight: 0, unit: 'ns' };
    const columns = [
      { key: 'name', head: 'Method', value: (r) => r.name, text: (r) => methodText(r.name) },
      ...weightColumns('self', 'Self', () => this.whole.weight, () => this.whole.unit, 'var(--cell-self)'),
      ...weightColumns('total', 'Total', () => this.whole.weight, () => this.whole.unit, 'var(--cell-total)'),
      figures('self_samples', 'Samples', formatCount),
      { key: 'sandwich', head: 'Details', value: (r) => r.total, text: (r) => h('span.row-tools', this.way('Callers, callees', 'sandwich', r), isJava(r.name) ? this.way('Lines', 'lines', r) : null) },
    ];
    this.table = new Table(columns, {
      caption: 'Methods by weight', sort: 'self_share', empty: 'No samples fit the filters.', rows: 'methods',
      onSort: () => this.update(this.context),
      onMore: () => this.update(this.context),
      onPick: (r) => this.context.navigate(OF_METHOD.includes(this.context.state.show) ? { focus: r.name, zoom: '' } : { show: '', search: exactly(r.name), leaf: false, zoom: '' }),
      pickLabel: () => ({ sandwich: 'Show its callers and callees', lines: 'Show its lines' }[this.context.state.show] ?? 'Show in the flame graph'),
    });
  }

  /** A button of a row that shows more of its method. */
  way(text, show, { name }) {
    return button(text, () => this.context.navigate({ show, focus: name, zoom: '' }), { 'aria-label': `${text} of ${name}` });
  }

  update(context) {
    const { rows, by } = methodsAsked(this.table, context.state.search);
    this.ask(context, 'table', [...queryOf(context.state), ['rows', String(rows)], ['by', 'method'], ['sort', by]]);
  }

  draw(answer, context) {
    this.whole = answer;
    const pattern = compileSearch(context.state.search);
    if (pattern) this.table.update(answer.rows.filter((r) => pattern.test.test(r.name)));
    else this.table.update(answer.rows, answer.total_rows);
    this.keep(this.table.root);
  }
}

class Threads extends Slot {
  constructor() {
    super('div.scrolls');
    this.whole = { weight: 0, unit: 'ns' };
    const columns = [
      { key: 'name', head: 'Thread', value: (r) => r.name || '[no name]' },
      ...weightColumns('weight', 'Weight', () => this.whole.weight, () => this.whole.unit, 'var(--cell-total)'),
      figures('samples', 'Samples', formatCount),
      figures('tid', 'Thread id', (tid) => (tid ? String(tid) : '\u2013')),
    ];
    this.table = new Table(columns, {
      caption: 'Threads by weight', sort: 'weight_share', empty: 'No samples fit the filters.', rows: 'threads',
      onSort: () => this.update(this.context),
      onMore: () => this.update(this.context),
      onPick: (r) => this.context.navigate({ show: '', thread: exactly(r.name), zoom: '' }),
      pickLabel: () => 'Show the flame graph of this thread',
      picked: (r) => this.context.state.thread === exactly(r.name),
    });
  }

  update(context) {
    const { sort, turned, most } = this.table;
    const rows = turned || !sort.startsWith('weight') ? 0 : most; // the server has them by weight
    this.ask(context, 'threads', [...queryOf(context.state), ['rows', String(rows)]]);
  }

  draw(answer) {
    this.whole = answer;
    this.table.update(answer.threads, answer.total);
    this.keep(this.table.root);
  }
}
