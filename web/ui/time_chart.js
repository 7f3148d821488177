// SPDX-License-Identifier: Apache-2.0
// The axes of pages: weights over time that the server is asked for, and pictures over the time of a recording whose values stand for
// themselves, not for bins. All have the brush of the shared axis.
import { formatWeight } from '../flame/text.js';
import { svg } from '../spans/common.js';
import { h } from './dom.js';
import { BOTTOM, LEFT, RIGHT, TimeAxis } from './series.js';
import { queryOf, rangeOf } from './state.js';
import { isMissing, Slot } from './view.js';

/** Weights over time, as an axis from which a range is chosen. */
export class WeightAxis extends TimeAxis {
  /** @param bins how many are asked for */
  constructor(options, bins) {
    super(options);
    this.bins = bins;
    this.slot = new Slot('div', (answer, { state, theme, recording }) => this.update(answer, [state.from, state.to], theme, recording.marks));
    this.slot.owner = this.root;
  }

  release() {
    super.release();
    this.slot.release();
  }

  async ask(context) {
    const by = context.state.eventKind === 'wall' ? 'state' : 'kind';
    this.counted = context.state.eventKind === 'cpu' ? 'CPUs' : 'threads';
    await this.slot.ask(context, 'series', [...queryOf(context.state, ['from', 'to']), ['bins', this.bins], ['by', by], ['top', '14']]);
    sayError(this.slot, this.note);
  }
}

/** What went wrong with an answer that has no place of its own is said in a note. */
export function sayError(slot, note) {
  if (slot.root.firstChild?.matches?.('.error')) note.textContent = slot.root.textContent;
}

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
    this.picture.append(svg('rect', { x: x.toFixed(1), y: top.toFixed(1), width: width.toFixed(1), height: (this.height - BOTTOM - top).toFixed(1), class: 'pause', colour, hint: text }));
  }
}

/** A place with a picture over the time of the recording, whose brush chooses the range of all pages. */
export class Over extends Slot {
  /** @param make(onRange) the picture */
  constructor(title, make) {
    super('section.card');
    this.make = make;
    this.head = h('h2', title);
    this.chart = null;
  }

  release() {
    super.release();
    this.chart?.release();
  }

  fail(e) {
    if (!isMissing(e)) return super.fail(e);
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

/** The same with tables of the chosen time below the picture, which is of all of it. */
export class OverAndTables extends Over {
  /** @param what the question whose answer both show */
  constructor(title, make, what) {
    super(title, make);
    this.what = what;
    this.chosen = new Slot('div.of-range', (answer) => this.chosen.keep(...this.tables(answer)));
    this.chosen.csvName = `${what.replace('/', ' ')} of the chosen time`;
  }

  release() {
    super.release();
    this.chosen.release();
  }

  below() {
    return [this.chosen.root];
  }

  fill(answer) {
    const range = rangeOf(this.context.state);
    if (range.length) {
      this.chosen.ask(this.context, this.what, range);
      return;
    }
    this.chosen.forget();
    this.chosen.put(answer);
  }

  /** How long the time is that the tables are of. */
  get length() {
    const { recording, state } = this.context;
    return state.to > state.from ? state.to - state.from : recording.end_ns - recording.start_ns;
  }
}
