// SPDX-License-Identifier: Apache-2.0
// Which part of a trace's time is in sight, and how it is changed: dragging over the ruler or any lane shows that stretch, the wheel zooms on
// the ruler, with Ctrl everywhere; + and - zoom, Shift with an arrow goes along, 0 shows all.
//
// Each picture has a picture inside that is as wide as all of the time, in percent, so a zoom sets two attributes of it and draws
// nothing anew: what is chosen and what has the focus stays.
import { button, choosing, h, isModified, take } from '../ui/dom.js';
import { svg, time } from './common.js';

const MOST = 2000; // times: what is drawn then is exact to a pixel
const STEP = 1.6;
const LEAST_DRAG = 4; // pixels: less is a click

/** A part [from, to] of a whole that is inside of it and not too short. */
export function partOf(whole, from, to) {
  const span = Math.min(whole, Math.max(whole / MOST, to - from));
  const start = Math.min(Math.max(0, from), whole - span);
  return [start, start + span];
}

export class TimeZoom {
  /** @param areas elements with the pictures, which get keys and the wheel @param onChange(part) a step of the user's */
  constructor(areas, onChange) {
    this.onChange = onChange;
    const zoomBy = (text, label, factor) => button(text, () => this.zoom(factor), { 'aria-label': label, title: label });
    this.all = button('All', () => this.set(0, this.whole), { title: 'Show all of the trace (0)' });
    this.note = h('output.quiet');
    this.tools = h('div.zoom-tools', zoomBy('+', 'Zoom in (+)', 1 / STEP), zoomBy('\u2212', 'Zoom out (\u2212)', STEP), this.all, this.note);
    this.shades = areas.map((area) => ({ area, shade: h('div.zoom-shade') }));
    const ends = (a, b) => [a.share, b.share].sort((x, y) => x - y);
    for (const area of areas) {
      area.classList.add('zooms');
      choosing(area, {
        least: LEAST_DRAG,
        ready: () => true,
        place: (e) => ({ inside: e.target.closest('.row > svg'), share: this.shareAt(e) }),
        drag: (a, b) => this.mark(...ends(a, b)),
        drop: (a, b) => {
          const [from, to] = ends(a, b);
          this.mark(0, 0);
          if (to > from) this.set(this.timeAt(from), this.timeAt(to));
        },
        hover() {},
        rest: () => this.mark(0, 0),
      });
      area.addEventListener('wheel', (e) => this.onWheel(e), { passive: false });
      area.addEventListener('keydown', (e) => this.onKey(e));
    }
  }

  start(whole) {
    this.whole = whole || 1;
    this.insides = [];
  }

  /** Makes a picture the ruler. */
  rule(ruler) {
    this.ruler = ruler;
    for (const [key, value] of Object.entries({ class: 'ruler', tabindex: 0, role: 'slider', 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': 'Time in sight: plus and minus zoom, Shift with an arrow goes along, 0 shows all' })) ruler.setAttribute(key, value);
    for (const { area, shade } of this.shades) area.append(shade);
  }

  mark(from, to) {
    this.chosen.setAttribute('x', `${100 * from}%`);
    this.chosen.setAttribute('width', `${100 * (to - from)}%`);
    const { left, width } = this.ruler.getBoundingClientRect();
    for (const { area, shade } of this.shades) {
      shade.style.left = `${left - area.getBoundingClientRect().left + width * from}px`;
      shade.style.width = `${width * (to - from)}px`;
    }
  }

  shareAt(e) {
    const { left, width } = this.ruler.getBoundingClientRect();
    return Math.min(1, Math.max(0, (e.clientX - left) / width));
  }

  timeAt(share) {
    return this.part[0] + share * (this.part[1] - this.part[0]);
  }

  /** A picture in a picture, to draw into. */
  inside(picture) {
    const inner = svg('svg', { height: '100%' });
    picture.append(inner);
    this.insides.push(inner);
    return inner;
  }

  get isZoomed() {
    return this.part[1] - this.part[0] < this.whole;
  }

  set(from, to, byUser = true) {
    this.part = partOf(this.whole, from, to);
    const [a, b] = this.part;
    for (const e of this.insides) {
      e.setAttribute('x', `${(-100 * a) / (b - a)}%`);
      e.setAttribute('width', `${(100 * this.whole) / (b - a)}%`);
    }
    this.all.disabled = !this.isZoomed;
    this.note.textContent = this.isZoomed ? `${time(a)} to ${time(b)} of ${time(this.whole)}` : `all of ${time(this.whole)}`;
    this.drawRuler();
    if (byUser) this.onChange(this.part);
  }

  /** Five times across the bars, so that they can be read off. */
  drawRuler() {
    this.chosen = svg('rect', { class: 'zoom-mark', height: '100%' });
    this.ruler.replaceChildren(svg('rect', { width: '100%', height: '100%', class: 'ground' }), this.chosen, ...['start', 'middle', 'middle', 'middle', 'end'].flatMap((anchor, i) => {
      const [x, at] = [`${25 * i}%`, this.timeAt(i / 4)];
      return [svg('line', { x1: x, x2: x, y1: 14, y2: 20 }), svg('text', { x, y: 11, 'text-anchor': anchor }, at ? time(at) : '0')];
    }));
    this.ruler.setAttribute('aria-valuenow', Math.round((100 * this.part[0]) / this.whole));
    this.ruler.setAttribute('aria-valuetext', this.note.textContent);
  }

  /** Makes the part longer or shorter, and keeps a time where it is: what is chosen, or the middle. */
  zoom(factor, at = this.focus() ?? this.timeAt(0.5)) {
    const [from, to] = this.part;
    this.set(at - (at - from) * factor, at + (to - at) * factor);
  }

  /** Goes along by a share of what is in sight. */
  pan(share) {
    this.set(this.timeAt(share), this.timeAt(1 + share));
  }

  /** Brings a stretch into sight. */
  show(from, to) {
    if (to < this.part[0] || from > this.part[1]) this.pan(((from + to) / 2 - this.timeAt(0.5)) / (this.part[1] - this.part[0]));
  }

  onWheel(e) {
    if (!e.target.closest('.row > svg') || !(e.ctrlKey || e.metaKey || this.ruler.contains(e.target))) return;
    e.preventDefault();
    this.zoom(e.deltaY < 0 ? 1 / STEP : STEP, this.timeAt(this.shareAt(e)));
  }

  onKey(e) {
    const along = e.shiftKey && { ArrowLeft: -0.25, ArrowRight: 0.25 }[e.key];
    const factor = { '+': 1 / STEP, '=': 1 / STEP, '-': STEP, 0: Infinity }[e.key];
    if (isModified(e) || !(along || factor)) return;
    take(e);
    if (along) this.pan(along);
    else if (factor < Infinity) this.zoom(factor);
    else this.set(0, this.whole);
  }
}
