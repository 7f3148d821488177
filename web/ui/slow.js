// SPDX-License-Identifier: Apache-2.0
// Why requests are slow: endpoints, the latency of the chosen one over time, its traces, and the timeline of a trace.
import { formatCount, formatWeight } from '../flame/text.js';
import { element, svg } from '../spans/common.js';
import { NO_ENDPOINT, drawLatency } from '../spans/latency.js';
import { Timeline } from '../spans/timeline.js';
import { button, commandLine, emptyBox, h } from './dom.js';
import { clockOf } from './format.js';
import { Table } from './table.js';
import { Slot } from './view.js';

const ns = (v) => (v > 0 ? formatWeight(v, 'ns') : '\u2013');
const time = (key, head, hint) => ({ key, head, hint, value: (r) => r[key] ?? 0, text: (r) => ns(r[key]) });

const KEY = [['cpu', 'on CPU'], ['run', 'running, by the wall clock'], ['wait', 'waiting for a CPU'], ['blocked', 'blocked'],
  ['monitor', 'waiting for a monitor'], ['held', 'held by the JVM'], ['gap', 'not sampled']];

export class SlowView {
  constructor() {
    this.endpoints = new Endpoints();
    this.traces = new Traces();
    this.trace = new Trace();
    this.root = h('div.page.scrolls.stack', {}, this.endpoints.root, this.traces.root, this.trace.root);
  }

  release() {
    for (const part of [this.endpoints, this.traces, this.trace]) part.release();
  }

  update(context) {
    const { state } = context;
    this.endpoints.ask(context, 'endpoints', []);
    this.traces.ask(context, 'traces', [...(state.endpoint ? [['endpoint', state.endpoint]] : []), ['rows', '50']]);
    this.trace.root.hidden = !state.trace;
    if (state.trace) this.trace.ask(context, `trace/${encodeURIComponent(state.trace)}`, []);
  }
}

class Endpoints extends Slot {
  constructor() {
    super('section.card', (answer, context) => this.draw(answer, context));
    this.chart = svg('svg', { id: 'chart', role: 'img' });
    this.title = h('h2');
    this.table = new Table([
      { key: 'endpoint', head: 'Endpoint', value: (r) => r.endpoint ?? NO_ENDPOINT },
      { key: 'count', head: 'Requests', value: (r) => r.count, text: (r) => formatCount(r.count) },
      time('p50_ns', 'Median'), time('p90_ns', 'p90'), time('p99_ns', 'p99'), time('max_ns', 'Longest'),
      time('cpu_ns', 'CPU', 'CPU time of all its requests'), time('run_queue_ns', 'Waiting for CPU', 'Runnable without a CPU, by the wall clock'),
      time('blocked_ns', 'Blocked', 'Waiting for something else than a CPU, by the wall clock'),
    ], {
      caption: 'Latency by endpoint', sort: 'p99_ns', empty: 'No endpoint.',
      onPick: (r) => this.context.navigate({ endpoint: r.endpoint === this.context.state.endpoint ? '' : r.endpoint ?? '', trace: '' }),
      picked: (r) => (r.endpoint ?? '') === this.context.state.endpoint && r.endpoint !== null,
      pickLabel: () => 'Choose: its latency, its traces, and everything on the other pages',
    });
    this.resizes = new ResizeObserver(() => this.latency());
    this.resizes.observe(this.chart);
  }

  release() {
    super.release();
    this.resizes.disconnect();
  }

