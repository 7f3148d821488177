// SPDX-License-Identifier: Apache-2.0
// Latency over time as a density: how many requests began when and took how long, hotter for more, with the median and the 99th
// percentile. What percentiles hide is visible: two levels, a queue that builds up and drains, a request every minute.
//
// A choice is a rectangle of cells, by mouse (a click or a drag) or keyboard, and is a range of time and one of latency: "from-to-least-most".
import { heatColour } from '../heat/grid.js';
import { formatCount } from '../flame/text.js';
import { svg, time } from '../spans/common.js';
import { asTable, choosing, h, isModified, say, take, watchSize } from './dom.js';
import { clockOf } from './format.js';
import { BOTTOM, drawClock, LEFT, RIGHT, scaleLine, TOP } from './series.js';
import { figures, Table } from './table.js';

// So many requests in a cell, or more, have the hottest colour.
const DARKEST = 8;

/** "from-to-least-most" as text, since numbers of today's times are exact to 256 ns only; null if it is none. */
export function parsePick(text) {
  const m = /^(\d{1,19})-(\d{1,19})-(\d{1,19})-(\d{1,19})$/.exec(text ?? '');
  const [from, to, least, most] = m ? m.slice(1).map(BigInt) : [];
  return m && to > from && most > least ? { from: m[1], to: m[2], least: m[3], most: m[4] } : null;
}

export const formatPick = (p) => [p.from, p.to, p.least, p.most].join('-');

/** The cells of an answer: time and latency to columns and rows, and back. */
export class Bands {
  constructor(answer) {
    this.answer = answer;
    this.edges = answer.edges_ns;
    this.low = Math.max(1, this.edges[0]);
    this.high = Math.max(this.low * 1.001, this.edges[this.edges.length - 1]);
    this.most = answer.columns.reduce((m, c) => c.counts.reduce((a, b) => Math.max(a, b), m), 0);
  }

  /** Where a latency lies, 0 at the bottom and 1 at the top. */
  share(ns) {
    return Math.min(1, Math.max(0, Math.log(Math.max(ns, 1) / this.low) / Math.log(this.high / this.low)));
  }

  timeOf(column) {
    return this.answer.start_ns + column * this.answer.column_ns;
  }

  /** The choice of a rectangle of cells [column, column) x [row, row). */
  pickOf({ columns: [a, b], rows: [low, high] }) {
    return { from: this.edgeOf(a), to: this.edgeOf(b), least: String(this.edges[low]), most: String(this.edges[high]) };
  }

  /** Where a column begins, exactly: columns begin at multiples of their length. */
  edgeOf(column) {
    const { start_ns, column_ns } = this.answer;
    return String((BigInt(Math.round(start_ns / column_ns)) + BigInt(column)) * BigInt(column_ns));
  }

  /** The rectangle of a choice, null where nothing of it is in the picture. */
  rectOf(pick) {
    if (!pick) return null;
    const column = (ns) => (Number(ns) - this.answer.start_ns) / this.answer.column_ns;
    // Of a column: numbers of times are not exact.
    const near = 1e-3;
    const columns = [Math.max(0, Math.floor(column(pick.from) + near)), Math.min(this.answer.columns.length, Math.ceil(column(pick.to) - near))];
    const first = this.edges.findIndex((e, i) => i === this.edges.length - 1 || this.edges[i + 1] > Number(pick.least));
    const last = this.edges.findIndex((e) => e >= Number(pick.most));
    const rows = [Math.min(first, this.answer.rows - 1), last < 0 ? this.answer.rows : last];
    return columns[1] > columns[0] && rows[1] > rows[0] ? { columns, rows } : null;
  }

  count({ columns: [a, b], rows: [low, high] }) {
    let all = 0;
    for (let c = a; c < b; c++) for (let r = low; r < high; r++) all += this.answer.columns[c].counts[r] ?? 0;
    return all;
  }

  colour(theme, count) {
    const share = Math.log1p(count) / Math.log1p(Math.max(DARKEST, this.most));
    return heatColour(theme, share ** 2);
  }

  /** Round latencies for the labels of an axis of so many pixels. */
  ticks(height) {
    const out = [];
    for (let power = 10 ** Math.floor(Math.log10(this.low)); power <= this.high; power *= 10) for (const f of [1, 2, 5]) if (f * power >= this.low && f * power <= this.high) out.push(f * power);
    const room = Math.floor(height / 22);
    return out.length > room ? out.filter((v) => Number.isInteger(Math.round(Math.log10(v) * 1e6) / 1e6)) : out;
  }
}

