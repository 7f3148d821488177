// SPDX-License-Identifier: Apache-2.0
// Slow safepoints: when they were, how long all threads waited for the last of them, which thread that was, where it was, and why.
//
// In the picture each is a bar as high as the time to reach it, in the colour of the reason. The tables have the same: what is to blame in
// all, and each safepoint, of which a click shows the stacks.
import { cleanText, formatCount, formatPercent, formatWeight } from '../flame/text.js';
import { button, commandLine, emptyBox, exchange, factsOf, h } from './dom.js';
import { clockOf } from './format.js';
import { BOTTOM, legendEntry, roundTop, TOP } from './series.js';
import { figures, Table } from './table.js';
import { OverAndTables, TimeChart } from './time_chart.js';

const ROWS = 12; // of a table: the stacks of the chosen one are to be in sight below
const ns = (v) => formatWeight(v, 'ns');

/** Reasons by their names in the answer: what they mean, and their colours. */
const REASONS = {
  loop: ['compiled code without a poll', 'var(--series-1)'],
  copy: ['one copy or fill of much memory', 'var(--series-4)'],
  starved: ['no CPU to run on', 'var(--wait)'],
  fault: ['page fault, swap or disk', 'var(--disk)'],
  vm: ['in the JVM\u2019s own code', 'var(--stall)'],
  critical: ['native code held an array', 'var(--series-3)'],
  unknown: ['not known', 'var(--blocked)'],
};
const reason = (why) => REASONS[why] ?? REASONS.unknown;

/** The thread that was awaited longest, or null. */
export function slowest(incident) {
  return incident.threads.reduce((most, t) => (!most || t.waited_ns > most.waited_ns ? t : most), null);
}

/** The safepoint that waited longest for what is to blame. */
export function longestOf(blame, incidents) {
  return incidents.find((s) => s.threads.some((t) => t.why === blame.why && t.frame === blame.frame && t.waited_ns === blame.longest_ns));
}

/** Where a thread was: the frame that explains it, and what led there. */
export function placeOf(thread) {
  if (!thread) return '';
  return thread.caller && thread.caller !== thread.frame ? `${thread.frame} from ${thread.caller}` : thread.frame;
}

/** A safepoint in a line. */
export function safepointText(incident) {
  const t = slowest(incident);
  const who = t ? `; ${t.thread || '[no name]'}: ${reason(t.why)[0]}${t.frame ? `, at ${placeOf(t)}` : ''}` : '';
  return cleanText(`${clockOf(incident.time_ns, 1e9)} ${incident.operation || incident.kind}: ${ns(incident.reach_ns)} to reach${who}`);
}

class SafepointsChart extends TimeChart {
  constructor(onRange) {
    super('Slow safepoints over time', 170, onRange);
  }

  layers() {
    this.unit = 'ns';
    this.most = roundTop(this.answer.worst.reduce((m, s) => Math.max(m, s.reach_ns), 1), 'ns');
  }

  y(v) {
    return this.height - BOTTOM - (this.height - TOP - BOTTOM) * Math.min(1, v / this.most);
  }

  drawAreas() {
    for (const s of this.answer.worst) this.bar(s.time_ns, s.duration_ns, this.y(s.reach_ns), reason(slowest(s)?.why)[1], safepointText(s));
  }

  drawLegend() {
    const counts = new Map();
    for (const s of this.answer.worst) {
      const why = slowest(s)?.why ?? 'unknown';
      counts.set(why, (counts.get(why) ?? 0) + 1);
    }
    this.legend.replaceChildren(...[...counts].sort((a, b) => b[1] - a[1]).map(([why, n]) => legendEntry(reason(why)[1], reason(why)[0], formatCount(n))));
  }
}