  draw(answer) {
    if (!answer.endpoints.some((r) => r.endpoint !== null && r.count)) {
      this.root.replaceChildren(emptyBox('No requests are in this recording',
        'wick measures the requests of a program that labels them: with wick.jar (docs/labels.md), or with a tracer that publishes its spans as OpenTelemetry does. Record the wall clock as well, to see what requests wait for:',
        commandLine('wick record -e cpu,wall PID')));
      return;
    }
    this.answer = answer;
    this.table.update(answer.endpoints);
    if (!this.table.root.isConnected) {
      const key = h('div.legend', {}, h('span', {}, h('i.swatch.key-p99'), '99th percentile'), h('span', {}, h('i.swatch.key-p50'), 'median'),
        h('span.quiet', {}, 'of the requests that began in each second; times in UTC'));
      this.root.replaceChildren(this.table.root, this.title, key, this.chart);
    }
    this.latency();
  }

  latency() {
    if (!this.answer?.endpoints?.length || !this.chart.isConnected) return;
    const { state } = this.context;
    const byCost = this.answer.endpoints.slice().sort((a, b) => (b.p99_ns ?? 0) - (a.p99_ns ?? 0));
    const row = this.answer.endpoints.find((r) => r.endpoint === state.endpoint) ?? byCost[0];
    this.title.textContent = element('b', '', `Latency of ${row.endpoint ?? NO_ENDPOINT}`).textContent;
    drawLatency(this.chart, row, this.answer.start_s ?? 0);
  }
}

class Traces extends Slot {
  constructor() {
    super('section.card', (answer, context) => this.draw(answer, context));
    this.head = h('h2');
    this.table = new Table([
      { key: 'endpoint', head: 'Trace', value: (r) => r.endpoint ?? NO_ENDPOINT },
      { ...time('latency_ns', 'Duration'), bar: (r) => r.latency_ns / this.longest, colour: 'var(--cell-total)' },
      { key: 'start_ns', head: 'Began, UTC', value: (r) => r.start_ns, text: (r) => clockOf(r.start_ns, 1e9) },
      { key: 'spans', head: 'Spans', value: (r) => r.spans, text: (r) => formatCount(r.spans) },
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
    this.head.textContent = element('b', '', `Slowest traces${of}${answer.total > answer.traces.length ? `, ${answer.traces.length} of ${formatCount(answer.total)}` : ''}`).textContent;
    this.table.update(answer.traces);
    if (!this.table.root.isConnected) this.root.replaceChildren(this.head, this.table.root);
  }
}

class Trace extends Slot {
  constructor() {
    super('section.card', (answer, context) => this.draw(answer, context));
    this.root.id = 'trace';
    this.head = h('h2');
    this.facts = h('p.quiet');
    const [spans, threads] = [h('div'), h('div')];
    const detail = h('div', { id: 'detail', 'aria-live': 'polite' });
    this.timeline = new Timeline({ spans, threads, detail });
    this.legend = h('div.legend', {}, ...KEY.map(([key, text]) => h('span', {}, h(`i.swatch.key-${key}`), text)));
    this.body = h('div', {}, h('h3', {}, 'Spans'), spans, this.legend, threads, detail);
    this.close = button('Close', () => this.context.navigate({ trace: '' }), { title: 'Close the trace' });
  }

  draw(answer, context) {
    const trace = answer.traces[0];
    if (this.drawn === answer) return;
    this.drawn = answer;
    if (!trace) {
      this.root.replaceChildren(emptyBox('This trace is not in the recording', '', this.close));
      return;
    }
    this.head.textContent = element('b', '', trace.endpoint ?? 'Trace').textContent;
    this.facts.textContent = element('b', '', `${formatWeight(trace.duration_ns, 'ns')} from ${clockOf(trace.start_ns, 1e9)} UTC, trace ${trace.id}`).textContent;
    const range = button('Take its time range', () => this.context.navigate({ from: trace.start_ns, to: trace.start_ns + trace.duration_ns }),
      { title: 'Show this range of time on all pages' });
    this.root.replaceChildren(h('div.card-head', {}, h('div', {}, this.head, this.facts), h('div.card-tools', {}, range, this.close)), this.body);
    this.timeline.show(trace, answer.stacks);
    if (context.generation === 0) this.root.scrollIntoView({ block: 'start' });
  }
}
