// SPDX-License-Identifier: Apache-2.0
// Where the memory of the process is, how it grows, and what the limits leave; and what allocates and what stays.
import { formatCount, formatPercent, formatWeight } from '../flame/text.js';
import { commandLine, emptyBox, exchange, factsOf, h } from './dom.js';
import { clockOf, durationOf } from './format.js';
import { HeapOfJvm } from './heap.js';
import { CollectionsChart, LiveChart, partColour, ResidentChart } from './memory_charts.js';
import { Segment } from './segment.js';
import { exactly, formatState, rangeOf } from './state.js';
import { figures, Table } from './table.js';
import { Over, OverAndTables } from './time_chart.js';
import { eventsOf, isMissing, Slot } from './view.js';

const size = (v) => formatWeight(v, 'bytes');
const bytes = (v) => (v ? size(v) : '\u2013');
const ns = (v) => formatWeight(v, 'ns');

/** "+1.2 MiB/s ± 0.3", or a dash where growth is within its error. */
export function growthText(rate, error) {
  if (!Number.isFinite(rate) || Math.abs(rate) <= (error ?? 0)) return 'steady';
  return `${rate < 0 ? '\u2212' : '+'}${formatWeight(Math.abs(rate), 'bytes')}/s${error >= 1 ? ` \u00b1 ${formatWeight(error, 'bytes')}` : ''}`;
}

/** "limit in 3 min" at this growth, '' if it does not grow. */
export function timeToLimit(resident, limit, rate, error) {
  if (!(limit > resident) || !(rate - (error ?? 0) > 0)) return '';
  return `at this rate the limit is reached in ${durationOf(((limit - resident) / rate) * 1e9)}`;
}

export class MemoryView {
  constructor() {
    this.parts = new Parts();
    this.resident = new Resident();
    this.collections = new Collections();
    this.live = new Live();
    this.ways = h('section.card');
    this.heap = new HeapOfJvm();
    this.root = h('div.page.scrolls.stack', this.parts.root, this.resident.root, this.collections.root, this.live.root, this.ways, this.heap.root, this.heap.below);
  }

  release() {
    for (const part of [this.parts, this.resident, this.collections, this.live]) part.release();
  }

  update(context) {
    this.parts.ask(context, 'memory', rangeOf(context.state));
    this.resident.ask(context, 'memory/series', []);
    this.collections.ask(context, 'collections', []);
    this.live.askIfListed(context);
    const { state, recording } = context;
    this.heap.update(recording.live ? recording.pid ?? 0 : 0);
    const link = (kinds, text, why, option) => {
      const event = eventsOf(recording, kinds)[0];
      return h('li', event ? h('a.go', { href: formatState({ ...state, tab: 'cpu', event: event.name, zoom: '', search: '', show: '' }) }, text) : h('span', text), h('span.quiet', ` ${event ? why : `not recorded; ${option} records it`}`));
    };
    exchange(this.ways, h('h2', 'By stack'), h('ul.plain-list', {},
      link(['alloc'], 'What allocates', 'bytes allocated, by the stack that did it', '-e alloc'),
      link(['live'], 'What stays alive', 'objects that survived collections, by the stack that allocated them', '-e live'),
      link(['nativemem'], 'What malloc holds', 'memory outside the heap, by the stack that asked for it', '-e nativemem')));
  }
}

class Parts extends Slot {
  constructor() {
    super('section.card');
    this.all = 1;
    this.table = new Table([
      { key: 'part', head: 'Part', value: (r) => r.part },
      figures('resident', 'Resident', bytes, { all: () => this.all }), figures('most', 'Peak', bytes, { hint: 'The largest of all readings' }),
      { key: 'growth', head: 'Growth', value: (r) => r.growth_bytes_per_s ?? 0, text: (r) => growthText(r.growth_bytes_per_s, r.growth_error_bytes_per_s) },
      figures('used', 'Used', bytes), figures('committed', 'Committed', bytes), figures('reserved', 'Reserved', bytes),
    ], { caption: 'Resident memory by part', sort: 'resident' });
    this.counted = new Table([
      { key: 'category', head: 'Category', value: (r) => r.category },
      figures('committed', 'Committed', bytes, { all: () => this.committed }),
      figures('malloc', 'Of malloc', bytes), figures('mapped', 'Mapped', bytes), figures('reserved', 'Reserved', bytes),
    ], { caption: 'Native memory as the JVM counts it', sort: 'committed' });
  }

