// SPDX-License-Identifier: Apache-2.0
// The table of a comparison: methods by self and total, before and after, what changed, and whether that is more than sampling error. All
// figures are the server's, as `wick diff` has them.
import { of } from './api.js';
import { methodText } from './cpu.js';
import { h } from './dom.js';
import { weightText } from './format.js';
import { compileSearch, formatCount } from '../flame/text.js';
import { exactly } from './state.js';
import { Table } from './table.js';
import { Slot } from './view.js';

/** "+3.41": of a share, in per cent. */
function signed(share) {
  const text = Math.abs(100 * share).toFixed(2);
  return Number(text) === 0 ? '0.00' : `${share < 0 ? '\u2212' : '+'}${text}`;
}

/** What became of a sum of weights, in a word. */
export function verdictOf(sum) {
  if (!sum.real) return 'noise';
  if (!sum.samples_before) return 'new';
  if (!sum.samples_after) return 'gone';
  return sum.change > 0 ? 'grew' : 'shrank';
}

const MARKS = { noise: '\u2248', new: '\u25b2', grew: '\u25b2', shrank: '\u25bc', gone: '\u25bc' };

/** "+3.41 ± 0.20 %" with its mark, in the colour of the flame graph. */
export function changeText(sum) {
  const verdict = verdictOf(sum);
  const half = (100 * (sum.interval[1] - sum.interval[0])) / 2;
  const side = { noise: 'noise', new: 'up', grew: 'up', shrank: 'down', gone: 'down' }[verdict];
  return h(`span.change.${side}`, { title: `${verdict}; with 95 % confidence from ${signed(sum.interval[0])} to ${signed(sum.interval[1])} %` },
    h('i', { 'aria-hidden': 'true' }, MARKS[verdict]), h('span.unseen', `${verdict}: `), signed(sum.change), h('span.half', ` \u00b1 ${half.toFixed(2)} %`));
}

/** What the server is asked to sort by: its word for a column. */
const ORDERS = { verdict: 'change', name: 'name', self_before: 'self_before', self_after: 'self_after', self_change: 'self_change', total_before: 'total_before', total_after: 'total_after', total_change: 'total_change' };

export class Changes extends Slot {
  constructor() {
    super('div.changes');
    const part = (key, head, colour) => [
      { key: `${key}_before`, head: `${head} before`, hint: `${head} weight before`, value: (r) => r[key].before, text: (r) => this.weight(r[key], 'before') },
      { key: `${key}_after`, head: `${head} after`, hint: `${head} weight after`, value: (r) => r[key].after, text: (r) => this.weight(r[key], 'after'), bar: (r) => r[key].share_after, colour },
      { key: `${key}_change`, head: `${head} change`, hint: `Change in ${head.toLowerCase()} weight, in per cent of all, with half of its 95 % interval`, value: (r) => r[key].change, text: (r) => changeText(r[key]) },
    ];
    const columns = [
      { key: 'name', head: 'Method', value: (r) => r.name, text: (r) => methodText(r.name) },
      ...part('self', 'Self', 'var(--cell-self)'), ...part('total', 'Total', 'var(--cell-total)'),
      { key: 'verdict', head: 'Verdict', hint: 'What is surely changed first', value: (r) => (r.self.real ? 1e9 : 0) + Math.abs(r.self.change), text: (r) => this.verdict(r) },
    ];
    this.table = new Table(columns, {
      caption: 'Methods, before and after', sort: 'verdict', empty: 'No samples fit.', rows: 'methods',
      onSort: () => this.again(),
      onMore: () => this.again(),
      onPick: (r) => this.context.navigate({ search: this.context.state.search === exactly(r.name) ? '' : exactly(r.name), zoom: '' }),
      pickLabel: () => 'Highlight in the flame graph',
      picked: (r) => this.context.state.search === exactly(r.name),
    });
    this.sum = h('p.quiet');
    this.csv = h('a.plain.as-button', { download: true, title: 'All methods of this table as a file for spreadsheets' }, 'CSV');
    this.head = h('div.changes-head', h('h2', 'Methods'), this.sum, this.csv);
  }

  again() {
    this.update(this.context, this.query);
  }

  update(context, query) {
    this.query = query;
    const { sort, turned, most } = this.table;
    const order = [['sort', ORDERS[sort]], ...(turned ? [['turned', '1']] : [])];
    this.csv.href = `/api/v1/${of(context.recording.id, 'diff/table')}?${new URLSearchParams([...query, ...order, ['rows', '0'], ['format', 'csv']])}`;
    this.ask(context, 'diff/table', [...query, ...order, ['rows', String(this.searched(context) ? 0 : most)]]);
  }

  /** The search of the flame graph leaves methods that fit, unless it was made by a click on one of them. */
  searched({ state }) {
    return /^\^.*\$$/.test(state.search) ? null : compileSearch(state.search);
  }

  fail(e) {
    if (e.status === 404) this.root.replaceChildren(); // the flame graph says it
    else super.fail(e);
    this.shown = false;
  }

  weight(sum, side) {
    const weight = weightText(sum[side], this.unit);
    const share = `${(100 * sum[`share_${side}`]).toFixed(2)} %`;
    const samples = `${formatCount(sum[`samples_${side}`])} samples`;
    return h('span', { title: this.absolute ? `${share}, ${samples}` : samples }, this.absolute ? weight : share);
  }

  verdict(r) {
    const own = verdictOf(r.self);
    if (own !== 'noise') return own;
    const below = verdictOf(r.total);
    return below === 'noise' ? h('span.quiet', 'noise') : `${below} below`;
  }

  draw(answer, context) {
    this.absolute = answer.mode === 'absolute';
    this.unit = answer.unit === 'samples' ? 'count' : answer.unit;
    const { before, after } = answer;
    const side = (s) => `${weightText(s.weight, this.unit)} in ${formatCount(s.samples)} samples`;
    this.sum.textContent = `before ${side(before)}, after ${side(after)}${answer.partial ? ' so far' : ''}; \u2248 is within sampling error`;
    const pattern = this.searched(context);
    if (pattern) this.table.update(answer.rows.filter((r) => pattern.test.test(r.name)));
    else this.table.update(answer.rows, answer.total_rows);
    this.keep(this.head, this.table.root);
  }
}
