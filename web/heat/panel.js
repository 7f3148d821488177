// SPDX-License-Identifier: Apache-2.0
// The panel with the heatmap: which range of time is chosen, what it is compared with, and the flame graph below follows.
//
// Ranges are pairs of slice numbers [from, to). The whole recording is no range (null): then the page's own tree is shown.
import { element } from '../flame/details.js';
import { formatPercent, formatWeight, samplesText } from '../flame/text.js';
import { Grid, dayText, heatColour, sinceBoot, spanText } from './grid.js';
import { RangeProfile, restOf } from './range.js';
import { Layout, fittingScale, scalesFor } from './slices.js';

const at = (id) => document.getElementById(id);
const LEAST_COLUMN = 3;
const COMPARE = ['off', 'rest', 'baseline'];
const FINEST_NS = 20e6; // slices are longer where finer ones would be too many: src/analysis/compare/heat.c

export class Panel {
  constructor(whole, slices) {
    this.whole = whole;
    this.slices = slices;
    this.app = null;
    this.range = null;
    this.baseline = null;
    this.compare = 'off';
    this.cursor = null;
    this.anchor = null;
    this.preview = null;
    this.grid = new Grid(at('heat-canvas'), at('heat-marks'));
    this.scale = fittingScale(slices, at('heat').clientWidth || 1200, LEAST_COLUMN);
    this.buildScales();
    this.sayWhatIsLost();
    this.bind();
  }

  /** Takes the page that the flame graph is shown by. */
  attach(app) {
    this.app = app;
    new MutationObserver(() => this.setTheme()).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    new ResizeObserver(() => this.resize()).observe(at('heat-scroll'));
    this.setTheme();
    this.resize();
    this.apply();
  }

  setTheme() {
    const name = document.documentElement.dataset.theme;
    this.grid.setTheme(name);
    at('heat-ramp').style.background = `linear-gradient(to right, ${[0, 0.04, 0.16, 0.36, 0.64, 1].map((x) => heatColour(name, x)).join(', ')})`;
    if (this.layout) this.paint();
  }

  buildScales() {
    const box = at('heat-scales');
    for (const s of scalesFor(this.slices)) {
      const total = this.slices.count * this.slices.sliceNs;
      if (s !== this.scale && (total / s.column > 20000 || s.column > total * 4)) continue; // no useful picture
      const b = element('button', '', s.label);
      b.type = 'button';
      b.title = `A column is ${s.label}, a cell ${spanText(s.cell)}`;
      b.addEventListener('click', () => this.setScale(s));
      b.dataset.column = String(s.column);
      box.append(b);
    }
  }

  sayWhatIsLost() {
    const length = this.slices.sliceNs;
    at('heat-note').hidden = length <= FINEST_NS;
    if (length > FINEST_NS)
      at('heat-note').textContent = `Times are known to ${spanText(length)}: the recording is too long, or has too many stacks, for ${spanText(FINEST_NS)}. A part of it (--from, --to) may have finer ones. Weights are complete.`;
  }

  setScale(scale) {
    this.scale = scale;
    this.resize();
    this.reveal(this.range ? this.range[0] : 0);
  }

  resize() {
    const box = at('heat-scroll');
    this.layout = this.layout?.scale === this.scale ? this.layout : new Layout(this.slices, this.scale);
    this.grid.resize(this.layout, box.clientWidth, box.clientHeight, window.devicePixelRatio || 1, LEAST_COLUMN);
    at('heat-spacer').style.width = `${this.grid.contentWidth()}px`;
    for (const b of at('heat-scales').children) b.setAttribute('aria-pressed', String(b.dataset.column === String(this.scale.column)));
    const least = this.layout.peak > this.layout.max ? 'from ' : '';
    at('heat-most').textContent = `${least}${formatWeight(this.layout.max, this.whole.unit)} in ${spanText(this.scale.cell)}`;
    this.paint();
  }

  get scroll() {
    return at('heat-scroll').scrollLeft;
  }

  paint() {
    this.grid.paint(this.scroll);
    this.paintMarks();
  }

  paintMarks() {
    const focused = document.activeElement === at('heat-scroll');
    const baseline = this.compare === 'baseline' ? this.baseline : null;
    this.grid.paintMarks(this.scroll, this.preview ?? this.range, baseline, focused ? this.cursor : null);
  }

  /* ---- what is chosen ---- */

  /** A range inside of the data, null if it is all of it. */
  clamp(from, to) {
    const a = Math.max(0, Math.min(this.slices.count - 1, from));
    const b = Math.max(a + 1, Math.min(this.slices.count, to));
    return a === 0 && b === this.slices.count ? null : [a, b];
  }

  choose(range, { write = true } = {}) {
    this.range = range;
    this.preview = null;
    this.apply();
    if (write) this.app.writeHash(false);
  }

