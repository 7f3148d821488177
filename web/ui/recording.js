// SPDX-License-Identifier: Apache-2.0
// The frame around every page of a recording: tabs, event types, the time axis with its brush, and the chips of filters.
import { formatCount, formatWeight } from '../flame/text.js';
import { sentenceOf } from './api.js';
import { exchange, h, PartRead } from './dom.js';
import { CompareView } from './compare.js';
import { CpuView } from './cpu.js';
import { parsePick } from './density.js';
import { ExplainView } from './explain.js';
import { ExportMenu, hasTimes } from './export.js';
import { chip, FilterAdder, filterChips } from './filters.js';
import { Finder } from './find.js';
import { clockOf, dateOf, durationOf, eventName } from './format.js';
import { PageFindings } from './found.js';
import { HeatAxis } from './heat_axis.js';
import { InterferenceView } from './interference.js';
import { inOrder, Marks } from './live.js';
import { MemoryView } from './memory.js';
import { Segment } from './segment.js';
import { SlowView } from './slow.js';
import { chipsOf, formatState, queryOf, TABS } from './state.js';
import { sayError, WeightAxis } from './time_chart.js';
import { Slot } from './view.js';

const NAMES = { explain: 'Explain', slow: 'Slow', cpu: 'CPU', memory: 'Memory', interference: 'Interference', compare: 'Compare' };
const VIEWS = { explain: ExplainView, slow: SlowView, cpu: CpuView, memory: MemoryView, interference: InterferenceView, compare: CompareView };
const WITH_EVENTS = ['cpu', 'compare'];
const WITH_AXIS = ['cpu'];
const AXES = [['', 'Over time', 'Weight over time, by kind of code or state (h)'], ['auto', 'Heatmap', 'A cell for each 20 ms of every second, or longer ones (h)']];
const WITH_CHIPS = ['cpu', 'slow']; // those of Compare are its sides', others have them if there are any
const WITH_FOUND = ['cpu', 'slow', 'memory'];
/** What filters and time do on a page that has no samples of its own. */
const SCOPE = {
  explain: ['The sentences are of the chosen time.', 'Filters do not restrict them: what slows a process down is judged for it as a whole.'],
  memory: ['Tables and sentences are of the chosen time; the pictures mark it.', 'Filters do not restrict them: memory and collections are the whole process\u2019s.'],
  interference: ['Tables, graph and sentences are of the chosen time; the pictures mark it.', 'Filters restrict the states and events over time, that by thread also who waits for locks; safepoints and sentences are the whole process\u2019s.'],
};

/** The state with an event that the recording has: the one that is asked for, else the first. */
export function withEvent(state, recording) {
  const found = recording.events.find((e) => e.name === state.event) ?? recording.events.find((e) => e.kind === state.event) ?? recording.events.find((e) => e.kind === 'cpu') ?? recording.events[0];
  return { ...state, event: found ? found.name : '', eventKind: found ? found.kind : '' };
}

export class RecordingView {
  /** @param hooks {navigate(patch, history), stop(recording)} */
  constructor(hooks) {
    this.hooks = hooks;
    this.tabs = h('nav.tabs', { 'aria-label': 'Pages of this recording' });
    this.events = new Segment('div.segment.event-tabs', 'Event', (event) => this.hooks.navigate({ event, zoom: '', kinds: 0 }));
    this.chips = h('div.chips', { role: 'group', 'aria-label': 'Filters' });
    this.adder = new FilterAdder({ id: 'filter-values', label: 'Filter', onAdd: (part) => this.hooks.navigate(part) });
    this.scope = h('p.quiet', { hidden: true });
    this.bar = h('div.filter-bar', this.events.root, this.chips, this.scope, this.adder.root);
    this.found = new PageFindings();
    this.axis = new WeightAxis({ label: 'Weight over time', onRange: (from, to) => this.hooks.navigate({ from, to }) }, '240');
    this.marks = new Marks((from, to) => this.hooks.navigate({ from, to }));
    this.heat = new HeatAxis({ onRange: (from, to) => this.hooks.navigate({ from, to }), onScale: (ns) => this.hooks.navigate({ heat: String(ns) }) });
    this.cells = new Slot('div', (answer, context) => this.heat.update(answer, [context.state.from, context.state.to], context.theme));
    this.cells.owner = this.heat.root;
    this.switch = new Segment('div.segment.small.axis-switch', 'Picture of time (h)', (value) => this.hooks.navigate({ heat: value }));
    this.place = h('div.place', { id: 'place' });
    this.problem = h('p.problem', { hidden: true });
    this.find = new Finder([this.found.root, this.place], (search) => this.hooks.navigate({ search }, false));
    this.export = new ExportMenu();
    this.part = new PartRead('Read of the recording', 'The pictures show what has been read so far, and grow until all of it is');
    this.root = h('div.recording-frame', h('div.tab-row', this.tabs, this.part.root, this.find.root, this.export.root), this.problem, this.bar, this.axis.root, this.heat.root, this.marks.root, this.found.root, this.place);
    this.view = null;
    this.tab = '';
  }

  release() {
    this.view?.release();
    this.found.release();
    this.export.release();
    this.find.release();
    this.adder.release();
    this.axis.release();
    this.cells.release();
    this.heat.release();
  }