export class Safepoints extends OverAndTables {
  constructor() {
    super('Slow safepoints', (onRange) => new SafepointsChart(onRange), 'safepoints');
    this.slowest = h('h3', 'The slowest');
    this.facts = h('dl.facts');
    this.blame = new Table([
      { key: 'frame', head: 'Where', value: (r) => r.frame || 'not known', text: (r) => placeOf(r) || 'not known' },
      { key: 'why', head: 'Why', value: (r) => reason(r.why)[0] },
      figures('late', 'Times', formatCount), figures('total_ns', 'Time waited', ns, { all: () => this.awaited }), figures('longest_ns', 'Longest', ns),
    ], {
      caption: 'What was slow to reach safepoints', sort: 'total_ns', empty: 'No thread was seen to be slow.',
      onPick: (r) => this.pick(longestOf(r, this.answer.worst)), pickLabel: () => 'Show the longest time with its stack',
    });
    this.each = new Table([
      { key: 'start', head: 'Start, UTC', value: (r) => clockOf(r.time_ns, 1e9) },
      { key: 'operation', head: 'For', value: (r) => r.operation || r.kind },
      figures('reach_ns', 'Time to reach', ns), figures('duration_ns', 'Duration', ns),
      { key: 'thread', head: 'Slow thread', value: (r) => slowest(r)?.thread ?? 'not known' },
      { key: 'why', head: 'Why', value: (r) => reason(slowest(r)?.why)[0] },
    ], {
      caption: 'The slowest safepoints', sort: 'reach_ns',
      onPick: (r) => this.pick(r),
      picked: (r) => this.isPicked(r),
      pickLabel: (r) => safepointText(r),
    });
    this.detail = h('div', { 'aria-live': 'polite' });
  }

  pick(incident) {
    this.context.navigate({ safepoint: !incident || this.isPicked(incident) ? '' : String(incident.time_ns) });
  }

  isPicked(incident) {
    return String(incident.time_ns) === this.context.state.safepoint;
  }

  holds() {
    return true;
  }

  draw(answer, context) {
    if (answer.worst.length) {
      super.draw(answer, context);
      return;
    }
    const [title, text] = answer.recorded ? [`No safepoint took longer than ${ns(answer.threshold_ns)} to reach`, `The JVM reached ${formatCount(answer.safepoints)} safepoints in ${ns(answer.sync_ns)} in all.`]
      : ['Slow safepoints are not in this recording', 'With them, this shows which threads kept all others waiting, where they were, and why:'];
    this.root.hidden = false;
    this.root.replaceChildren(emptyBox(title, text, answer.recorded ? null : commandLine('wick record -e cpu,wall --ttsp PID')));
  }

  tables(answer) {
    const { length } = this;
    if (!answer.worst.length) return [h('p', `No safepoint was slow to reach in the chosen time${answer.safepoints ? `; there were ${formatCount(answer.safepoints)}, reached in ${ns(answer.sync_ns)} in all` : ''}.`)];
    const waited = answer.worst.reduce((sum, s) => sum + s.reach_ns, 0);
    const facts = [['Slow safepoints', formatCount(answer.incidents)], ['Time waited', ns(waited)], ['Longest', ns(Math.max(...answer.worst.map((s) => s.reach_ns)))]];
    if (answer.threshold_ns) facts.push(['Slow is more than', ns(answer.threshold_ns)]);
    if (answer.safepoints) facts.push(['All safepoints', formatCount(answer.safepoints)]);
    if (length > 0) facts.push(['Share of the time', formatPercent(waited, length)]);
    this.awaited = Math.max(1, ...answer.blame.map((b) => b.total_ns));
    this.facts.replaceChildren(...factsOf(facts));
    this.blame.update(answer.blame.slice(0, ROWS));
    this.each.update(answer.worst.slice(0, ROWS));
    this.showStacks(answer.worst.find((s) => this.isPicked(s)));
    return [this.facts, this.blame.root, this.slowest, this.each.root, this.detail];
  }

  /** The threads of the chosen safepoint with their stacks. */
  showStacks(incident) {
    if (!incident) {
      this.detail.replaceChildren();
      return;
    }
    const range = () => this.context.navigate({ from: incident.time_ns, to: incident.time_ns + Math.max(incident.duration_ns, 1e6) });
    exchange(this.detail,
      h('div.section-head', h('h3', `${incident.operation || incident.kind}, ${ns(incident.reach_ns)} to reach; ${formatCount(incident.late_threads)} of ${formatCount(incident.java_threads)} threads slow`), button('Take its time range', range)),
      ...incident.threads.map((t) => h('section.stack-of', h('strong', t.thread || '[no name]'), h('span.quiet', ` after ${ns(t.waited_ns)}: ${reason(t.why)[0]}${t.starved_ns ? `, ${ns(t.starved_ns)} without a CPU` : ''}`),
        t.stack.length ? h('ol.frames', ...t.stack.map((f) => h('li', { class: f === t.frame ? 'guilty' : null }, f))) : h('p.quiet', 'It did not answer a signal, so there is no stack.'))));
  }
}
