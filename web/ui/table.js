// SPDX-License-Identifier: Apache-2.0
// A table that is sorted by its heads. Rows stay where they are while figures change: the order is that of the chosen column.
import { cleanText, formatCount } from '../flame/text.js';
import { button, exchange, h } from './dom.js';

const MOST = 500; // rows at first, and with each press of the button below them

/** The order of rows by a column: texts upwards, numbers downwards, unless turned round. */
export function sortedRows(rows, column, turned) {
  const out = rows.slice();
  const sign = turned ? -1 : 1;
  out.sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    return sign * (typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : (y ?? -1) - (x ?? -1));
  });
  return out;
}

/** A column of figures, which rows have under its key. more: what else a column has. */
export function figures(key, head, format, more = {}) {
  return { key, head, value: (r) => r[key], text: (r) => format(r[key]), ...more };
}

/** A cell of a table with a bar behind its text, as wide as a share. */
export function addBar(td, share, colour) {
  if (!(share > 0)) return;
  const bar = h('span.cell-bar', { 'aria-hidden': 'true' });
  bar.style.width = `${Math.min(100, share * 100)}%`;
  if (colour) bar.style.background = colour;
  td.classList.add('barred');
  td.prepend(bar);
}

export class Table {
  /** @param {{key: string, head: string, value: (row) => number|string, text?: (row) => string|Node, all?: () => number: of
   *  which the value is a part, shown as a bar, bar?: (row) => number: another share, colour?: string, hint?: string}[]} columns
   *  @param options {caption, sort, turned, onPick(row), canPick(row): if not all can be picked, picked(row), pickLabel(row), onSort(key, turned), onMore(rows): more than
   *  update() was given are to be shown; rows: what they are, "threads"; empty} */
  constructor(columns, options) {
    this.columns = columns;
    this.options = options;
    this.sort = columns.some((c) => c.key === options.sort) ? options.sort : columns[0].key;
    this.turned = options.turned ?? false;
    this.body = h('tbody');
    this.heads = columns.map((c) => this.head(c));
    const caption = h('caption.unseen', options.caption);
    this.table = h('table.grid', caption, h('thead', h('tr', ...this.heads)), this.body);
    this.rest = h('p.table-rest', { hidden: true });
    this.most = MOST;
    this.root = h('div.table-box', { role: 'region', 'aria-label': options.caption, tabindex: '0' }, this.table, this.rest);
  }

  head(column) {
    const press = h('button', { type: 'button', title: column.hint, onclick: () => this.sortBy(column.key) }, column.head, h('i', { 'aria-hidden': 'true' }));
    return h('th', { scope: 'col' }, press);
  }

  sortBy(key) {
    this.turned = this.sort === key ? !this.turned : false;
    this.sort = key;
    this.options.onSort?.(key, this.turned);
    this.update(this.rows, this.total);
  }

  /** @param total how many there are, if not all of them are given */
  update(rows, total = rows.length) {
    this.rows = rows;
    this.total = total;
    const column = this.columns.find((c) => c.key === this.sort);
    this.columns.forEach((c, i) => {
      const on = c === column;
      if (rows[0]) this.heads[i].classList.toggle('words', typeof c.value(rows[0]) === 'string');
      const up = typeof (rows[0] && c.value(rows[0])) === 'string' ? !this.turned : this.turned;
      if (on) this.heads[i].setAttribute('aria-sort', up ? 'ascending' : 'descending');
      else this.heads[i].removeAttribute('aria-sort');
    });
    const shown = sortedRows(rows, column, this.turned).slice(0, this.most);
    this.sayRest(shown.length);
    exchange(this.body, shown.length ? shown.map((r) => this.row(r)) : h('tr', h('td', { colspan: this.columns.length }, this.options.empty ?? 'Nothing fits.')));
  }

  sayRest(shown) {
    const more = Math.min(MOST, this.total - shown);
    this.rest.hidden = more <= 0;
    const text = more <= 0 ? '' : `${formatCount(shown)} of ${formatCount(this.total)} ${this.options.rows ?? 'rows'}`;
    if (this.rest.dataset.text === text) return; // the button keeps the focus
    this.rest.dataset.text = text;
    const had = this.rest.contains(document.activeElement);
    exchange(this.rest, ...(text ? [h('span', text), button(`Show ${formatCount(more)} more`, () => this.showMore())] : []));
    if (had) this.rest.querySelector('button')?.focus({ preventScroll: true });
  }

  showMore() {
    this.most += MOST;
    if (this.most > this.rows.length && this.rows.length < this.total) this.options.onMore?.(this.most);
    else this.update(this.rows, this.total);
  }

  row(row) {
    const { canPick, picked, pickLabel } = this.options;
    const onPick = (!canPick || canPick(row)) && this.options.onPick;
    const cells = this.columns.map((c, i) => this.cell(c, row, i === 0 && onPick));
    const tr = h('tr', { class: picked?.(row) ? 'picked' : null }, ...cells);
    if (onPick) {
      const press = cells[0].querySelector('button');
      if (pickLabel) press.title = cleanText(pickLabel(row));
      if (picked) press.setAttribute('aria-pressed', String(Boolean(picked(row))));
      tr.addEventListener('click', (e) => {
        if (!e.target.closest('button, a')) onPick(row);
      });
      tr.classList.add('pickable');
    }
    return tr;
  }

  cell(column, row, onPick) {
    const text = column.text ? column.text(row) : String(column.value(row) ?? '');
    const inside = onPick ? h('button.link', { type: 'button', onclick: () => this.options.onPick(row) }, text) : text;
    const td = h(typeof column.value(row) === 'string' || onPick ? 'td.words' : 'td', {}, inside);
    addBar(td, column.all ? column.value(row) / (column.all() || 1) : column.bar?.(row), column.colour);
    return td;
  }
}
