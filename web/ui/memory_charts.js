// SPDX-License-Identifier: Apache-2.0
// Memory, live objects and collections over time: pictures over the time of the recording, with the brush of the shared axis.
//
// Resident memory is stacked by part, the Java heap at the bottom, against the limit of the cgroup and the largest heap. A collection is
// a bar as high as its pause, below the heap that was in use before and after it. A table of each stands beside it for those who do
// not see it.
import { formatCount, formatPercent, formatWeight } from '../flame/text.js';
import { svg } from '../spans/common.js';
import { h } from './dom.js';
import { clockOf } from './format.js';
import { BOTTOM, LEFT, legendEntry, roundTop, seriesColour, TOP } from './series.js';
import { TimeChart } from './time_chart.js';

const bytes = (v) => formatWeight(v, 'bytes');

/** Colours of the parts: those that a JVM always has keep theirs. The rest is grey. */
const PARTS = ['Java heap', 'metaspace', 'code cache', 'malloc', 'thread stacks', 'collector', 'libraries', 'class archive', 'mapped files', 'shared memory', 'not attributed'];
const TONES = ['var(--series-1)', 'var(--series-4)', 'var(--series-3)', 'var(--series-2)', 'var(--series-5)', 'var(--run)', 'var(--cell-total)', 'var(--span)', 'var(--disk)', 'var(--stall)', 'var(--blocked)'];

export function partColour(part) {
  const at = PARTS.indexOf(part);
  return at < 0 ? 'var(--blocked)' : TONES[at];
}

/** Values on top of each other: [{part, low, high}], the heap at the bottom, then as the server has them. */
export function stackParts(parts) {
  const order = (p) => (PARTS.indexOf(p.part) < 0 ? PARTS.length : PARTS.indexOf(p.part));
  let base = new Array(parts[0]?.resident.length ?? 0).fill(0);
  return parts.slice().sort((a, b) => order(a) - order(b)).map(({ part, resident }) => {
    const low = base;
    base = low.map((v, i) => v + resident[i]);
    return { part, low, high: base, last: resident[resident.length - 1] ?? 0 };
  });
}

/** The height that the scale has to have: what is resident, and a limit only where it is not far above that. */
export function memoryTop(most, lines) {
  const near = lines.filter((v) => v > 0 && v <= 3 * most);
  return niceBytes(Math.max(most, ...near) * 1.04);
}

/** A quarter of a power of two, one to two times it, that is not below v: a rounder figure would leave the picture empty. */
function niceBytes(v) {
  const power = 2 ** Math.floor(Math.log2(Math.max(v, 1)));
  return [1, 1.25, 1.5, 1.75, 2].map((f) => f * power).find((x) => x >= v) ?? 2 * power;
}

export class ResidentChart extends TimeChart {
  constructor(onRange, label = 'Resident memory over time') {
    super(label, 220, onRange);
    this.colourOf = partColour;
  }

  layers() {
    const { parts, limit, heap_max: heapMax } = this.answer;
    this.unit = 'bytes';
    this.parts = stackParts(parts);
    const top = this.parts[this.parts.length - 1]?.high ?? [];
    this.peak = top.reduce((a, b) => Math.max(a, b), 0);
    this.most = memoryTop(this.peak, [limit ?? 0, heapMax ?? 0]);
  }

  drawAreas() {
    const { times_ns: times, limit, heap_max: heapMax } = this.answer;
    const x = times.map((t) => this.xOf(t).toFixed(1));
    for (const [i, p] of this.parts.entries()) {
      const up = p.high.map((v, i) => `${i ? 'L' : 'M'}${x[i]} ${this.y(v).toFixed(1)}`).join('');
      const down = p.low.map((v, i) => `L${x[i]} ${this.y(v).toFixed(1)}`).reverse().join('');
      this.picture.append(svg('path', { d: `${up}${down}Z`, class: 'area part', colour: this.colourOf(p.part, i), hint: `${p.part}: ${bytes(p.last)} at the end` }));
    }
    if (times.length === 1) this.picture.append(svg('text', { x: LEFT + 8, y: TOP + 12 }, 'One reading: memory is read every ten seconds'));
    if (heapMax && heapMax <= this.most) this.line(heapMax, `Java heap at most ${bytes(heapMax)}`);
    if (limit && limit <= this.most) this.line(limit, `limit of the cgroup ${bytes(limit)}`);
  }

