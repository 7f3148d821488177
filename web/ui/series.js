// SPDX-License-Identifier: Apache-2.0
// Weight over time, stacked, with a brush: the time axis that all views of a recording share.
//
// The picture is one SVG path for each stacked value, in steps, because a bin is an interval and not a point. The brush is a
// pair of times. The keyboard also has it: arrows move a cursor, Shift extends, Enter takes, Escape lets go; and a table of the totals
// stands beside it for those who do not see it.
import { KINDS, KIND_ORDER } from '../flame/kinds.js';
import { formatPercent } from '../flame/text.js';
import { svg } from '../spans/common.js';
import { choosing, h, isModified, say, swatch, take, watchSize } from './dom.js';
import { clockOf, durationOf, timeStep, weightText } from './format.js';

export const LEFT = 64;
export const RIGHT = 12;
export const TOP = 8;
export const BOTTOM = 20;
const LEAST_DRAG = 4;

/** States of threads as recordings name them (src/def/thread_state.def, without STATE_), in the order in which they are stacked: what has
 *  a CPU or lacks one below, what waits for something above. */
export const STATES = [
  ['RUNNABLE', 'on CPU', 'cpu'], ['WAITING_FOR_CPU', 'waiting for CPU', 'wait'],
  ['WAITING_FOR_CARRIER', 'waiting for a carrier', 'held'],
  ['BLOCKED_ON_MONITOR_ENTER', 'monitor', 'monitor'], ['SAFEPOINT', 'safepoint', 'held'],
  ['ALLOCATION_STALL', 'allocation stall', 'stall'], ['DISK_WAIT', 'file', 'disk'], ['IO_WAIT', 'I/O', 'series-3'],
  ['HELD_BACK', 'held back', 'series-2'],
  ['NATIVE_WAIT', 'native wait', 'cell-self'], ['IN_OBJECT_WAIT', 'Object.wait', 'cell-total'], ['PARKED', 'parked', 'blocked'],
  ['SLEEPING', 'asleep', 'span'], ['DEFAULT', 'on CPU', 'cpu'],
].map(([key, name, colour]) => [key, name, `var(--${colour})`]);

const plainOf = (name) => name.toLowerCase().replace(/_/g, ' ');
// Names of frame types that JFR has fixed.
const ALIAS = { 'JIT compiled': 'C2', 'C1 compiled': 'C1' };
const kindOfSeries = (name) => KIND_ORDER.findIndex((id) => [KINDS[id].label, KINDS[id].long, KINDS[id].key].some((t) => plainOf(t) === plainOf(ALIAS[name] ?? name)));
export const stateOf = (name) => STATES.findIndex(([key]) => name === key || name === `STATE_${key}`);

/** What a stacked value is called. */
export function seriesName(by, name) {
  if (by === 'kind') return KINDS[KIND_ORDER[kindOfSeries(name)]]?.label ?? name;
  return by === 'state' ? STATES[stateOf(name)]?.[1] ?? name : name;
}

/** The colour of a stacked value: of its kind of code, of its state, or the next of five. */
export function seriesColour(by, name, index, theme) {
  const at = by === 'kind' ? kindOfSeries(name) : by === 'state' ? stateOf(name) : -1;
  if (at >= 0) return by === 'kind' ? KINDS[KIND_ORDER[at]][theme] : STATES[at][2];
  return name === 'other' ? 'var(--press)' : `var(--series-${(index % 5) + 1})`;
}

/** The order of stacked values: that of kinds and states, so that colours keep their places in live pictures. */
export function stackOrder(by, series) {
  const place = by === 'kind' ? kindOfSeries : stateOf;
  const at = (s) => (place(s.name) < 0 ? Infinity : place(s.name));
  return by === 'kind' || by === 'state' ? series.slice().sort((a, b) => (at(a) === at(b) ? 0 : at(a) - at(b))) : series;
}

/** A round figure, 1, 2 or 5 times a power of ten (of two for bytes), that is not below v. */
export function roundTop(v, unit) {
  if (unit === 'bytes') return 2 ** Math.ceil(Math.log2(Math.max(v, 1)));
  const power = 10 ** Math.floor(Math.log10(Math.max(v, 1)));
  return [1, 2, 5, 10].map((f) => f * power).find((x) => x >= v);
}

