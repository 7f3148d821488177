// SPDX-License-Identifier: Apache-2.0
// Why requests are slow: endpoints, the latency of the chosen one over time, its traces, and the timeline of a trace.
import { cleanText, formatCount, formatWeight } from '../flame/text.js';
import { NO_ENDPOINT } from '../spans/common.js';
import { Timeline } from '../spans/timeline.js';
import { Density, formatPick, parsePick } from './density.js';
import { button, commandLine, emptyBox, h } from './dom.js';
import { clockOf } from './format.js';
import { Segment } from './segment.js';
import { READINGS, spark } from './spark.js';
import { emptyState, exactly, rangeOf } from './state.js';
import { figures, Table } from './table.js';
import { eventsOf, Slot } from './view.js';

const ns = (v) => (v > 0 ? formatWeight(v, 'ns') : '\u2013');
const time = (key, head, hint) => figures(key, head, ns, { hint });

const REST_MS = 250; // without another step of a zoom

const KEY = [['cpu', 'on CPU'], ['run', 'running, by the wall clock'], ['wait', 'waiting for a CPU'], ['blocked', 'blocked'],
  ['monitor', 'waiting for a monitor'], ['io', 'I/O'], ['disk', 'file'], ['held', 'safepoint'], ['stall', 'allocation stall'], ['gap', 'not sampled']];

/** From where on traces are listed, the slowest first: figures of the endpoint. */
const AROUND = [['', 'Slowest'], ['p99', 'p99'], ['p90', 'p90'], ['p50', 'Median']];

const aroundOf = ({ around }) => (AROUND.some(([key]) => key === around) ? around : '');

/** The event whose stacks say what threads did: the wall clock if it was recorded. */
const stacksOf = (recording) => eventsOf(recording, ['wall'])[0] ?? eventsOf(recording, ['cpu'])[0];

/** The highest 99th percentile of each of at most READINGS parts of the time from the first to the last second; 0 without requests. */
export function percentilesOver(seconds, first, last) {
  const out = new Array(Math.min(READINGS, last - first + 1)).fill(0);
  for (const s of seconds) {
    const part = Math.floor(((s.second - first) * out.length) / (last - first + 1));
    out[part] = Math.max(out[part], s.p99_ns);
  }
  return out;
}

export class SlowView {
  constructor() {
    this.endpoints = new Endpoints(() => this.askTraces());
    this.latency = new Latency((pick, n) => {
      this.traces.single = n === 1; // then it is opened at once
      this.context.navigate({ pick: pick ? formatPick(pick) : '', trace: '' });
    });
    this.traces = new Traces();
    this.trace = new Trace();
    this.root = h('div.page.scrolls.stack', this.endpoints.root, this.latency.root, this.traces.root, this.trace.root);
  }

  release() {
    for (const part of [this.endpoints, this.latency, this.traces, this.trace]) part.release();
  }

  update(context) {
    const { state } = context;
    const of = state.endpoint ? [['endpoint', state.endpoint]] : [];
    const range = rangeOf(state);
    this.context = context;
    this.endpoints.ask(context, 'endpoints', range);
    this.latency.ask(context, 'latency', [...of, ...range, ['columns', '150'], ['rows', '36']]);
    this.askTraces();
    this.trace.update(context);
  }

  /** The slowest traces of all, of what is picked in the picture, or from a percentile of the endpoint's on. */
  askTraces() {
    const { state } = this.context;
    const pick = parsePick(state.pick);
    const most = !pick && this.endpoints.of(state.endpoint)?.[`${aroundOf(state)}_ns`];
    this.traces.from = most ? aroundOf(state) : '';
    const range = pick ? Object.entries(pick) : [...rangeOf(state), ...(most ? [['most', String(most + 1)]] : [])];
    this.traces.ask(this.context, 'traces', [...(state.endpoint ? [['endpoint', state.endpoint]] : []), ...range, ['rows', '50']]);
  }
}

class Endpoints extends Slot {
  /** @param onRows called when there are other figures */
  constructor(onRows) {
    super('section.card');
    this.onRows = onRows;
    this.table = new Table([
      { key: 'endpoint', head: 'Endpoint', value: (r) => r.endpoint ?? NO_ENDPOINT },
      figures('count', 'Requests', formatCount),
      time('p50_ns', 'Median'), time('p90_ns', 'p90'), time('p99_ns', 'p99'),
      { key: 'over_time', head: 'p99 over time', hint: 'Of the requests that began in each part of the time; the upper edge is the highest', value: (r) => r.p99_ns, text: (r) => this.line(r) },
      time('max_ns', 'Longest'),
      time('cpu_ns', 'CPU', 'CPU time of all its requests'), time('run_queue_ns', 'Waiting for CPU', 'Runnable without a CPU, by the wall clock'),
      time('blocked_ns', 'Blocked', 'Waiting for something else than a CPU, by the wall clock'),
    ], {
      caption: 'Latency by endpoint', sort: 'p99_ns', empty: 'No endpoint.',
      onPick: (r) => this.context.navigate({ endpoint: r.endpoint === this.context.state.endpoint ? '' : r.endpoint ?? '', trace: '', pick: '' }),
      picked: (r) => (r.endpoint ?? '') === this.context.state.endpoint && r.endpoint !== null,
      pickLabel: () => 'Choose: its latency, its traces, and everything on the other pages',
    });
  }

