// SPDX-License-Identifier: Apache-2.0
// Paints the cells of a heatmap, its axes and what is chosen. The canvas has the width of the window; what is scrolled out of
// sight is not painted.
import { mixColours } from '../flame/kinds.js';

export const LEFT = 58; // of the first column
export const BOTTOM = 20; // below the cells: the time axis
const TOP = 4;
const LABEL = 70; // room for a label of the time axis
const KEY = 230; // and for the key at its right, where there is one
const STEPS = 64;
const RAMPS = {
  light: { none: '#f4f3f0', stops: ['#fde7cf', '#f9b26b', '#e8590c', '#8f1d0c', '#3b0a12'], text: '#5f6368', line: '#d9d8d3', ring: '#17191c', base: '#2f6fd6' },
  dark: { none: '#1c1f24', stops: ['#4a2412', '#93390f', '#e8590c', '#ffb45c', '#fff1cf'], text: '#a2a7b0', line: '#3a3f47', ring: '#ffffff', base: '#7fb0ff' },
};

/** Colour of a share between 0 and 1 of the hottest cell. Square roots, so that what is a tenth as hot is not white. */
export function heatColour(themeName, share) {
  const { stops } = RAMPS[themeName];
  const x = Math.sqrt(Math.min(1, share)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x));
  return mixColours(stops[i], stops[i + 1], x - i);
}

/** Ticks of an axis of so many columns: every 1, 2, 5, 10 ... so that labels have room. */
function tickStep(columnNs, perLabel) {
  const nice = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400].map((s) => s * 1e9);
  return nice.find((n) => n >= perLabel && n % columnNs === 0) ?? Math.ceil(perLabel / columnNs) * columnNs;
}

