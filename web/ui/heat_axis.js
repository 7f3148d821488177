// SPDX-License-Identifier: Apache-2.0
// The time axis as a heatmap: a column for each second, in it a cell for each 20 ms, or longer ones. What comes back every second is a
// horizontal line, what happens once a spot; a single cell can be chosen.
//
// Cells are numbered in the order of time, column by column. The server has added them up (GET .../heat); the painter is that of
// the page of `wick heatmap`.
import { Grid, heatColour, spanText } from '../heat/grid.js';
import { formatPercent } from '../flame/text.js';
import { asTable, choosing, h, isModified, say, take, watchSize } from './dom.js';
import { clockOf, weightText } from './format.js';
import { Segment } from './segment.js';
import { figures, Table } from './table.js';

const LEAST_COLUMN = 3;
const MOST_COLUMNS = 4096; // that the server gives
const MOST_ROWS = 500; // of the table
const INSIDE_NS = 512; // times of today are multiples of 256 ns in a number of a script; a range must not touch the cell beside it

/** "30 s", "1 min", "6 h" */
const lengthText = (ns) => ({ 60e9: '1 min', 3600e9: '1 h', 86400e9: '1 d' })[ns] ?? spanText(ns);

/** The cells of an answer as the painter takes them. */
export class Cells {
  constructor(answer) {
    this.answer = answer;
    this.rows = answer.rows;
    this.columns = answer.columns;
    this.values = answer.values;
    this.max = answer.p99;
    this.scale = { cell: answer.cell_ns, column: answer.column_ns };
    this.firstColumn = Math.round(answer.start_ns / answer.column_ns);
  }

  get count() {
    return this.rows * this.columns;
  }

  cellOf(cell) {
    return cell;
  }

  /** When a cell begins. */
  timeOf(cell) {
    return this.answer.start_ns + cell * this.answer.cell_ns;
  }

  /** The cells that a range of time touches, null for none. */
  cellsOf(from, to) {
    const at = (ns) => (ns - this.answer.start_ns) / this.answer.cell_ns;
    const [a, b] = [Math.max(0, Math.floor(at(from))), Math.min(this.count, Math.ceil(at(to)))];
    return to > from && b > a ? [a, b] : null;
  }

  /** The range of time of cells. */
  rangeOf([a, b]) {
    return [this.timeOf(a) + INSIDE_NS, this.timeOf(b) - INSIDE_NS];
  }

  sum(a, b) {
    let all = 0;
    for (let i = a; i < b; i++) all += this.values[i];
    return all;
  }
}

/** A row for each column that has weight: [{start, end, weight, hottest: {at, weight}}], cells. */
export function columnRows(cells) {
  const out = [];
  for (let c = 0; c < cells.columns; c++) {
    const first = c * cells.rows;
    let best = first;
    for (let i = first; i < first + cells.rows; i++) if (cells.values[i] > cells.values[best]) best = i;
    const weight = cells.sum(first, first + cells.rows);
    if (weight > 0) out.push({ start: first, end: first + cells.rows, weight, hottest: best });
  }
  return out;
}

export class HeatAxis {
  /** @param hooks {onRange(from, to), onScale(column_ns)} */
  constructor(hooks) {
    this.hooks = hooks;
    this.cells = null;
    this.range = null;
    this.cursor = 0;
    this.anchor = 0;
    const [canvas, marks] = [h('canvas', { 'aria-hidden': 'true' }), h('canvas', { 'aria-hidden': 'true' })];
    this.spacer = h('div.heat-spacer', h('div.heat-stage', canvas, marks));
    this.box = h('div.heat-box', { tabindex: '0', role: 'application', 'aria-roledescription': 'heatmap',
      'aria-label': 'Weight by time: columns go from left to right, each from bottom to top. Arrow keys move to a cell, with Shift they choose, Enter takes the cell or what is chosen, Escape clears the choice.' }, this.spacer);
    this.note = h('p.series-note');
    this.scales = new Segment('div.segment.small', 'Time of a column', (ns) => this.hooks.onScale(ns));
    this.ramp = h('i');
    this.least = h('span');
    this.key = h('div.heat-ramp', { 'aria-hidden': 'true' }, h('span', '0'), this.ramp, this.least);
    this.head = h('div.axis-head', this.key, this.note, this.scales.root);
    this.makeTable();
    this.root = h('section.axis.heat-axis', { 'aria-label': 'Heatmap of time' }, this.head, this.box, this.details);
    this.grid = new Grid(canvas, marks);
    this.bind();
    this.resizes = watchSize(this.box, () => this.resize());
  }

  makeTable() {
    this.table = new Table([
      figures('start', 'From, UTC', (start) => this.clock(start)),
      figures('weight', 'Weight', (v) => weightText(v, this.cells.answer.unit), { all: () => this.most }),
      { key: 'hottest', head: 'Hottest cell', value: (r) => this.cells.values[r.hottest], text: (r) => `${this.clock(r.hottest)}, ${weightText(this.cells.values[r.hottest], this.cells.answer.unit)}` },
    ], {
      caption: 'Weight by time', sort: 'weight', empty: 'No samples.',
      onPick: (r) => this.choose([r.start, r.end]), pickLabel: () => 'Choose this time',
    });
    this.details = asTable(this.table, () => this.drawTable());
  }

  release() {
    this.resizes.disconnect();
  }

  /** How many columns there is room for. */
  get room() {
    return Math.min(MOST_COLUMNS, Math.max(20, Math.floor(((this.box.clientWidth || 900) - 66) / LEAST_COLUMN)));
  }