  drawLegend() {
    const { limit, heap_max: heapMax } = this.answer;
    const all = this.parts.reduce((sum, p) => sum + p.last, 0);
    const above = [[heapMax, 'Java heap at most'], [limit, 'cgroup limit']].filter(([v]) => v && v > this.most);
    this.legend.replaceChildren(...this.parts.map((p, i) => p.last > all / 200 && legendEntry(this.colourOf(p.part, i), p.part, formatPercent(p.last, all))).filter(Boolean),
      ...above.map(([v, text]) => h('li.quiet', `${text} ${bytes(v)}, above the picture`)));
  }
}

/** Live objects, stacked: what grows fastest at the bottom, all others on top. */
export class LiveChart extends ResidentChart {
  constructor(onRange) {
    super(onRange, 'Live objects over time');
    this.colourOf = (name, i) => seriesColour('', name, i, '');
  }

  put(answer, ...more) {
    const parts = [...answer.rows.map((r) => ({ part: r.name, resident: r.bytes })), { part: 'other', resident: answer.others }];
    super.put({ times_ns: answer.times_ns, parts }, ...more);
  }
}

const CAUSES = 5;

/** The colour of a cause: the five that cost most have one each. */
export function causeColour(causes, cause) {
  const at = causes.findIndex((c) => c.cause === cause);
  return at < 0 || at >= CAUSES ? 'var(--blocked)' : `var(--series-${at + 1})`;
}

export class CollectionsChart extends TimeChart {
  constructor(onRange) {
    super('Collections over time', 240, onRange);
  }

  layers() {
    const { collections } = this.answer;
    this.unit = 'bytes';
    this.heaps = collections.some((c) => c.after || c.before);
    this.most = memoryTop(collections.reduce((m, c) => Math.max(m, c.before ?? 0, c.after ?? 0), 0), []);
    this.longest = roundTop(collections.reduce((m, c) => Math.max(m, c.longest_pause_ns), 1), 'ns');
    this.split = this.heaps ? Math.round(this.height * 0.52) : TOP;
  }

  /** The upper half is the heap, the lower the pauses. */
  y(v) {
    return this.split - 10 - (this.split - 10 - TOP) * Math.min(1, v / this.most);
  }

  yOfPause(ns) {
    const bottom = this.height - BOTTOM;
    return bottom - (bottom - this.split - 6) * Math.min(1, ns / this.longest);
  }

  grid() {
    if (this.heaps) for (const share of [0, 1]) this.scale(this.y(this.most * share), share ? bytes(this.most) : '0');
    for (const share of [0, 1]) this.scale(this.yOfPause(this.longest * share), share ? formatWeight(this.longest, 'ns') : '0');
  }

  drawAreas() {
    const { collections, causes } = this.answer;
    if (this.heaps) this.drawHeap(collections);
    for (const c of collections) this.bar(c.start_ns, c.longest_pause_ns, this.yOfPause(c.longest_pause_ns), causeColour(causes, c.cause), collectionText(c));
  }

  drawHeap(collections) {
    let path = '';
    for (const c of collections) {
      if (c.before) path += `${path ? 'L' : 'M'}${this.xOf(c.start_ns).toFixed(1)} ${this.y(c.before).toFixed(1)}`;
      if (c.after) path += `${path ? 'L' : 'M'}${this.xOf(c.start_ns + c.duration_ns).toFixed(1)} ${this.y(c.after).toFixed(1)}`;
    }
    this.picture.append(svg('path', { d: path, class: 'heap-line' }));
    if (collections.length > this.width / 6) return;
    for (const c of collections) if (c.after) this.picture.append(svg('circle', { cx: this.xOf(c.start_ns + c.duration_ns), cy: this.y(c.after), r: 2.5, class: 'heap-dot' }));
  }

  drawLegend() {
    const { causes } = this.answer;
    const before = this.answer.collections.some((c) => c.before);
    this.legend.replaceChildren(...(this.heaps ? [legendEntry('var(--accent)', 'heap in use', before ? 'before and after' : 'after')] : []),
      ...causes.slice(0, CAUSES).map((c) => legendEntry(causeColour(causes, c.cause), c.cause ?? 'cause not known', formatCount(c.count))),
      ...(causes.length > CAUSES ? [legendEntry('var(--blocked)', 'other causes', formatCount(causes.slice(CAUSES).reduce((n, c) => n + c.count, 0)))] : []));
  }
}

/** A collection in a line: for the picture's hints and the table. */
export function collectionText(c) {
  const heap = c.before && c.after ? `, heap ${bytes(c.before)} to ${bytes(c.after)}` : c.after ? `, heap ${bytes(c.after)} afterwards` : '';
  const several = c.stands_for > 1 ? `; the longest of ${formatCount(c.stands_for)}` : '';
  return `${clockOf(c.start_ns, 1e9)} ${c.cause ?? 'collection'}: ${formatWeight(c.longest_pause_ns, 'ns')} pause${heap}${several}`;
}
