// SPDX-License-Identifier: Apache-2.0
// What disturbs the program: the JVM itself, its own locks, and other processes. Sentences of `wick explain` that are about that, slow
// safepoints, throttling and the like over time, who blocks whom, and states of threads over time.
import { commandLine, emptyBox, h } from './dom.js';
import { Disturbances } from './disturbances.js';
import { DisturbanceFindings } from './found.js';
import { LockGraph, threadsOf } from './lock_graph.js';
import { queryOf, rangeOf } from './state.js';
import { Safepoints } from './safepoints.js';
import { TimeAxis } from './series.js';
import { eventsOf, Slot } from './view.js';
import { formatWeight } from '../flame/text.js';

export class InterferenceView {
  constructor() {
    this.found = new DisturbanceFindings();
    this.safepoints = new Safepoints();
    this.disturbances = new Disturbances();
    this.locks = new Locks();
    this.states = new OverTime('States of threads over time');
    this.events = new OverTime('Events over time');
    this.root = h('div.page.scrolls.stack', this.found.root, this.safepoints.root, this.disturbances.root, this.locks.root, this.states.root, this.events.root);
  }

  release() {
    for (const part of [this.found, this.safepoints, this.disturbances, this.locks, this.states, this.events]) part.release();
  }

  update(context) {
    const wall = eventsOf(context.recording, ['wall'])[0];
    const others = eventsOf(context.recording, ['lock', 'ttsp'])[0];
    const range = rangeOf(context.state);
    this.found.ask(context, 'explain', range);
    this.safepoints.ask(context, 'safepoints', []);
    this.disturbances.update(context);
    this.locks.ask(context, 'locks', [...range, ...(context.state.thread ? [['thread', context.state.thread]] : [])]);
    const query = (event) => [...queryOf({ ...context.state, event }, ['no_idle', 'from', 'to']), ['no_idle', '1']];
    if (wall) this.states.ask(context, 'series', [...query(wall.name), ['by', 'state'], ['bins', '200'], ['top', '8']]);
    else this.states.root.replaceChildren(emptyBox('States of threads are not in this recording', 'The wall clock records whether threads run, wait for a CPU, for a monitor, for I/O or for work:', commandLine('wick record -e cpu,wall PID')));
    this.events.root.hidden = !others;
    if (others) this.events.ask(context, 'series', [...query(others.name), ['by', 'thread'], ['bins', '200'], ['top', '5']]);
  }
}

/** Who blocks whom. */
class Locks extends Slot {
  constructor() {
    super('section.card');
    this.graph = new LockGraph({ onChoose: (lock) => this.context.navigate({ lock }), onPick: (flow) => this.showStacks(flow) });
    this.facts = h('p.quiet');
  }

  release() {
    super.release();
    this.graph.release();
  }

  /** The flame graph of the threads that wait: of locks, where these are recorded. */
  showStacks(flow) {
    const event = eventsOf(this.context.recording, ['lock'])[0] ?? eventsOf(this.context.recording, ['wall'])[0];
    this.context.navigate({ tab: 'cpu', show: '', event: event?.name ?? '', thread: threadsOf(flow.waiter), zoom: '' });
  }

  draw(answer, context) {
    if (!answer.flows.length) {
      const [title, text] = answer.recorded ? [`No ${context.state.thread ? 'such ' : ''}thread waited for another${rangeOf(context.state).length ? ' in the chosen time' : ''}`, 'Waiting for locks was recorded, and nothing waited for a lock that another thread held.']
        : ['Waiting for locks is not in this recording', 'With it, this shows which threads wait for which locks, and who holds them:'];
      this.root.replaceChildren(emptyBox(title, text, answer.recorded ? null : commandLine('wick record -e cpu,wall,lock PID')));
      return;
    }
    this.facts.textContent = `${formatWeight(answer.total_ns, 'ns')} of waiting. Threads whose names differ only in numbers are shown as one, as are locks of one class.${answer.total > answer.flows.length ? ` The ${answer.flows.length} heaviest of ${answer.total} edges are shown.` : ''}`;
    this.keep(h('h2', 'Who blocks whom'), this.facts, this.graph.root);
    this.graph.update(answer, context.state.lock);
  }
}

class OverTime extends Slot {
  constructor(label) {
    super('section.card');
    this.label = label;
    this.axis = null;
  }

  release() {
    super.release();
    this.axis?.release();
  }

  draw(answer, context) {
    if (!this.axis || !this.axis.root.isConnected) {
      this.axis?.release();
      this.axis = new TimeAxis({ label: this.label, height: 180, onRange: (from, to) => this.context.navigate({ from, to }) });
      this.root.replaceChildren(h('h2', this.label), this.axis.root);
    }
    this.axis.update(answer, [context.state.from, context.state.to], context.theme, context.recording.marks);
  }
}