/** What the scale has to hold: the highest bin, unless a few are so high that the others would vanish; those are cut, and said. */
export function scaleTop(bins) {
  const sorted = Float64Array.from(bins).sort();
  const most = sorted[sorted.length - 1] ?? 0;
  const usual = sorted[Math.floor((sorted.length - 1) * 0.97)] ?? 0;
  return usual > 0 && most > 3 * usual ? usual * 1.2 : most;
}

/** The outline of one stacked value in steps; low and high are its edges by bin. */
export function stepPath(low, high, x, y) {
  let up = '';
  let down = '';
  for (let i = 0; i < high.length; i++) {
    up += `${i ? 'L' : 'M'}${x(i)} ${y(high[i])}L${x(i + 1)} ${y(high[i])}`;
    down = `L${x(i + 1)} ${y(low[i])}L${x(i)} ${y(low[i])}${down}`;
  }
  return `${up}${down}Z`;
}

/** A line across a picture with its value at the left. */
export function scaleLine(picture, width, y, text) {
  picture.append(svg('line', { x1: LEFT, x2: width - RIGHT, y1: y, y2: y, class: 'grid-line' }), svg('text', { x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, text));
}

/** Times below a picture, as many as there is room for. @param x (time) where it is */
export function drawClock(picture, { width, height }, [from, to], x) {
  const step = timeStep(to - from, Math.max(2, (width - LEFT) / 110));
  const fine = step < 1e9 ? 1e9 : Infinity;
  const room = fine < Infinity ? 80 : 56;
  // Where the label before this one ends.
  let free = -Infinity;
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    const at = x(t);
    const anchor = at > width - 40 ? 'end' : at < LEFT + 24 ? 'start' : 'middle';
    const left = at - { start: 0, middle: room / 2, end: room }[anchor];
    picture.append(svg('line', { x1: at, x2: at, y1: height - BOTTOM, y2: height - BOTTOM + 4, class: 'grid-line' }));
    if (left < free) continue;
    free = left + room;
    picture.append(svg('text', { x: at, y: height - 4, 'text-anchor': anchor }, clockOf(t + 1e3, fine)));
  }
}

/** An entry of a list of colours. */
export function legendEntry(colour, text, more, title) {
  return h('li', { title }, swatch(colour), text, h('span.quiet', ` ${more}`));
}

export class TimeAxis {
  /** @param options {label, height, onRange(from, to) or nothing, rate: weights of time are shown as CPUs} */
  constructor(options) {
    this.options = options;
    this.data = null;
    this.range = [0, 0];
    this.cursor = -1;
    this.anchor = -1;
    this.picture = svg('svg', { class: 'series', role: options.onRange ? 'slider' : 'img', 'aria-label': options.label });
    if (options.onRange) this.picture.setAttribute('tabindex', '0');
    this.legend = h('ul.series-legend', { 'aria-label': `${options.label}: totals` });
    this.note = h('p.series-note');
    this.root = h('section.axis', { 'aria-label': options.label }, h('div.axis-head', this.legend, this.note), this.picture);
    this.picture.style.height = `${options.height ?? 96}px`;
    if (options.onRange) this.bind();
    this.resizes = watchSize(this.picture, () => this.draw());
  }

  release() {
    this.resizes.disconnect();
  }

  /** @param marks [{time_ns, text}] lines in the picture */
  update(data, range, theme, marks = []) {
    this.data = data;
    this.marks = marks;
    this.range = range;
    this.theme = theme;
    this.draw();
  }

  get span() {
    return [this.data.start_ns, this.data.start_ns + this.data.bins * this.data.bin_ns];
  }

  timeAt(clientX) {
    const r = this.picture.getBoundingClientRect();
    const [from, to] = this.span;
    const share = (clientX - r.left - LEFT) / Math.max(1, r.width - LEFT - RIGHT);
    return Math.round(from + Math.min(1, Math.max(0, share)) * (to - from));
  }

  xOf(ns) {
    const [from, to] = this.span;
    return LEFT + ((this.width - LEFT - RIGHT) * (ns - from)) / Math.max(1, to - from);
  }

