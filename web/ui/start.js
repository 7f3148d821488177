// SPDX-License-Identifier: Apache-2.0
// The first page: which JVMs run here and which recordings there are.
import { formatPercent, formatWeight } from '../flame/text.js';
import { get, post, sentenceOf } from './api.js';
import { calm } from './calm.js';
import { commandLine, emptyBox, errorBox, exchange, h, say } from './dom.js';
import { dateOf, durationOf, eventName } from './format.js';
import { chosenOf, EVENTS, eventBoxes, inOrder } from './live.js';
import { READINGS, spark } from './spark.js';
import { emptyState, formatState } from './state.js';

const REFRESH_MS = 3000;
const chosen = new Set(EVENTS.filter((e) => e[2]).map((e) => e[0])); // as long as the page is open

/** What a JVM is called: its main class without the package, or its jar without the folder. */
export function jvmTitle(jvm) {
  const main = jvm.name.split(/\s/)[0];
  const bare = main.includes('/') ? main.slice(main.lastIndexOf('/') + 1) : /\.jar$/i.test(main) ? main : main.slice(main.lastIndexOf('.') + 1);
  return bare || `process ${jvm.pid}`;
}

/** Share of one CPU between two readings of the same process, or -1 if there is no earlier one. */
export function cpuShare(before, now, passedNs) {
  if (!before || before.cpu_ns === undefined || now.cpu_ns === undefined || passedNs <= 0) return -1;
  return Math.max(0, now.cpu_ns - before.cpu_ns) / passedNs;
}

export class StartView {
  /** @param open (state) goes to a recording */
  constructor(open) {
    this.open = open;
    this.readings = new Map(); // by process: {cpu_ns, at, cpu: shares, heap: bytes}, the latest at the end
    this.jvms = h('div.cards', { id: 'jvms' });
    this.list = h('div', { id: 'recordings' });
    this.said = h('div', { role: 'alert' });
    this.events = eventBoxes('Record', (key) => chosen.has(key), (key, on) => this.choose(key, on));
    this.root = h('div.page.scrolls.start', this.said,
      h('section', { 'aria-labelledby': 'jvms-head' }, h('div.section-head', h('h2', { id: 'jvms-head' }, 'Java processes'), this.events), this.jvms),
      h('section', { 'aria-labelledby': 'recordings-head' }, h('h2', { id: 'recordings-head' }, 'Recordings'), this.list));
    this.timer = setInterval(() => this.refreshJvms(), REFRESH_MS);
    this.refreshJvms();
  }

  release() {
    clearInterval(this.timer);
  }

  choose(key, on) {
    if (on) chosen.add(key);
    else chosen.delete(key);
  }

  async refreshJvms() {
    try {
      const { jvms } = await get('jvms');
      await calm();
      const now = performance.now();
      this.take(jvms, now);
      const key = JSON.stringify(jvms);
      if (key === this.jvmsKey && !jvms.some((jvm) => this.moves(jvm))) return;
      this.jvmsKey = key;
      this.drawJvms(jvms);
    } catch (e) {
      if (!this.jvmsKey) this.jvms.replaceChildren(errorBox(e));
    }
  }

  /** Keeps the readings that the lines are made of. */
  take(jvms, now) {
    const kept = new Map();
    for (const jvm of jvms) {
      const before = this.readings.get(jvm.pid) ?? { cpu: [], heap: [] };
      const share = cpuShare(before, jvm, (now - before.at) * 1e6);
      const add = (list, v) => (v >= 0 ? [...list, v].slice(-READINGS) : list);
      kept.set(jvm.pid, { cpu_ns: jvm.cpu_ns, at: now, cpu: add(before.cpu, share), heap: add(before.heap, jvm.heap_bytes ?? -1) });
    }
    this.readings = kept;
  }

  /** Whether its lines have something to show that they had not. */
  moves(jvm) {
    const { cpu, heap } = this.readings.get(jvm.pid);
    return cpu.some((v) => v > 0) || heap.some((v) => v !== heap[0]);
  }

  drawJvms(jvms) {
    if (!jvms.length) {
      this.jvms.replaceChildren(emptyBox('No Java process runs here', 'Start one, or open a recording below. Processes of other users are listed if wick runs as root; those in containers are listed like all others.'));
      return;
    }
    exchange(this.jvms, ...jvms.map((jvm) => this.jvm(jvm)));
  }