  fail(e) {
    if (!isMissing(e)) return super.fail(e);
    this.shown = false;
    if (rangeOf(this.context.state).length) this.root.replaceChildren(emptyBox('No reading of memory before the end of the chosen time', e.why));
    else this.root.replaceChildren(emptyBox('No readings of memory', `${e.why} A recording of ten seconds or more has them unless they are turned off:`, commandLine('wick record -d 60 PID')));
  }

  draw(answer) {
    if (!answer.parts?.length) {
      this.root.replaceChildren(emptyBox('No readings of memory', 'wick reads where memory goes every ten seconds; this recording has none.', commandLine('wick record -d 60 PID')));
      return;
    }
    this.all = answer.resident || 1;
    const shown = answer.parts.filter((p) => p.resident || p.reserved || p.used);
    const limit = answer.cgroups?.reduce((least, l) => (l.limit > 0 && l.limit < least ? l.limit : least), Infinity);
    const facts = [['Resident', size(answer.resident)], ['Peak', size(answer.most)],
      ['Growth', growthText(answer.growth_bytes_per_s, answer.growth_error_bytes_per_s)]];
    if (answer.swapped) facts.push(['Swapped', size(answer.swapped)]);
    if (Number.isFinite(limit)) {
      const left = timeToLimit(answer.resident, limit, answer.growth_bytes_per_s, answer.growth_error_bytes_per_s);
      facts.push(['Limit', `${size(limit)}, ${formatPercent(answer.resident, limit)} used${left ? `; ${left}` : ''}`]);
    }
    this.table.update(shown);
    const of = rangeOf(this.context.state).length ? ` ${answer.last_ns < this.context.state.from ? 'before' : 'of'} the chosen time` : '';
    this.root.replaceChildren(h('h2', `Resident memory at the last reading${of}, ${clockOf(answer.last_ns)} UTC`),
      h('dl.facts', factsOf(facts)), this.bar(shown.filter((p) => p.in_resident_set)), this.table.root,
      ...this.countedByJvm(answer.nmt));
  }

  /** What the JVM says of its own memory, if it runs with -XX:NativeMemoryTracking. */
  countedByJvm(nmt) {
    if (!nmt?.categories.length) return [];
    this.committed = nmt.committed || 1;
    this.counted.update(nmt.categories.filter((c) => c.committed));
    return [h('h3', 'Counted by the JVM (NMT)'),
      h('p.quiet', `${size(nmt.committed)} committed, touched or not; ${size(nmt.malloc)} of it from malloc`), this.counted.root];
  }

  /** The parts as one bar; the table below says the same. */
  bar(parts) {
    const heavy = parts.slice().sort((a, b) => b.resident - a.resident);
    const bar = h('div.stacked', { 'aria-hidden': 'true' }, ...heavy.filter((p) => p.resident / this.all > 0.004).map((p) => {
      const piece = h('i', { title: `${p.part}: ${size(p.resident)}` }, p.resident / this.all > 0.08 ? p.part : '');
      piece.style.flexGrow = String(p.resident / this.all);
      piece.style.background = `color-mix(in srgb, ${partColour(p.part)} 32%, var(--page))`;
      return piece;
    }));
    return bar;
  }
}

class Resident extends Over {
  constructor() {
    super('Resident memory over time', (onRange) => new ResidentChart(onRange));
  }

  holds(answer) {
    return answer.times_ns.length > 0;
  }
}

class Collections extends OverAndTables {
  constructor() {
    super('Garbage collections', (onRange) => new CollectionsChart(onRange), 'collections');
    this.facts = h('dl.facts');
    [this.byCause, this.byPause] = ['By cause', 'Longest pauses'].map((text) => h('h3', text));
    this.causes = new Table([
      { key: 'cause', head: 'Cause', value: (r) => r.cause ?? 'not known' },
      figures('count', 'Collections', formatCount), figures('pauses_ns', 'Total pause', ns, { all: () => this.paused }),
      figures('longest_pause_ns', 'Longest pause', ns),
    ], { caption: 'Collections by cause', sort: 'pauses_ns' });
    this.longest = new Table([
      { key: 'start', head: 'Start, UTC', value: (r) => clockOf(r.start_ns, 1e9) },
      { key: 'cause', head: 'Cause', value: (r) => r.cause ?? 'not known' },
      figures('longest_pause_ns', 'Longest pause', ns),
      figures('before', 'Heap before', bytes), figures('after', 'Heap after', bytes),
    ], {
      caption: 'The longest pauses', sort: 'longest_pause_ns',
      onPick: (r) => this.context.navigate({ from: r.start_ns, to: r.start_ns + Math.max(r.duration_ns, 1e6) }),
      pickLabel: () => 'Take its time range: what the program did in it is on the page CPU',
    });
  }