  /** What the range is compared with: sums, or null if there is nothing to compare. */
  past(now) {
    if (this.compare === 'off' || !this.range) return null;
    const past =
      this.compare === 'rest' ? restOf(this.slices, ...this.range) : this.baseline ? this.slices.sum(...this.baseline) : null;
    return past && past.all > 0 && now.all > 0 ? past : null;
  }

  profile() {
    if (!this.range) return this.whole;
    const now = this.slices.sum(...this.range);
    const past = this.past(now);
    const versus = !past ? '' : this.compare === 'rest' ? ' compared with the rest' : ` compared with ${this.rangeText(this.baseline)}`;
    const [measured] = this.whole.subtitle.split(',');
    return new RangeProfile(this.whole, this.slices, now, past, `${measured}, ${this.rangeText(this.range)}${versus}`);
  }

  /** Shows what is chosen. */
  apply() {
    for (const c of COMPARE) at(`heat-versus-${c}`).setAttribute('aria-pressed', String(this.compare === c));
    at('heat-versus-rest').disabled = !this.range;
    at('heat-versus-baseline').disabled = !this.range || !this.baseline;
    at('heat-set-baseline').disabled = !this.range;
    at('heat-all').disabled = !this.range;
    if (!this.app) return;
    this.app.setProfile(this.profile());
    const [from, to] = this.range ?? [0, this.slices.count];
    at('heat-from').value = this.secondsOf(from);
    at('heat-to').value = this.secondsOf(to);
    at('heat-said').textContent = this.describe(from, to);
    this.paintMarks();
  }

  secondsOf(slice) {
    return ((slice * this.slices.sliceNs) / 1e9).toFixed(this.slices.sliceNs < 1e9 ? 2 : 0);
  }

  clock(slice) {
    const ms = this.slices.timeOf(slice);
    const clock = new Date(ms).toISOString().slice(11, this.slices.sliceNs < 1e9 ? 23 : 19);
    const days = dayText(this.slices.timeOf(0)) !== dayText(this.slices.timeOf(this.slices.count));
    return days ? `${dayText(ms)} ${clock}` : clock;
  }

  rangeText([from, to]) {
    return `${this.clock(from)} to ${this.clock(to)}`;
  }

  /** "10:30:02.120 to 10:30:04.000: 1.88 s, 2.1 s CPU (12 %), 210 samples" */
  describe(from, to) {
    let weight = 0;
    let samples = 0;
    for (let i = from; i < to; i++) {
      weight += this.slices.weight[i];
      samples += this.slices.samples[i];
    }
    const share = formatPercent(weight, this.whole.total[0]);
    const what = this.whole.unit === 'samples' ? '' : `${formatWeight(weight, this.whole.unit)} (${share}), `;
    const zone = sinceBoot(this.slices.timeOf(0)) ? '' : ' UTC';
    return `${this.rangeText([from, to])}${zone} \u00b7 ${spanText((to - from) * this.slices.sliceNs)} \u00b7 ${what}${samplesText(samples)}`;
  }

  setCompare(mode) {
    this.compare = mode;
    this.apply();
    this.app.writeHash(false);
    const { compares } = this.app.profile;
    this.app.say(compares ? 'Compared: red grew, blue shrank, grey is within sampling error' : 'Not compared');
  }

  nextCompare() {
    const open = COMPARE.filter((c) => c === 'off' || !at(`heat-versus-${c}`).disabled);
    this.setCompare(open[(open.indexOf(this.compare) + 1) % open.length]);
  }

  setBaseline() {
    this.baseline = this.range;
    this.compare = 'baseline';
    this.apply();
    this.app.writeHash(false);
    this.app.say(`Baseline: ${this.rangeText(this.baseline)}. Choose the range to compare with it.`);
  }

  /* ---- the address ---- */

  write(query) {
    if (this.range) query.set('range', this.range.join('-'));
    if (this.compare !== 'off') query.set('versus', this.compare);
    if (this.baseline) query.set('baseline', this.baseline.join('-'));
  }

  read(query) {
    const rangeOf = (key) => {
      const m = /^(\d{1,8})-(\d{1,8})$/.exec(query.get(key) ?? '');
      return m && Number(m[1]) < Number(m[2]) ? this.clamp(Number(m[1]), Number(m[2])) : null;
    };
    this.range = rangeOf('range');
    this.baseline = rangeOf('baseline');
    const versus = query.get('versus');
    this.compare = COMPARE.includes(versus) ? versus : 'off';
    this.apply();
  }

  /* ---- mouse and keyboard ---- */