  /** CPU and heap of a JVM, each with its last readings. */
  figures(jvm) {
    const { cpu, heap } = this.readings.get(jvm.pid);
    const share = cpu[cpu.length - 1];
    const cell = (line, hint, text, more) => h('div', { title: hint }, line, h('p', text), more);
    const resident = jvm.rss_bytes ? h('p.quiet', `${formatWeight(jvm.rss_bytes, 'bytes')} resident`) : null;
    const ofHeap = jvm.heap_bytes >= 0 ? `${formatWeight(jvm.heap_bytes, 'bytes')} of ${formatWeight(jvm.heap_committed_bytes, 'bytes')} heap` : '';
    return h('div.figures', jvm.cpu_ns === undefined ? null : cell(spark(cpu, 1, 'of-cpu'), 'CPU time in the last two minutes; the upper edge is one CPU or more', share >= 0 ? `${formatPercent(share, 1)} CPU` : 'CPU', ofHeap ? null : resident),
      ofHeap ? cell(spark(heap, jvm.heap_committed_bytes, 'of-heap'), 'Java heap in use in the last two minutes; the upper edge is what is committed. Some collectors publish it at collections only', ofHeap, resident) : null);
  }

  jvm(jvm) {
    const facts = [`process ${jvm.pid}`, jvm.jdk && `JDK ${jvm.jdk}`, jvm.user, jvm.container && `container ${jvm.container}`].filter(Boolean);
    let act;
    if (jvm.recording) act = h('a.plain.as-button', { href: formatState({ ...emptyState(), recording: jvm.recording }), 'data-pid': jvm.pid }, h('i.dot', { 'aria-hidden': 'true' }), 'Recording: show');
    else act = h('button.record', { type: 'button', 'data-pid': jvm.pid, disabled: !jvm.readable, onclick: (e) => this.record(jvm, e.currentTarget), 'aria-label': `Record ${jvmTitle(jvm)}` }, h('i.dot', { 'aria-hidden': 'true' }), 'Record');
    return h('article.card.jvm', h('div.jvm-text', h('h3', { title: jvm.name }, jvmTitle(jvm)), jvmTitle(jvm) === jvm.name ? null : h('p.quiet.whole', { title: jvm.name }, jvm.name), h('p.quiet', facts.join(' \u00b7 ')), jvm.readable ? null : h('p.quiet', 'It belongs to another user: start wick as that user or as root to record it.')), act, this.figures(jvm));
  }

  async record(jvm, press) {
    if (!chosen.size) {
      this.said.replaceChildren(errorBox({ why: 'No event is chosen.', whatToDo: 'Choose at least one of those beside the heading, for example CPU time.' }, 'The recording did not start'));
      return;
    }
    press.disabled = true;
    press.lastChild.textContent = 'Starting \u2026';
    say(`Starting a recording of ${jvmTitle(jvm)}`);
    try {
      const events = EVENTS.map((e) => e[0]).filter((k) => chosen.has(k));
      const recording = await post('recordings', { pid: jvm.pid, events });
      chosenOf.set(recording.id, events);
      this.open({ ...emptyState(), recording: recording.id, tab: 'cpu' });
    } catch (e) {
      this.said.replaceChildren(errorBox(e, 'The recording did not start'));
      press.disabled = false;
      press.lastChild.textContent = 'Record';
    }
  }

  update({ recordings, error }) {
    if (error) {
      this.list.replaceChildren(errorBox(error));
      return;
    }
    if (!recordings.length) {
      this.list.replaceChildren(emptyBox('There is no recording yet', 'Press Record at a Java process above, or start wick with recordings, heap dumps or folders:', commandLine('wick ui FILE.jfr FOLDER')));
      return;
    }
    exchange(this.list, h('ul.recordings', ...recordings.map((r) => this.recording(r))));
  }

  recording(r) {
    const facts = [formatWeight(r.size_bytes, 'bytes'), r.start_ns && durationOf(r.end_ns - r.start_ns), r.start_ns && dateOf(r.start_ns),
      r.pid && `process ${r.pid}`, !r.live && r.unfinished && 'not finished'].filter(Boolean);
    return h('li.card.recording', h('div', h('h3', h('a', { href: formatState({ ...emptyState(), recording: r.id }) }, r.name)),
      h('p.quiet', { title: r.path }, facts.join(' \u00b7 ')), r.problem ? h('p.problem', sentenceOf(r.problem)) : null),
    h('div.badges', r.live ? h('span.badge.live', h('i.dot', { 'aria-hidden': 'true' }), 'recording') : null, r.content === 'heap' ? h('span.badge', 'heap dump') : null, ...inOrder(r.events).map((e) => h('span.badge', eventName(e)))));
  }
}