export class Grid {
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.ctx = canvas.getContext('2d', { alpha: false });
    this.over = overlay.getContext('2d');
    this.setTheme('light');
  }

  setTheme(name) {
    this.theme = RAMPS[name];
    this.page = name === 'dark' ? '#14161a' : '#ffffff';
    this.ramp = Array.from({ length: STEPS }, (_, i) => heatColour(name, ((i + 1) / STEPS) ** 2));
  }

  /** Fits cells into the width where that leaves them wide enough, else columns are `least` wide and scrolled. */
  resize(layout, width, height, dpr, least) {
    this.layout = layout;
    this.width = width;
    this.height = height;
    this.rowHeight = (height - TOP - BOTTOM) / layout.rows;
    this.columnWidth = Math.min(32, Math.max(least, (width - LEFT - 8) / layout.columns));
    for (const c of [this.canvas, this.overlay]) {
      c.width = Math.max(1, Math.round(width * dpr));
      c.height = Math.max(1, Math.round(height * dpr));
      c.style.width = `${width}px`;
      c.style.height = `${height}px`;
      c.getContext('2d').setTransform(dpr, 0, 0, dpr, 0, 0);
    }
  }

  contentWidth() {
    return LEFT + this.layout.columns * this.columnWidth + 8;
  }

  columnX(column, scroll) {
    return LEFT + column * this.columnWidth - scroll;
  }

  /** Top edge of a row; row 0, the beginning of a column's time, is at the bottom. */
  rowY(row) {
    return TOP + (this.layout.rows - 1 - row) * this.rowHeight;
  }

  paint(scroll) {
    const { ctx, layout, theme } = this;
    ctx.fillStyle = this.page;
    ctx.fillRect(0, 0, this.width, this.height);
    const first = Math.max(0, Math.floor(scroll / this.columnWidth));
    const last = Math.min(layout.columns - 1, Math.ceil((scroll + this.width - LEFT) / this.columnWidth));
    const gap = this.columnWidth >= 5 ? 1 : 0;
    ctx.save();
    ctx.beginPath();
    ctx.rect(LEFT, 0, this.width - LEFT, this.height);
    ctx.clip();
    ctx.fillStyle = theme.none;
    ctx.fillRect(this.columnX(first, scroll), TOP, (last - first + 1) * this.columnWidth - gap, layout.rows * this.rowHeight);
    for (let c = first; c <= last; c++) {
      const x = this.columnX(c, scroll);
      for (let row = 0; row < layout.rows; row++) {
        const v = layout.values[c * layout.rows + row];
        if (!(v > 0)) continue;
        ctx.fillStyle = this.ramp[Math.min(STEPS - 1, Math.floor(Math.sqrt(v / layout.max) * STEPS))];
        ctx.fillRect(x, this.rowY(row), this.columnWidth - gap, this.rowHeight + 0.3);
      }
    }
    if (gap) {
      ctx.fillStyle = this.page;
      for (let c = first; c <= last; c++) ctx.fillRect(this.columnX(c + 1, scroll) - gap, TOP, gap, layout.rows * this.rowHeight);
    }
    ctx.restore();
    this.axes(first, last, scroll);
  }

  axes(first, last, scroll) {
    const { ctx, layout, theme } = this;
    const { column, cell } = layout.scale;
    ctx.fillStyle = theme.text;
    ctx.strokeStyle = theme.line;
    ctx.font = '11px ui-sans-serif, system-ui, "DejaVu Sans", sans-serif';
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'right';
    const parts = layout.rows % 5 ? 4 : 5;
    for (let i = 0; i < parts; i++) {
      const row = Math.round((i * layout.rows) / parts);
      ctx.fillText(spanText(row * cell), LEFT - 8, this.rowY(row) + this.rowHeight / 2 - (row ? 0 : 2));
    }
    ctx.textAlign = 'left';
    const step = tickStep(column, (110 / this.columnWidth) * column);
    const few = layout.columns * column < 2 * step; // then the first column is labelled, else round times
    for (let c = first; c <= last; c++) {
      const ns = (layout.firstColumn + c) * column;
      if (few ? c > 0 : ns % step >= column) continue;
      const x = this.columnX(c, scroll);
      if (x < LEFT - 1 || x > this.width - LABEL - (this.width > 600 ? KEY : 0)) continue;
      ctx.fillRect(x, this.height - BOTTOM, 1, 5);
      ctx.fillText(clockText(ns / 1e6, step < 1e9 ? 3 : 0), x + 4, this.height - BOTTOM / 2 + 1);
    }
  }

  /** The rectangles of a range of slices: whole columns as one, parts of columns as one each. */
  boxesOf(from, to, scroll) {
    const { layout } = this;
    const a = layout.cellOf(from);
    const b = layout.cellOf(to - 1) + 1;
    const out = [];
    for (let c = Math.floor(a / layout.rows); c * layout.rows < b; c++) {
      const low = Math.max(a - c * layout.rows, 0);
      const high = Math.min(b - c * layout.rows, layout.rows);
      const before = out[out.length - 1];
      if (before && before.low === low && before.high === high) before.columns++;
      else out.push({ column: c, columns: 1, low, high });
    }
    return out.map((o) => ({
      x: this.columnX(o.column, scroll),
      w: o.columns * this.columnWidth,
      y: this.rowY(o.high - 1),
      h: (o.high - o.low) * this.rowHeight,
    }));
  }

  /** Outlines the chosen range, the baseline and the cell of the keyboard; the rest is dimmed. */
  paintMarks(scroll, chosen, baseline, cursor) {
    const c = this.over;
    c.clearRect(0, 0, this.width, this.height);
    c.save();
    c.beginPath();
    c.rect(LEFT - 2, 0, this.width - LEFT + 2, this.height - BOTTOM + 4);
    c.clip();
    if (chosen) this.dimAround(scroll, chosen, baseline);
    if (baseline) this.outline(this.boxesOf(...baseline, scroll), this.theme.base, [4, 3]);
    if (chosen) this.outline(this.boxesOf(...chosen, scroll), this.theme.ring, []);
    if (cursor !== null) {
      const [b] = this.boxesOf(cursor, cursor + 1, scroll);
      c.strokeStyle = this.theme.base;
      c.lineWidth = 2;
      c.strokeRect(b.x - 2, b.y - 2, b.w + 4, b.h + 4);
    }
    c.restore();
  }

  dimAround(scroll, chosen, baseline) {
    const c = this.over;
    c.globalAlpha = 0.55;
    c.fillStyle = this.page;
    c.fillRect(LEFT, 0, this.width - LEFT, this.height - BOTTOM);
    c.globalAlpha = 1;
    for (const range of [chosen, baseline]) if (range) for (const b of this.boxesOf(...range, scroll)) c.clearRect(b.x, b.y, b.w, b.h);
  }

  outline(boxes, colour, dash) {
    const c = this.over;
    c.strokeStyle = colour;
    c.lineWidth = 1.5;
    c.setLineDash(dash);
    for (const b of boxes) c.strokeRect(b.x + 0.25, b.y + 0.25, Math.max(1, b.w - 0.5), Math.max(1, b.h - 0.5));
    c.setLineDash([]);
  }

  /** {slice, axis} at a place on the canvas: the first slice of the cell, or null; axis: on the time axis below. */
  at(x, y, scroll) {
    const { layout } = this;
    const column = Math.floor((x + scroll - LEFT) / this.columnWidth);
    const axis = y >= this.height - BOTTOM;
    const row = axis ? 0 : layout.rows - 1 - Math.floor((y - TOP) / this.rowHeight);
    const inside = column >= 0 && column < layout.columns && x >= LEFT;
    const clamp = (v, max) => Math.max(0, Math.min(max, v));
    return { cell: clamp(column, layout.columns - 1) * layout.rows + clamp(row, layout.rows - 1), axis, inside };
  }
}

/** "250 ms", "15 s", "30 min" */
export function spanText(ns) {
  if (ns === 0) return '0';
  if (ns < 1e9) return `${Math.round(ns / 1e6)} ms`;
  if (ns < 120e9) return `${+(ns / 1e9).toFixed(3)} s`;
  if (ns < 7200e9) return `${+(ns / 60e9).toFixed(1)} min`;
  return ns < 48 * 3600e9 ? `${+(ns / 3600e9).toFixed(1)} h` : `${+(ns / 86400e9).toFixed(1)} d`;
}

/** True for times that count from the system's start, as those of `perf script` do: no recording is from before 1973. */
export const sinceBoot = (ms) => ms < 1e11;

/** The day of a time in ms: "2026-11-22", or "day 3" since the system's start. */
export function dayText(ms) {
  return sinceBoot(ms) ? `day ${Math.floor(ms / 86400e3)}` : new Date(ms).toISOString().slice(0, 10);
}

/** The time of day in UTC of a time in ms since 1970; the day where it is midnight. */
export function clockText(ms, digits) {
  const iso = new Date(ms).toISOString();
  const clock = iso.slice(11, digits ? 20 + digits : 19);
  return clock === '00:00:00' ? dayText(ms) : clock;
}
