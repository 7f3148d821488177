// SPDX-License-Identifier: Apache-2.0
// The first page: which JVMs run here and which recordings there are.
import { formatPercent, formatWeight } from '../flame/text.js';
import { get, post } from './api.js';
import { calm } from './calm.js';
import { commandLine, emptyBox, errorBox, exchange, h, say } from './dom.js';
import { dateOf, durationOf, eventName } from './format.js';
import { EVENTS, eventBoxes } from './live.js';
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
    this.readings = new Map();
    this.jvms = h('div.cards', { id: 'jvms' });
    this.list = h('div', { id: 'recordings' });
    this.said = h('div', { role: 'alert' });
    this.events = eventBoxes('Record', (key) => chosen.has(key), (key, on) => this.choose(key, on));
    this.root = h('div.page.scrolls.start', {}, this.said,
      h('section', { 'aria-labelledby': 'jvms-head' }, h('div.section-head', {}, h('h2', { id: 'jvms-head' }, 'Java processes'), this.events), this.jvms),
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
      const key = JSON.stringify(jvms);
      if (key === this.jvmsKey) return;
      this.jvmsKey = key;
      this.drawJvms(jvms, now);
    } catch (e) {
      if (!this.jvmsKey) this.jvms.replaceChildren(errorBox(e));
    }
  }

  drawJvms(jvms, now) {
    if (!jvms.length) {
      this.jvms.replaceChildren(emptyBox('No Java process runs here', 'Start one, or look at a recording below. Processes of other users are listed if wick runs as root; those in containers are listed like all others.'));
      return;
    }
    exchange(this.jvms, ...jvms.map((jvm) => this.jvm(jvm, now)));
    for (const jvm of jvms) this.readings.set(jvm.pid, { cpu_ns: jvm.cpu_ns, at: now });
  }

  jvm(jvm, now) {
    const before = this.readings.get(jvm.pid);
    const share = cpuShare(before, jvm, before ? (now - before.at) * 1e6 : 0);
    const facts = [`process ${jvm.pid}`, jvm.jdk && `JDK ${jvm.jdk}`, jvm.user, jvm.container && `container ${jvm.container}`].filter(Boolean);
    const figures = [share >= 0 ? `${formatPercent(share, 1)} CPU` : '', jvm.rss_bytes ? `${formatWeight(jvm.rss_bytes, 'bytes')} resident` : ''].filter(Boolean);
    let act;
    if (jvm.recording) act = h('a.plain.as-button', { href: formatState({ ...emptyState(), recording: jvm.recording }), 'data-pid': jvm.pid }, h('i.dot', { 'aria-hidden': 'true' }), 'Recording: show');
    else act = h('button.record', { type: 'button', 'data-pid': jvm.pid, disabled: !jvm.readable, onclick: (e) => this.record(jvm, e.currentTarget), 'aria-label': `Record ${jvmTitle(jvm)}` }, h('i.dot', { 'aria-hidden': 'true' }), 'Record');
    return h('article.card.jvm', {}, h('div.jvm-text', {}, h('h3', { title: jvm.name }, jvmTitle(jvm)), h('p.quiet.whole', { title: jvm.name }, jvm.name), h('p.quiet', {}, facts.join(' \u00b7 ')),
      h('p.figures', {}, figures.join(' \u00b7 ') || '\u00a0'), jvm.readable ? null : h('p.quiet', {}, 'It belongs to another user: start wick as that user or as root to record it.')), act);
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
      const recording = await post('recordings', { pid: jvm.pid, events: EVENTS.map((e) => e[0]).filter((k) => chosen.has(k)) });
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
      this.list.replaceChildren(emptyBox('There is no recording yet', 'Press Record at a Java process above, or start wick with files or folders:', commandLine('wick ui FILE.jfr FOLDER')));
      return;
    }
    exchange(this.list, h('ul.recordings', {}, ...recordings.map((r) => this.recording(r))));
  }

  recording(r) {
    const facts = [formatWeight(r.size_bytes, 'bytes'), r.start_ns && durationOf(r.end_ns - r.start_ns), r.start_ns && dateOf(r.start_ns),
      r.pid && `process ${r.pid}`, !r.live && r.unfinished && 'not finished'].filter(Boolean);
    return h('li.card.recording', {}, h('div', {}, h('h3', {}, h('a', { href: formatState({ ...emptyState(), recording: r.id }) }, r.name)),
      h('p.quiet', { title: r.path }, facts.join(' \u00b7 ')), r.problem ? h('p.problem', {}, r.problem) : null),
    h('div.badges', {}, r.live ? h('span.badge.live', {}, h('i.dot', { 'aria-hidden': 'true' }), 'recording') : null, ...r.events.map((e) => h('span.badge', {}, eventName(e)))));
  }
}