const clamp = (v, n) => Math.min(n - 1, Math.max(0, v));
const span = (a, b) => ({ low: Math.min(a, b), high: Math.max(a, b) + 1 });

/** The rectangle between two cells. */
export function between(a, b) {
  const [x, y] = [span(a.column, b.column), span(a.row, b.row)];
  return { columns: [x.low, x.high], rows: [y.low, y.high] };
}

export class Density {
  /** @param onPick (choice or null, how many requests it has) */
  constructor(onPick) {
    this.onPick = onPick;
    this.bands = null;
    this.cursor = { column: 0, row: 0 };
    this.anchor = null;
    this.picture = svg('svg', { class: 'density', tabindex: '0', role: 'application', 'aria-roledescription': 'density of latency',
      'aria-label': 'Latency over time: columns are time, rows are latency. Arrow keys move to a cell, with Shift they choose, Enter shows the traces of the cell or of what is chosen, Escape clears the choice.' });
    this.note = h('p.series-note');
    this.makeTable();
    const line = (key, text) => h('span', h(`i.line.${key}`), text);
    this.root = h('div.density-box', h('div.axis-head', h('div.legend', line('p99', '99th percentile'), line('p50', 'median'), h('span', h('i.swatch.key-density'), 'requests, hotter for more')), this.note), this.picture, this.details);
    this.bind();
    this.resizes = watchSize(this.picture, () => this.draw());
  }

  makeTable() {
    this.table = new Table([
      figures('column', 'From, UTC', (column) => this.clock(column)), figures('count', 'Requests', formatCount),
      figures('p50_ns', 'Median', time), figures('p99_ns', 'p99', time), figures('max_ns', 'Longest', time),
    ], {
      caption: 'Latency by time', sort: 'max_ns', empty: 'No requests.', pickLabel: () => 'Show the traces of this time',
      onPick: (r) => this.pick({ columns: [r.column, r.column + 1], rows: [0, this.bands.answer.rows] }),
    });
    this.details = asTable(this.table, () => this.drawTable());
  }

  release() {
    this.resizes.disconnect();
  }

  update(answer, pick, theme) {
    if (this.bands?.answer !== answer) {
      this.bands = new Bands(answer);
      const inside = (cell) => ({ column: clamp(cell.column, answer.columns.length), row: clamp(cell.row, answer.rows) });
      this.cursor = inside(this.cursor);
      this.anchor &&= inside(this.anchor);
    }
    this.chosen = this.bands.rectOf(pick);
    this.theme = theme;
    this.draw();
    this.drawTable();
  }

  drawTable() {
    if (this.bands && this.details.open) this.table.update(this.bands.answer.columns.map((c, column) => ({ ...c, column })).filter((c) => c.count));
  }

  clock(column) {
    return clockOf(this.bands.timeOf(column) + 1e3, this.bands.answer.column_ns < 1e9 ? 1 : Infinity);
  }

  x(column) {
    return LEFT + ((this.width - LEFT - RIGHT) * column) / this.bands.answer.columns.length;
  }

  y(ns) {
    return this.height - BOTTOM - (this.height - TOP - BOTTOM) * this.bands.share(ns);
  }

  draw() {
    const { width, height } = this.picture.getBoundingClientRect();
    if (!this.bands?.answer.count || width < 10) return;
    this.width = width;
    this.height = height;
    this.picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.picture.replaceChildren();
    this.drawScales();
    this.drawCells();
    this.drawLine('p99');
    this.drawLine('p50');
    this.marks = svg('g', { class: 'brush' });
    this.picture.append(this.marks);
    this.drawMarks();
  }

  drawScales() {
    for (const ns of this.bands.ticks(this.height - TOP - BOTTOM)) scaleLine(this.picture, this.width, this.y(ns), time(ns));
    const { start_ns, column_ns, columns } = this.bands.answer;
    drawClock(this.picture, this, [start_ns, start_ns + columns.length * column_ns], (t) => this.x((t - start_ns) / column_ns));
  }

  drawCells() {
    this.bands.answer.columns.forEach((c, column) => {
      const [a, b] = [this.x(column), this.x(column + 1)];
      c.counts.forEach((count, row) => {
        if (!count) return;
        const top = this.y(this.bands.edges[row + 1]);
        this.picture.append(svg('rect', { x: a, y: top, width: Math.max(2, b - a - (b - a > 4 ? 1 : 0)), height: Math.max(2, this.y(this.bands.edges[row]) - top - 0.5), class: 'cell',
          colour: this.bands.colour(this.theme, count) }));
      });
    });
  }