  draw() {
    const { width, height } = this.picture.getBoundingClientRect();
    if (!this.data || width < 10) return;
    this.width = width;
    this.height = height;
    this.picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.picture.replaceChildren();
    this.layers();
    this.grid();
    this.drawAreas();
    this.drawMarks();
    drawClock(this.picture, this, this.span, (t) => this.xOf(t));
    this.brush = svg('g', { class: 'brush' });
    this.picture.append(this.brush);
    this.drawBrush();
    this.drawLegend();
  }

  /** Stacks the values: this.stack = [{name, low, high, total}]. */
  layers() {
    const { series, bins, by } = this.data;
    const base = new Float64Array(bins);
    this.stack = stackOrder(by, series).map((s, index) => {
      const low = base.slice();
      for (let i = 0; i < bins; i++) base[i] += s.values[i] ?? 0;
      return { name: seriesName(by, s.name), unit: s.unit, total: s.total, low, high: base.slice(), colour: seriesColour(by, s.name, index, this.theme) };
    });
    this.unit = this.data.unit ?? series[0]?.unit ?? 'count';
    this.peak = base.reduce((a, b) => Math.max(a, b), 0) * this.perBin;
    this.most = roundTop(scaleTop(base) * this.perBin, this.unit);
  }

  /** Weights of time in a bin as processors or threads, bytes and counts by second. */
  get perBin() {
    return (this.unit ?? this.data.unit) === 'ns' ? 1 / this.data.bin_ns : 1e9 / this.data.bin_ns;
  }

  textOf(v) {
    if (this.unit === 'ns') return `${v < 10 ? Math.round(v * 100) / 100 : Math.round(v)}`;
    return `${weightText(v, this.unit)}/s`;
  }

  y(v) {
    return this.height - BOTTOM - (this.height - TOP - BOTTOM) * Math.min(1, (v * this.perBin) / this.most);
  }

  grid() {
    for (const share of [0, 0.5, 1]) this.scale(this.height - BOTTOM - (this.height - TOP - BOTTOM) * share, share ? this.textOf(this.most * share) : '0');
  }

  scale(y, text) {
    scaleLine(this.picture, this.width, y, text);
  }

  drawAreas() {
    const x = (bin) => (LEFT + ((this.width - LEFT - RIGHT) * bin) / this.data.bins).toFixed(1);
    const y = (v) => this.y(v).toFixed(1);
    for (const s of this.stack) this.picture.append(svg('path', { d: stepPath(s.low, s.high, x, y), class: 'area', colour: s.colour, hint: `${s.name}: ${weightText(s.total, s.unit)}` }));
    const { high } = this.stack[this.stack.length - 1] ?? { high: [] };
    if (this.peak <= this.most) return;
    const at = high.reduce((best, v, i) => (v > high[best] ? i : best), 0);
    const right = at < this.data.bins * 0.8;
    this.picture.append(svg('text', { x: Number(x(at + (right ? 1 : 0))) + (right ? 4 : -4), y: TOP + 9, 'text-anchor': right ? 'start' : 'end' }, `\u2191 ${this.textOf(this.peak)}`));
  }

  drawMarks() {
    const [from, to] = this.span;
    for (const m of this.marks.filter((x) => x.time_ns >= from && x.time_ns <= to)) {
      const x = this.xOf(m.time_ns);
      this.picture.append(svg('path', { class: 'mark-line', d: `M${x - 4} ${TOP}h8l-4 6zM${x} ${TOP}V${this.height - BOTTOM}`, hint: `${clockOf(m.time_ns)} ${m.text}` }));
    }
  }