  update(answer, [from, to], theme) {
    if (this.cells?.answer !== answer) {
      this.cells = new Cells(answer);
      this.cursor = this.anchor = Math.min(this.cursor, Math.max(0, this.cells.count - 1));
    }
    this.range = this.cells.cellsOf(from, to);
    this.grid.setTheme(theme);
    this.ramp.style.background = `linear-gradient(to right, ${[0, 0.04, 0.16, 0.36, 0.64, 1].map((x) => heatColour(theme, x)).join(', ')})`;
    this.least.textContent = `${answer.max > answer.p99 ? 'from ' : ''}${weightText(answer.p99, answer.unit)} in ${spanText(answer.cell_ns)}`;
    this.scales.update(answer.scales.map((s) => [s.column_ns, lengthText(s.column_ns), `A column is ${lengthText(s.column_ns)}, a cell ${lengthText(s.cell_ns)}`]),
      (ns) => ns === answer.column_ns);
    this.resize();
    this.drawTable();
  }

  resize() {
    if (!this.cells || !this.box.clientWidth) return;
    this.grid.resize(this.cells, this.box.clientWidth, this.box.clientHeight, window.devicePixelRatio || 1, LEAST_COLUMN);
    this.spacer.style.width = `${this.grid.contentWidth()}px`;
    this.paint();
  }

  get scroll() {
    return this.box.scrollLeft;
  }

  paint() {
    this.grid.paint(this.scroll);
    this.paintMarks();
  }

  paintMarks(range = this.range) {
    if (!this.cells) return;
    const focused = document.activeElement === this.box;
    this.grid.paintMarks(this.scroll, range, null, focused ? this.cursor : null);
    const all = range ?? [0, this.cells.count];
    this.note.textContent = `${range ? '' : 'all: '}${this.describe(...all)}`;
  }

  drawTable() {
    if (!this.cells || !this.details.open) return;
    const rows = columnRows(this.cells).sort((a, b) => b.weight - a.weight).slice(0, MOST_ROWS);
    this.most = rows[0]?.weight ?? 1;
    this.table.update(rows);
  }

  clock(cell) {
    return clockOf(this.cells.timeOf(cell) + 1e3, this.cells.answer.cell_ns < 1e9 ? 1 : Infinity);
  }

  describe(a, b) {
    const { answer } = this.cells;
    const weight = this.cells.sum(a, b);
    return `${this.clock(a)} to ${this.clock(b)}, ${spanText((b - a) * answer.cell_ns)}: ${weightText(weight, answer.unit)} (${formatPercent(weight, this.cells.sum(0, this.cells.count))})`;
  }

  choose(cells) {
    if (!cells) this.hooks.onRange(0, 0);
    else this.hooks.onRange(...this.cells.rangeOf(cells));
  }

  /** The cells between two places; whole columns if the first is on the axis below. */
  between(a, b) {
    let [low, high] = a.cell < b.cell ? [a.cell, b.cell] : [b.cell, a.cell];
    if (a.axis) {
      low -= low % this.cells.rows;
      high += this.cells.rows - 1 - (high % this.cells.rows);
    }
    return [low, high + 1];
  }

  bind() {
    this.box.addEventListener('scroll', () => this.cells && this.paint());
    this.box.addEventListener('focus', () => this.paintMarks());
    this.box.addEventListener('blur', () => this.paintMarks());
    this.box.addEventListener('keydown', (e) => this.onKey(e));
    this.bindPointer();
  }

  bindPointer() {
    choosing(this.box, {
      ready: () => this.cells,
      place: (e) => {
        const r = this.box.getBoundingClientRect();
        return this.grid.at(e.clientX - r.left, e.clientY - r.top, this.scroll);
      },
      drag: (first, at) => this.paintMarks(this.between(first, at)),
      drop: (first, at) => {
        const cells = this.between(first, at);
        const same = this.range && cells[0] === this.range[0] && cells[1] === this.range[1];
        this.cursor = this.anchor = cells[0];
        this.choose(same ? null : cells); // a second click on what is chosen clears it
      },
      hover: (at) => {
        if (at.inside && !at.axis) this.note.textContent = this.describe(at.cell, at.cell + 1);
      },
      rest: () => this.paintMarks(),
    });
  }

  onKey(e) {
    if (!this.cells || isModified(e)) return;
    const { rows, count } = this.cells;
    const steps = { ArrowLeft: -rows, ArrowRight: rows, ArrowUp: 1, ArrowDown: -1, PageUp: -10 * rows, PageDown: 10 * rows, Home: -count, End: count };
    if (e.key in steps) {
      this.cursor = Math.min(count - 1, Math.max(0, this.cursor + steps[e.key]));
      if (!e.shiftKey) this.anchor = this.cursor;
      this.reveal();
      this.paintMarks(e.shiftKey ? this.between({ cell: this.anchor }, { cell: this.cursor }) : this.range);
      say(this.describe(...this.between({ cell: this.anchor }, { cell: this.cursor })));
    } else if (e.key === 'Enter') this.choose(this.between({ cell: this.anchor }, { cell: this.cursor }));
    else if (e.key === 'Escape' && this.range) this.choose(null);
    else return;
    take(e);
  }

  /** Scrolls until the cursor's column is in sight. */
  reveal() {
    const x = this.grid.columnX(Math.floor(this.cursor / this.cells.rows), this.scroll);
    if (x < 60 || x > this.box.clientWidth - 30) this.box.scrollLeft += x - this.box.clientWidth / 2;
  }
}