  holds(answer) {
    return answer.total > 0;
  }

  tables(answer) {
    const { length } = this;
    if (!answer.total) return [h('p', 'No collection in the chosen time.')];
    this.paused = answer.causes.reduce((sum, c) => sum + c.pauses_ns, 0) || 1;
    const longest = answer.causes.reduce((m, c) => Math.max(m, c.longest_pause_ns), 0);
    const facts = [['Collections', formatCount(answer.total)], ['Total pause', ns(this.paused)], ['Longest pause', ns(longest)]];
    if (length > 0) facts.push(['Share of the time', formatPercent(this.paused, length)]);
    this.facts.replaceChildren(...factsOf(facts));
    this.causes.update(answer.causes);
    this.longest.update(answer.collections.slice().sort((a, b) => b.longest_pause_ns - a.longest_pause_ns).slice(0, 12));
    return [this.facts, this.byCause, this.causes.root, this.byPause, this.longest.root];
  }
}

const liveBy = ({ live_by: by }) => (by === 'method' ? 'method' : 'object');

/** Whether a recording may list live objects: one that has ended well has those of its end as samples. */
const mayList = ({ live, partial, unfinished, events }) => live || partial || unfinished || events.some((e) => e.kind === 'live');

/** Which objects become more: bytes alive at the moments at which the agent listed them. */
class Live extends OverAndTables {
  constructor() {
    super('Live objects over time', (onRange) => new LiveChart(onRange), 'live/series');
    this.root.classList.add('growth');
    this.by = new Segment('div.segment.small', 'Live objects by', (by) => this.context.navigate({ live_by: by }));
    this.rows = new Table([
      { key: 'name', head: 'Name', value: (r) => r.name },
      figures('first', 'First', bytes), figures('last', 'Last', bytes, { all: () => this.all }),
      { key: 'growth', head: 'Growth', value: (r) => r.growth_bytes_per_s, text: (r) => growthText(r.growth_bytes_per_s, r.growth_error_bytes_per_s) },
      figures('samples', 'Samples', formatCount, { hint: 'Sampled objects that were alive at any moment' }),
    ], {
      caption: 'Live objects, by growth', sort: 'growth',
      canPick: (r) => this.event && r.last > 0,
      onPick: (r) => this.context.navigate({ tab: 'cpu', event: this.event.name, filter: exactly(r.name), from: 0, to: 0, show: '', zoom: '' }),
      pickLabel: () => 'Show what allocated those alive at the end',
      onMore: () => this.askChosen(),
    });
    this.chosen.fail = (e) => (isMissing(e) ? exchange(this.chosen.root, h('p', e.why)) : Slot.prototype.fail.call(this.chosen, e));
  }

  /** Nothing is asked that all of the file would be read for in vain. */
  askIfListed(context) {
    this.context = context;
    if (mayList(context.recording)) {
      this.ask(context, 'live/series', [['by', liveBy(context.state)], ['rows', '5']]);
      return;
    }
    this.forget();
    this.sayNone('The recording has no samples of live objects.');
  }

  holds() {
    return true;
  }

  fail(e) {
    if (!isMissing(e)) return super.fail(e);
    this.sayNone(e.why);
  }

  sayNone(why) {
    this.shown = false;
    exchange(this.root, this.head, emptyBox('No live objects over time', why, commandLine('wick record -e cpu,live -d 60 PID')));
  }

  /** Of which the stacks are samples: of objects at the end of the recording. */
  get event() {
    return eventsOf(this.context.recording, ['live'])[0];
  }

  below() {
    this.caption = h('p.quiet');
    return [this.by.root, this.caption, this.chosen.root];
  }

  /** The picture has the five that grow fastest, the table more of them, of the chosen time. */
  fill(answer) {
    const { state } = this.context;
    this.by.update([['', 'Class'], ['method', 'Method']], (by) => (by === 'method') === (liveBy(state) === 'method'));
    this.caption.textContent = `Bytes alive at ${formatCount(answer.moments)} moments, estimated from sampled objects that were allocated since the recording began, garbage that no collection has found yet among them.`;
    this.askChosen();
  }

  askChosen() {
    const { state } = this.context;
    this.chosen.ask(this.context, this.what, [['by', liveBy(state)], ['rows', String(this.rows.most)], ['moments', '2'], ...rangeOf(state)]);
  }

  tables(answer) {
    this.all = answer.rows.reduce((sum, r) => sum + r.last, answer.others.at(-1)) || 1;
    this.rows.update(answer.rows, answer.total);
    return [this.rows.root];
  }
}