  drawBrush(range = this.anchor >= 0 ? this.binRange() : this.range) {
    if (!this.brush) return;
    this.brush.replaceChildren();
    const [from, to] = range;
    const tall = this.height - TOP - BOTTOM;
    if (to > from) {
      const [a, b] = [Math.max(LEFT, this.xOf(from)), Math.min(this.width - RIGHT, this.xOf(to))];
      this.brush.append(svg('rect', { x: LEFT, y: TOP, width: Math.max(0, a - LEFT), height: tall, class: 'outside' }),
        svg('rect', { x: b, y: TOP, width: Math.max(0, this.width - RIGHT - b), height: tall, class: 'outside' }),
        svg('rect', { x: a, y: TOP, width: Math.max(1, b - a), height: tall, class: 'inside' }));
    }
    if (this.cursor >= 0 && document.activeElement === this.picture) {
      const x = this.xOf(this.data.start_ns + (this.cursor + 0.5) * this.data.bin_ns);
      this.brush.append(svg('line', { x1: x, x2: x, y1: TOP, y2: this.height - BOTTOM, class: 'cursor' }));
    }
    this.describe(range);
  }

  describe(range) {
    const [from, to] = range;
    const [first, last] = this.span;
    const text = to > from ? `${clockOf(from, to - from)} to ${clockOf(to, to - from)}, ${durationOf(to - from)}` : `all of ${durationOf(last - first)}`;
    const hint = to > from ? '' : ' Drag over the picture to choose a part.';
    const what = this.unit === 'ns' && this.counted ? `${this.counted} \u00b7 ` : '';
    this.note.textContent = this.options.onRange ? what + text : '';
    this.note.title = hint.trim();
    if (!this.options.onRange) return;
    const at = this.cursor >= 0 ? this.cursor : 0;
    this.picture.setAttribute('aria-valuemin', '0');
    this.picture.setAttribute('aria-valuemax', String(this.data.bins - 1));
    this.picture.setAttribute('aria-valuenow', String(at));
    this.picture.setAttribute('aria-valuetext', `${clockOf(this.data.start_ns + at * this.data.bin_ns)}; chosen: ${text}.${hint}`);
  }

  drawLegend() {
    const all = this.stack.reduce((sum, s) => sum + s.total, 0);
    this.legend.replaceChildren(...this.stack.filter((s) => s.total > 0).map((s) => legendEntry(s.colour, s.name, this.shareText(s, all), weightText(s.total, s.unit))));
  }

  /** What a legend says of a stacked value. */
  shareText(s, all) {
    return formatPercent(s.total, all);
  }

  bind() {
    const area = this.picture;
    choosing(area, {
      ready: () => this.data,
      place: (e) => ({ inside: true, x: e.clientX, at: this.timeAt(e.clientX), moved: false }),
      drag: (first, { x, at }) => {
        first.moved ||= Math.abs(x - first.x) >= LEAST_DRAG;
        if (first.moved) this.drawBrush(ordered(first.at, at));
      },
      drop: (first, { at }) => {
        const [from, to] = ordered(first.at, at);
        this.anchor = -1;
        if (first.moved && to > from) this.options.onRange(from, to);
        else if (this.range[1] > this.range[0]) this.options.onRange(0, 0);
      },
      hover() {},
      rest: () => this.drawBrush(),
    });
    area.addEventListener('keydown', (e) => this.onKey(e));
    area.addEventListener('focus', () => this.drawBrush());
    area.addEventListener('blur', () => {
      this.anchor = -1;
      this.drawBrush();
    });
  }

  onKey(e) {
    if (!this.data || isModified(e)) return;
    const { bins } = this.data;
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -bins, End: bins }[e.key];
    if (step !== undefined) {
      take(e);
      if (e.shiftKey && this.anchor < 0) this.anchor = Math.max(0, this.cursor);
      if (!e.shiftKey) this.anchor = -1;
      this.cursor = Math.min(bins - 1, Math.max(0, Math.max(0, this.cursor) + step));
      this.drawBrush();
    } else if (e.key === 'Enter' && this.cursor >= 0) {
      take(e);
      if (this.anchor < 0) this.anchor = this.cursor;
      this.options.onRange(...this.binRange());
      this.anchor = -1;
      say('Range of time taken');
    } else if (e.key === 'Escape' && this.range[1] > this.range[0]) {
      e.stopPropagation();
      this.options.onRange(0, 0);
    }
  }

  binRange() {
    const [a, b] = ordered(this.anchor, this.cursor);
    return [this.data.start_ns + a * this.data.bin_ns, this.data.start_ns + (b + 1) * this.data.bin_ns];
  }
}

function ordered(a, b) {
  return a < b ? [a, b] : [b, a];
}