  bind() {
    const box = at('heat-scroll');
    box.addEventListener('scroll', () => this.paint());
    box.addEventListener('keydown', (e) => this.onKey(e));
    box.addEventListener('focus', () => {
      this.cursor ??= this.range ? this.range[0] : 0;
      this.anchor ??= this.cursor;
      this.paintMarks();
    });
    box.addEventListener('blur', () => this.paintMarks());
    for (const c of COMPARE) at(`heat-versus-${c}`).addEventListener('click', () => this.setCompare(c));
    at('heat-set-baseline').addEventListener('click', () => this.setBaseline());
    at('heat-all').addEventListener('click', () => this.choose(null));
    for (const id of ['heat-from', 'heat-to']) at(id).addEventListener('change', () => this.takeFields());
    document.addEventListener('keydown', (e) => {
      const typing = document.activeElement instanceof HTMLInputElement;
      if (e.key === 'v' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey && this.range) this.nextCompare();
      if (e.key === 'b' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey && this.range) this.setBaseline();
    });
    for (const id of ['heat-from', 'heat-to']) at(id).addEventListener('keydown', (e) => e.stopPropagation());
    this.bindPointer(box);
  }

  takeFields() {
    const slice = (id) => Math.round((Number(at(id).value) * 1e9) / this.slices.sliceNs);
    const [from, to] = [slice('heat-from'), slice('heat-to')];
    if (Number.isFinite(from) && Number.isFinite(to)) this.choose(this.clamp(Math.min(from, to), Math.max(from, to)));
  }

  /** The slices of the cells between two places, of whole columns if the first was on the axis. */
  between(a, b) {
    const { rows } = this.layout;
    let [low, high] = a.cell < b.cell ? [a.cell, b.cell] : [b.cell, a.cell];
    if (a.axis) {
      low -= low % rows;
      high += rows - 1 - (high % rows);
    }
    return this.clamp(this.layout.sliceOf(low), this.layout.sliceOf(high + 1));
  }

  bindPointer(box) {
    let from = null;
    const place = (e) => {
      const r = box.getBoundingClientRect();
      return this.grid.at(e.clientX - r.left, e.clientY - r.top, this.scroll);
    };
    box.addEventListener('pointerdown', (e) => {
      const p = place(e);
      if (e.button !== 0 || !p.inside) return;
      from = e.shiftKey && this.range ? { cell: this.layout.cellOf(this.range[0]), axis: false } : p;
      box.setPointerCapture(e.pointerId);
      this.show(this.between(from, p));
    });
    box.addEventListener('pointermove', (e) => {
      if (from) this.show(this.between(from, place(e)));
      else this.hover(place(e));
    });
    box.addEventListener('pointerleave', () => this.hover(null));
    const end = (e) => {
      if (!from) return;
      const range = this.between(from, place(e));
      from = null;
      this.cursor = this.anchor = range ? range[0] : 0;
      if (e.type === 'pointerup') this.choose(range);
      else this.apply();
    };
    box.addEventListener('pointerup', end);
    box.addEventListener('pointercancel', end);
    box.addEventListener('dblclick', (e) => {
      const p = place(e);
      if (p.inside) this.choose(this.between({ ...p, axis: true }, p));
    });
  }

  /** While the mouse is down. */
  show(range) {
    this.preview = range ?? [0, this.slices.count];
    at('heat-said').textContent = this.describe(...this.preview);
    this.paintMarks();
  }

  hover(p) {
    const [from, to] = this.range ?? [0, this.slices.count];
    let text = this.describe(from, to);
    if (p?.inside && !p.axis) {
      const a = this.layout.sliceOf(p.cell);
      const cell = this.clamp(a, a + this.layout.per);
      if (a < this.slices.count && a + this.layout.per > 0 && cell) text = `Pointer: ${this.describe(...cell)}`;
    }
    at('heat-said').textContent = text;
  }

  /** Scrolls until a slice is in sight. */
  reveal(slice) {
    const box = at('heat-scroll');
    const x = this.grid.columnX(Math.floor(this.layout.cellOf(slice) / this.layout.rows), this.scroll);
    if (x < 60 || x > box.clientWidth - 30) box.scrollLeft += x - box.clientWidth / 2;
  }

  onKey(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const { rows, per } = this.layout;
    const column = rows * per;
    const steps = { ArrowLeft: -column, ArrowRight: column, ArrowUp: per, ArrowDown: -per, PageUp: -10 * column, PageDown: 10 * column };
    const jumps = { Home: 0, End: this.slices.count - 1 };
    if (e.key in steps || e.key in jumps) this.moveTo(e.key in jumps ? jumps[e.key] : this.cursor + steps[e.key], e.shiftKey);
    else if (e.key === 'Enter') this.choose(this.between({ cell: this.layout.cellOf(this.cursor), axis: true }, { cell: this.layout.cellOf(this.cursor) }));
    else if (e.key === 'Escape' || e.key === 'Backspace') this.choose(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
    this.app.say(at('heat-said').textContent);
  }

  /** Moves the cell of the keyboard there and chooses it; extending: all from where the last move without Shift led. */
  moveTo(slice, extend) {
    this.cursor = Math.max(0, Math.min(this.slices.count - 1, slice));
    if (!extend) this.anchor = this.cursor;
    this.reveal(this.cursor);
    this.choose(this.between({ cell: this.layout.cellOf(this.anchor), axis: false }, { cell: this.layout.cellOf(this.cursor) }));
  }
}
