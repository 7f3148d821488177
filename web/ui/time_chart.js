// SPDX-License-Identifier: Apache-2.0
// Pictures over the time of a recording whose values stand for themselves, not for bins, with the brush of the shared axis.
import { formatWeight } from '../flame/text.js';
import { svg } from '../spans/common.js';
import { h } from './dom.js';
import { LEFT, RIGHT, TimeAxis } from './series.js';
import { Slot } from './view.js';

export const BOTTOM = 20;

export class TimeChart extends TimeAxis {
  constructor(label, height, onRange) {
    super({ label, height, onRange });
  }

  /** @param answer of the server @param span [start, end] of the picture */
  put(answer, span, range, theme, marks) {
    this.answer = answer;
    const bins = 240;
    this.update({ start_ns: span[0], bin_ns: Math.max(1, (span[1] - span[0]) / bins), bins, by: '', series: [] }, range, theme, marks);
  }

  get perBin() {
    return 1;
  }

  textOf(v) {
    return formatWeight(v, this.unit);
  }

  /** A line of the grid with its value at the left. */
  scale(y, text) {
    this.picture.append(svg('line', { x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y, class: 'grid-line' }),
      svg('text', { x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, text));
  }

  line(v, text) {
    const y = this.y(v);
    this.picture.append(svg('line', { x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y, class: 'limit-line' }),
      svg('text', { x: this.width - RIGHT - 4, y: y - 4, 'text-anchor': 'end', class: 'limit-text' }, text));
  }

  /** A bar from the bottom up to `y`, as wide as its duration. */
  bar(startNs, durationNs, y, colour, text) {
    const x = this.xOf(startNs);
    const width = Math.max(2, this.xOf(startNs + durationNs) - x);
    const top = Math.min(y, this.height - BOTTOM - 3); // the lowest are seen
    const bar = svg('rect', { x: x.toFixed(1), y: top.toFixed(1), width: width.toFixed(1), height: (this.height - BOTTOM - top).toFixed(1), class: 'pause' });
    bar.style.fill = colour;
    bar.append(svg('title', {}, text));
    this.picture.append(bar);
  }
}

export function legendEntry(colour, text, more) {
  const swatch = h('i', { 'aria-hidden': 'true' });
  swatch.style.background = colour;
  return h('li', {}, swatch, text, h('span.quiet', {}, ` ${more}`));
}

/** A place with a picture over the time of the recording, whose brush chooses the range of all pages. */
export class Over extends Slot {
  /** @param make(onRange) the picture */
  constructor(title, make) {
    super('section.card', (answer, context) => this.draw(answer, context));
    this.make = make;
    this.head = h('h2', {}, title);
    this.chart = null;
  }

  release() {
    super.release();
    this.chart?.release();
  }

  fail(e) {
    if (e.status !== 404 && e.status !== 422 && e.status !== 409) return super.fail(e);
    this.shown = false;
    this.root.hidden = true; // the card above says why
  }

  draw(answer, context) {
    this.root.hidden = !this.holds(answer);
    if (this.root.hidden) return;
    if (!this.chart || !this.chart.root.isConnected) {
      this.chart?.release();
      this.chart = this.make((from, to) => this.context.navigate({ from, to }));
      this.root.replaceChildren(this.head, this.chart.root, ...this.below());
    }
    const { recording, state } = context;
    this.chart.put(answer, [recording.start_ns, recording.end_ns], [state.from, state.to], context.theme, recording.marks);
    this.fill(answer);
  }

  below() {
    return [];
  }

  fill() {}
}