  /** A step for each column that has requests. */
  drawLine(key) {
    let path = '';
    let on = false;
    this.bands.answer.columns.forEach((c, column) => {
      if (c.count) path += `${on ? 'L' : 'M'}${this.x(column).toFixed(1)} ${this.y(c[`${key}_ns`]).toFixed(1)}H${this.x(column + 1).toFixed(1)}`;
      on = c.count > 0;
    });
    this.picture.append(svg('path', { d: path, class: `line ${key}` }));
  }

  box({ columns: [a, b], rows: [low, high] }) {
    const [top, bottom] = [this.y(this.bands.edges[high]), this.y(this.bands.edges[low])];
    return { x: this.x(a), width: Math.max(2, this.x(b) - this.x(a)), y: top, height: Math.max(2, bottom - top) };
  }

  drawMarks(rect = this.anchor ? between(this.anchor, this.cursor) : this.chosen) {
    if (!this.marks) return;
    this.marks.replaceChildren();
    if (rect) this.marks.append(svg('rect', { ...this.box(rect), class: 'chosen' }));
    if (document.activeElement === this.picture) this.marks.append(svg('rect', { ...this.box(between(this.cursor, this.cursor)), class: 'cursor' }));
    this.note.textContent = rect ? this.describe(rect) : `${formatCount(this.bands.answer.count)} requests; click a cell for its traces`;
  }

  describe(rect) {
    const p = this.bands.pickOf(rect);
    const n = this.bands.count(rect);
    return `${this.clock(rect.columns[0])} to ${this.clock(rect.columns[1])}, ${time(Number(p.least))} to ${time(Number(p.most))}: ${formatCount(n)} ${n === 1 ? 'request' : 'requests'}`;
  }

  pick(rect) {
    const n = rect ? this.bands.count(rect) : 0;
    this.onPick(n ? this.bands.pickOf(rect) : null, n);
  }

  cellAt(e) {
    const r = this.picture.getBoundingClientRect();
    const { answer, edges } = this.bands;
    const column = Math.floor(((e.clientX - r.left - LEFT) * answer.columns.length) / (this.width - LEFT - RIGHT));
    const row = edges.findIndex((edge, i) => i > 0 && this.y(edge) <= e.clientY - r.top) - 1;
    const inside = column >= 0 && column < answer.columns.length && e.clientY - r.top < this.height - BOTTOM;
    return { inside, column: Math.min(answer.columns.length - 1, Math.max(0, column)), row: row < 0 ? answer.rows - 1 : row };
  }

  bind() {
    const area = this.picture;
    choosing(area, {
      ready: () => this.bands?.answer.count,
      place: (e) => this.cellAt(e),
      drag: (first, at) => this.drawMarks(between(first, at)),
      drop: (first, at) => {
        this.cursor = { column: first.column, row: first.row };
        this.anchor = null;
        this.pick(between(first, at));
      },
      hover: (at) => {
        if (at.inside) this.note.textContent = this.describe(between(at, at));
      },
      rest: () => this.drawMarks(),
    });
    area.addEventListener('keydown', (e) => this.onKey(e));
    for (const what of ['focus', 'blur']) {
      area.addEventListener(what, () => {
        this.anchor = null;
        if (this.bands) this.drawMarks();
      });
    }
  }

  onKey(e) {
    if (!this.bands?.answer.count || isModified(e)) return;
    const { columns, rows } = this.bands.answer;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], PageUp: [-10, 0], PageDown: [10, 0], Home: [-columns.length, 0], End: [columns.length, 0] }[e.key];
    if (step) {
      if (e.shiftKey) this.anchor ??= this.cursor;
      else this.anchor = null;
      this.cursor = { column: clamp(this.cursor.column + step[0], columns.length), row: clamp(this.cursor.row + step[1], rows) };
      this.drawMarks();
      say(this.describe(between(this.anchor ?? this.cursor, this.cursor)));
    } else if (e.key === 'Enter' || (e.key === 'Escape' && this.chosen)) {
      const rect = e.key === 'Enter' ? between(this.anchor ?? this.cursor, this.cursor) : null;
      this.anchor = null;
      this.pick(rect);
    } else return;
    take(e);
  }
}
