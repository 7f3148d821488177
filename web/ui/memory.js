// SPDX-License-Identifier: Apache-2.0
// Where the memory of the process is, how it grows, and what the limits leave; and what allocates and what stays.
import { formatPercent, formatWeight } from '../flame/text.js';
import { commandLine, emptyBox, h } from './dom.js';
import { durationOf } from './format.js';
import { formatState } from './state.js';
import { Table } from './table.js';
import { eventsOf, Slot } from './view.js';

const bytes = (v) => (v ? formatWeight(v, 'bytes') : '\u2013');

/** "+1.2 MiB/s ± 0.3", or a dash where growth is within its error. */
export function growthText(rate, error) {
  if (!Number.isFinite(rate) || Math.abs(rate) <= (error ?? 0)) return 'steady';
  return `${rate < 0 ? '\u2212' : '+'}${formatWeight(Math.abs(rate), 'bytes')}/s \u00b1 ${formatWeight(error ?? 0, 'bytes')}`;
}

/** "limit in 3 min" at this growth, '' if it does not grow. */
export function timeToLimit(resident, limit, rate, error) {
  if (!(limit > resident) || !(rate - (error ?? 0) > 0)) return '';
  return `at this rate the limit is reached in ${durationOf(((limit - resident) / rate) * 1e9)}`;
}

export class MemoryView {
  constructor() {
    this.parts = new Parts();
    this.ways = h('section.card');
    this.root = h('div.page.scrolls.stack', {}, this.parts.root, this.ways);
  }

  release() {
    this.parts.release();
  }

  update(context) {
    this.parts.ask(context, 'memory', []);
    const { state, recording } = context;
    const link = (kinds, text, why, option) => {
      const event = eventsOf(recording, kinds)[0];
      return h('li', {}, event ? h('a.go', { href: formatState({ ...state, tab: 'cpu', event: event.name, zoom: '', search: '', show: '' }) }, text) : h('span', {}, text), h('span.quiet', {}, ` ${event ? why : `not recorded; ${option} records it`}`));
    };
    this.ways.replaceChildren(h('h2', {}, 'By stack'), h('ul.plain-list', {},
      link(['alloc'], 'What allocates', 'bytes allocated, by the stack that did it', '-e alloc'),
      link(['live'], 'What stays alive', 'objects that survived collections, by the stack that allocated them', '-e live'),
      link(['nativemem'], 'What malloc holds', 'memory outside the heap, by the stack that asked for it', '-e nativemem')));
  }
}

class Parts extends Slot {
  constructor() {
    super('section.card', (answer) => this.draw(answer));
    this.all = 1;
    this.table = new Table([
      { key: 'part', head: 'Part', value: (r) => r.part },
      { key: 'resident', head: 'Resident', value: (r) => r.resident, text: (r) => bytes(r.resident), bar: (r) => r.resident / this.all, colour: 'var(--cell-total)' },
      { key: 'most', head: 'Most', hint: 'The largest of all readings', value: (r) => r.most, text: (r) => bytes(r.most) },
      { key: 'growth', head: 'Growth', value: (r) => r.growth_bytes_per_s ?? 0, text: (r) => growthText(r.growth_bytes_per_s, r.growth_error_bytes_per_s) },
      { key: 'used', head: 'Used', value: (r) => r.used, text: (r) => bytes(r.used) },
      { key: 'committed', head: 'Committed', value: (r) => r.committed, text: (r) => bytes(r.committed) },
      { key: 'reserved', head: 'Reserved', value: (r) => r.reserved, text: (r) => bytes(r.reserved) },
    ], { caption: 'Resident memory by part', sort: 'resident' });
  }

  fail(e) {
    if (e.status !== 404 && e.status !== 422 && e.status !== 409) return super.fail(e);
    this.shown = false;
    this.root.replaceChildren(emptyBox('No readings of memory', `${e.why} A recording of ten seconds or more has them unless they are turned off:`, commandLine('wick record -d 60 PID')));
  }

  draw(answer) {
    if (!answer.parts?.length) {
      this.root.replaceChildren(emptyBox('No readings of memory', 'wick reads where memory goes every ten seconds; this recording has none.', commandLine('wick record -d 60 PID')));
      return;
    }
    this.all = answer.resident || 1;
    const shown = answer.parts.filter((p) => p.resident || p.reserved || p.used);
    const limit = answer.cgroups?.reduce((least, l) => (l.limit > 0 && l.limit < least ? l.limit : least), Infinity);
    const facts = [['Resident', formatWeight(answer.resident, 'bytes')], ['Most', formatWeight(answer.most, 'bytes')],
      ['Growth', growthText(answer.growth_bytes_per_s, answer.growth_error_bytes_per_s)]];
    if (answer.swapped) facts.push(['Swapped', formatWeight(answer.swapped, 'bytes')]);
    if (Number.isFinite(limit)) {
      const left = timeToLimit(answer.resident, limit, answer.growth_bytes_per_s, answer.growth_error_bytes_per_s);
      facts.push(['Limit', `${formatWeight(limit, 'bytes')}, ${formatPercent(answer.resident, limit)} used${left ? `; ${left}` : ''}`]);
    }
    this.table.update(shown);
    this.root.replaceChildren(h('h2', {}, 'Resident memory at the last reading'),
      h('dl.facts', {}, ...facts.map(([k, v]) => h('div', {}, h('dt', {}, k), h('dd', {}, v)))), this.bar(shown.filter((p) => p.in_resident_set)), this.table.root);
  }

  /** The parts as one bar; the table below says the same. */
  bar(parts) {
    const heavy = parts.slice().sort((a, b) => b.resident - a.resident);
    const bar = h('div.stacked', { 'aria-hidden': 'true' }, ...heavy.filter((p) => p.resident / this.all > 0.004).map((p, i) => {
      const piece = h('i', { title: `${p.part}: ${formatWeight(p.resident, 'bytes')}` }, p.resident / this.all > 0.08 ? p.part : '');
      piece.style.flexGrow = String(p.resident / this.all);
      piece.dataset.tone = String(i % 6);
      return piece;
    }));
    return bar;
  }
}