  update(context) {
    const state = withEvent(context.state, context.recording);
    this.context = { ...context, state };
    const { recording } = context;
    this.drawTabs(state);
    this.export.update(this.context);
    this.adder.update(recording, state);
    this.adder.root.hidden = !WITH_CHIPS.includes(state.tab);
    this.part.update(recording.partial && !(state.tab === 'compare' && state.base), recording.read_bytes, recording.size_bytes); // there each side has its own
    this.problem.hidden = !recording.problem;
    this.problem.textContent = sentenceOf(recording.problem);
    this.drawChips(state);
    this.drawEvents(state, recording);
    this.found.root.hidden = !WITH_FOUND.includes(state.tab);
    if (!this.found.root.hidden) this.found.update(this.context);
    this.marks.update(recording, state);
    this.showTime(WITH_AXIS.includes(state.tab) && hasTimes(state, recording));
    if (state.tab !== this.tab) {
      this.view?.release();
      this.view = new VIEWS[state.tab]();
      this.tab = state.tab;
      this.place.replaceChildren(this.view.root);
    }
    this.view.update(this.context);
    const graph = state.tab === 'cpu' && (!state.show || (state.show === 'sandwich' && state.focus !== '')); // which has a search and a legend of its own
    this.find.update(state.search, state.tab === 'compare' || graph);
    this.axis.root.classList.toggle('bare', graph && state.eventKind !== 'wall');
  }

  /** Whether the page has a time axis. */
  get hasTime() {
    return !this.axis.root.hidden || !this.heat.root.hidden;
  }

  /** The time axis, as an area or as a heatmap. */
  showTime(shown) {
    const { state } = this.context;
    const heat = state.heat !== '';
    this.axis.root.hidden = !shown || heat;
    this.heat.root.hidden = !shown || !heat;
    if (!shown) return;
    this.switch.update(AXES, (value) => heat === (value !== ''));
    const head = heat ? this.heat.head : this.axis.root.firstChild;
    if (head.lastChild !== this.switch.root) head.append(this.switch.root);
    if (heat) this.askCells(this.context);
    else this.axis.ask(this.context);
  }

  async askCells(context) {
    const length = /^\d{1,18}$/.test(context.state.heat) ? [['column_ns', context.state.heat]] : [['columns', String(this.heat.room)]];
    await this.cells.ask(context, 'heat', [...queryOf(context.state, ['from', 'to']), ...length]);
    sayError(this.cells, this.heat.note);
  }

  drawTabs(state) {
    exchange(this.tabs, TABS.map((tab) => h('a', {
      href: formatState({ ...state, tab, trace: tab === 'slow' ? state.trace : '' }), 'aria-current': tab === state.tab ? 'page' : null,
    }, NAMES[tab])));
  }

  drawEvents(state, recording) {
    this.bar.hidden = ![...WITH_CHIPS, ...WITH_EVENTS].includes(state.tab) && !this.chips.childElementCount;
    this.events.root.hidden = !WITH_EVENTS.includes(state.tab);
    const title = (e) => `${e.name}: ${e.unit === 'count' ? '' : `${formatWeight(e.total, e.unit)}, `}${formatCount(e.samples)} samples`;
    this.events.update(inOrder(recording.events).map((e) => [e.name, eventName(e), title(e)]), (name) => name === state.event);
  }

  drawChips(state) {
    const { from, to, tab, eventKind, idle } = state;
    const key = JSON.stringify([chipsOf(state), from, to, tab, state.pick, eventKind, idle]);
    if (key === this.chipsKey) return;
    this.chipsKey = key;
    const shown = tab !== 'compare';
    const chips = shown ? filterChips(state, (without) => this.hooks.navigate(without)) : [];
    if (shown && to > from) chips.unshift(chip('time', durationOf(to - from), 'Remove the range of time', () => this.hooks.navigate({ from: 0, to: 0 })));
    const pick = tab === 'slow' ? parsePick(state.pick) : null;
    if (pick) {
      chips.push(chip('took', `${formatWeight(Number(pick.least), 'ns')} to ${formatWeight(Number(pick.most), 'ns')} at ${clockOf(Number(pick.from))}`, 'Remove the choice of requests',
        () => this.hooks.navigate({ pick: '', trace: '' })));
    }
    if (state.eventKind === 'wall' && WITH_EVENTS.includes(state.tab)) {
      chips.push(h('button.filter-toggle', { type: 'button', 'aria-pressed': String(state.idle), title: 'Threads that wait for work: parked, asleep, in a poll or an accept',
        onclick: () => this.hooks.navigate({ idle: !state.idle }) }, 'Idle threads'));
    }
    const said = chips.length && SCOPE[tab] ? [to > from ? SCOPE[tab][0] : '', chipsOf(state).length ? SCOPE[tab][1] : ''] : [];
    this.scope.textContent = said.filter(Boolean).join(' ');
    this.scope.hidden = !said.length;
    exchange(this.chips, chips);
  }

  /** What stands beside the name of the recording. */
  static facts(recording) {
    const parts = [formatWeight(recording.size_bytes, 'bytes')];
    if (recording.start_ns) parts.unshift(durationOf(recording.end_ns - recording.start_ns), dateOf(recording.start_ns));
    if (recording.pid) parts.push(`process ${recording.pid}`);
    if (!recording.live && recording.unfinished) parts.push('not finished');
    return parts.join(' \u00b7 ');
  }
}
