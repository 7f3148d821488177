// SPDX-License-Identifier: Apache-2.0
// Where in a method its weight is: line by line, with the text where `wick ui --source` has it.
import { formatPercent } from '../flame/text.js';
import { commandLine, exchange, h } from './dom.js';
import { weightText } from './format.js';
import { queryOf } from './state.js';
import { addBar } from './table.js';
import { Slot } from './view.js';

/** The rows to show: all lines of the text, or those that have weight. [{line, self, total, text}] */
export function lineRows(answer) {
  const of = new Map(answer.lines.map((l) => [l.line, l]));
  const { source } = answer;
  if (!source) return answer.lines.map((l) => ({ ...l, text: null }));
  const unknown = of.has(0) ? [{ ...of.get(0), text: null }] : [];
  const behind = answer.lines.filter((l) => l.line >= source.first + source.text.length).map((l) => ({ ...l, text: null })); // of an older file, or far away
  return [...unknown, ...source.text.map((text, i) => ({ line: source.first + i, self: 0, total: 0, ...of.get(source.first + i), text })), ...behind];
}

export class Lines extends Slot {
  constructor() {
    super('div.fill.lines');
  }

  update(context) {
    this.ask(context, 'lines', [...queryOf(context.state), ['method', context.state.focus]]);
  }

  draw(answer, context) {
    if (this.drawn === answer) return;
    const first = !this.drawn || this.drawn.method !== answer.method;
    this.drawn = answer;
    const rows = lineRows(answer);
    const heaviest = rows.reduce((best, r) => (r.total > (best?.total ?? 0) ? r : best), null);
    const most = Math.max(1, heaviest?.total ?? 0);
    const cell = (v, colour) => {
      const td = h('td', { title: v > 0 ? weightText(v, answer.unit) : null }, v > 0 ? formatPercent(v, answer.weight) : '');
      addBar(td, v / most, colour);
      return td;
    };
    const body = rows.map((r) => h('tr', { class: r.total > 0 ? 'weighs' : null, 'data-line': r.line }, cell(r.self, 'var(--cell-self)'), cell(r.total, 'var(--cell-total)'),
      h('th', { scope: 'row' }, r.line || '?'), h('td.text', r.text === null ? h('span.quiet', r.line ? (answer.source ? 'not shown, or not in this file' : '') : 'line not known') : h('code', r.text))));
    const where = answer.source?.text.length ? h('p.quiet', `${answer.source.path}, lines ${answer.source.first} to ${answer.source.first + answer.source.text.length - 1}`) : this.missing(answer, context);
    const top = this.root.querySelector('.table-box')?.scrollTop ?? 0;
    exchange(this.root, h('div.lines-head', h('h2', answer.method), where),
      h('div.table-box', { role: 'region', 'aria-label': 'Lines', tabindex: '0' }, h('table.grid.lines-table', h('caption.unseen', `Weight of ${answer.method} by line`),
        h('thead', h('tr', h('th', { scope: 'col', title: 'Samples that ended in the line' }, 'Self'), h('th', { scope: 'col', title: 'With what the line calls' }, 'Total'), h('th', { scope: 'col' }, 'Line'), h('th.text', { scope: 'col' }, 'Text'))),
        h('tbody', ...body))));
    if (!first) this.root.querySelector('.table-box').scrollTop = top;
    else if (heaviest) this.root.querySelector(`tr[data-line="${heaviest.line}"]`)?.scrollIntoView({ block: 'center' });
  }

  missing(answer, context) {
    if (!answer.wanted) return h('p.quiet', 'This class is not of a source file.');
    return h('div', h('p.quiet', `For the text of these lines, start wick with the folder that has ${answer.wanted}.java, or another language\u2019s file of this name:`), commandLine(`wick ui --source DIR ${context.recording.path}`));
  }
}