  /** The figures of an endpoint, if they are known. */
  of(endpoint) {
    return endpoint ? this.answer?.endpoints.find((r) => r.endpoint === endpoint) : undefined;
  }

  line(row) {
    const values = percentilesOver(row.seconds, ...this.seconds);
    return spark(values, 0, 'of-latency', values.length);
  }

  draw(answer, context) {
    const seconds = answer.endpoints.flatMap((r) => r.seconds.map((s) => s.second));
    this.seconds = seconds.reduce(([low, high], s) => [Math.min(low, s), Math.max(high, s)], [Infinity, 0]);
    if (!answer.endpoints.some((r) => r.endpoint !== null && r.count)) {
      if (rangeOf(context.state).length) this.root.replaceChildren(emptyBox('No request began in the chosen time', '', button('Show all of the time', () => this.context.navigate({ from: 0, to: 0 }))));
      else this.root.replaceChildren(emptyBox('No requests are in this recording',
        'wick measures the requests of a program that labels them: with wick.jar (docs/labels.md), or with a tracer that publishes its spans as OpenTelemetry does. Record the wall clock as well, to see what requests wait for:',
        commandLine('wick record -e cpu,wall PID')));
      return;
    }
    this.table.update(answer.endpoints);
    this.keep(this.table.root);
    if (this.drawn !== answer) this.onRows();
    this.drawn = answer;
  }
}

/** The latency of the chosen endpoint, or of all, over time. */
class Latency extends Slot {
  constructor(onPick) {
    super('section.card');
    this.title = h('h2');
    this.density = new Density(onPick);
  }

  release() {
    super.release();
    this.density.release();
  }

  draw(answer, context) {
    const { state, theme } = context;
    this.root.hidden = !answer.count && !state.endpoint;
    this.title.textContent = cleanText(`Latency${state.endpoint ? ` of ${state.endpoint}` : ' of all requests'}`);
    if (!answer.count) {
      this.root.replaceChildren(this.title, h('p.quiet', rangeOf(state).length ? 'None began in the chosen time.' : 'This recording has no request of this endpoint.'));
      return;
    }
    this.keep(this.title, this.density.root);
    this.density.update(answer, parsePick(state.pick), theme);
  }
}

class Traces extends Slot {
  constructor() {
    super('section.card');
    this.from = ''; // what is asked for is below that figure of the endpoint
    this.head = h('h2');
    this.around = new Segment('div.segment.small', 'Traces from', (around) => this.context.navigate({ around, trace: '' }));
    this.top = h('div.card-head', this.head, this.around.root);
    this.table = new Table([
      { key: 'endpoint', head: 'Trace', value: (r) => r.endpoint ?? NO_ENDPOINT },
      figures('latency_ns', 'Duration', ns, { all: () => this.longest }), figures('start_ns', 'Start, UTC', (v) => clockOf(v, 1e9)),
      figures('spans', 'Spans', formatCount),
      { key: 'id', head: 'Id', value: (r) => r.id },
    ], {
      caption: 'Traces, slowest first', sort: 'latency_ns', empty: 'No trace of this endpoint.',
      onPick: (r) => this.context.navigate({ trace: r.id }),
      picked: (r) => r.id === this.context.state.trace,
      pickLabel: () => 'Show what its threads did',
    });
  }

  draw(answer, context) {
    this.root.hidden = !answer.total && !context.state.endpoint;
    this.longest = answer.traces.reduce((m, t) => Math.max(m, t.latency_ns), 1);
    const of = context.state.endpoint ? ` of ${context.state.endpoint}` : '';
    const picked = parsePick(context.state.pick);
    const those = picked ? ` of the chosen ${answer.total === 1 ? 'request' : 'requests'}` : of;
    const opens = this.single && picked && answer.total === 1;
    this.single = false;
    this.around.root.hidden = !context.state.endpoint || picked;
    this.around.update(AROUND, (key) => key === aroundOf(context.state));
    const from = this.from ? `Traces up to the ${this.from === 'p50' ? 'median' : `${this.from.slice(1)}th percentile`}` : 'Slowest traces';
    this.head.textContent = cleanText(`${from}${those}${answer.total > answer.traces.length ? `, ${answer.traces.length} of ${formatCount(answer.total)}` : ''}`);
    this.table.update(answer.traces);
    this.keep(this.top, this.table.root);
    if (opens) context.navigate({ trace: answer.traces[0].id });
  }
}

class Trace extends Slot {
  constructor() {
    super('section.card');
    this.root.id = 'trace';
    this.head = h('h2');
    this.facts = h('p.quiet');
    const [spans, threads] = [h('div'), h('div')];
    const detail = h('div', { id: 'detail', 'aria-live': 'polite' });
    this.timeline = new Timeline({ spans, threads, detail }, { wayTo: (...at) => this.wayTo(...at), onZoom: (part) => this.onZoom(part) });
    this.legend = h('div.legend', ...KEY.map(([key, text]) => h('span', h(`i.swatch.key-${key}`), text)));
    this.body = h('div', h('h3', 'Spans'), spans, this.legend, threads, detail);
    this.close = button('Close', () => this.context.navigate({ trace: '' }), { title: 'Close the trace' });
  }

  release() {
    super.release();
    clearTimeout(this.zoomTimer);
  }

  update(context) {
    const { trace } = context.state;
    if (trace !== this.chosen) clearTimeout(this.zoomTimer);
    this.chosen = trace;
    this.root.hidden = !trace;
    if (trace) this.ask(context, `trace/${encodeURIComponent(trace)}`, []);
  }

  /** The error stands in its place: the next answer is drawn, also if it is the same. */
  fail(e) {
    this.said = '';
    super.fail(e);
  }

  /** What the owner of a lock did elsewhere: the trace that it worked for, or its stacks at that time. */
  wayTo(owner, from, to) {
    const [, name] = /^\[(.*?)(?: tid=\d+)?\]$/s.exec(owner.thread) ?? ['', owner.thread];
    const event = stacksOf(this.context.recording);
    if (owner.trace) {
      return [`Show its trace: ${owner.endpoint ?? owner.trace}`, () => {
        this.timeline.seek = owner;
        this.context.navigate({ trace: owner.trace });
      }];
    }
    return event ? ['Show its stacks then', () => this.context.navigate({ ...emptyState(), recording: this.context.state.recording, tab: 'cpu', event: event.name, idle: true, thread: exactly(name), from, to })] : null;
  }

  /** The part of the time in sight is in the address, once it has come to rest. */
  onZoom(ends) {
    if (this.chosen !== this.drawnOf) return; // another one is on its way
    this.part = this.timeline.zoom.isZoomed ? ends.map(Math.round).join('-') : '';
    clearTimeout(this.zoomTimer);
    this.zoomTimer = setTimeout(() => this.context.navigate({ part: this.part }), REST_MS);
  }

  /** What the address says. */
  takePart(part) {
    if (part === this.part || !this.timeline.trace) return;
    this.part = part;
    const ends = /^\d{1,15}-\d{1,15}$/.test(part) ? part.split('-').map(Number) : [0, Infinity];
    this.timeline.zoom.set(...ends, false);
  }

  draw(answer, context) {
    const trace = answer.traces[0];
    // While the recording grows the same is answered again: what is chosen in it stays.
    const said = this.drawn === answer ? this.said : JSON.stringify([context.state.trace, trace, answer.stacks]);
    this.drawn = answer;
    if (this.said === said) {
      this.takePart(context.state.part);
      return;
    }
    this.said = said;
    this.drawnOf = context.state.trace;
    if (!trace) {
      this.root.replaceChildren(emptyBox('This trace is not in the recording', '', this.close));
      return;
    }
    this.head.textContent = cleanText(trace.endpoint ?? 'Trace');
    this.facts.textContent = cleanText(`${ns(trace.duration_ns)} from ${clockOf(trace.start_ns, 1e9)} UTC, trace ${trace.id}`);
    const take = (more = {}) => {
      const [from, to] = this.timeline.zoom.part.map((at) => trace.start_ns + Math.round(at));
      this.context.navigate({ from, to, ...more });
    };
    const range = button('Take its time range', () => take(), { title: 'Show the range of time in sight on all pages' });
    const event = stacksOf(context.recording);
    const stacks = event && button('Flame graph', () => take({ tab: 'cpu', event: event.name, endpoint: trace.endpoint ?? '', trace: '', pick: '', show: '', zoom: '' }), { title: 'Of the stacks of its endpoint in the time in sight' });
    this.root.replaceChildren(h('div.card-head', h('div', this.head, this.facts), h('div.card-tools', stacks, range, this.close)), this.body);
    this.timeline.show(trace, answer.stacks);
    this.part = '';
    this.takePart(context.state.part);
    if (context.generation === 0) this.root.scrollIntoView({ block: 'start' });
  }
}
