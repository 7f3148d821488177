// SPDX-License-Identifier: Apache-2.0
// Two selections compared, before and after: each a recording, a range of time and filters; the difference flame graph, and the
// methods with what changed and what is noise. After is what the other pages show as well; before may share its filters.
import { cleanText } from '../flame/text.js';
import { button, emptyBox, exchange, h, PartRead } from './dom.js';
import { Changes } from './changes.js';
import { chip, FilterAdder, filterChips } from './filters.js';
import { ChangedFindings } from './findings.js';
import { FlameSlot } from './flame_slot.js';
import { dateOf, durationOf } from './format.js';
import { Segment } from './segment.js';
import { basePatch, baseState, compareQueryOf, emptyState, filtersOf, foldOf } from './state.js';
import { WeightAxis } from './time_chart.js';

const HEIGHT = 64;
const BINS = '160';

function nameOf(recording) {
  return recording.start_ns ? `${recording.name}, ${dateOf(recording.start_ns)}` : recording.name;
}

/** One side: its range of time on an axis, and its filters as chips. */
class Side {
  /** @param head what says which recording it is @param onChange (part of the side's own state) */
  constructor(title, head, onChange) {
    this.title = title;
    this.axis = new WeightAxis({ label: `${title}: weight over time`, height: HEIGHT, onRange: (from, to) => onChange({ from, to }) }, BINS);
    this.chips = h('div.chips', { role: 'group', 'aria-label': `Filters ${title.toLowerCase()}` });
    this.adder = new FilterAdder({ id: `filter-values-${title.toLowerCase()}`, label: `${title}: filter`, button: `${title}: add filter`, onAdd: onChange });
    this.onChange = onChange;
    this.filters = h('div.side-filters', this.chips, this.adder.root);
    this.part = new PartRead(`Read, ${title.toLowerCase()}`, 'The comparison is of what has been read so far, and goes on until that is all');
    this.root = h('section.card.compare-side', { 'aria-label': title }, h('div.side-head', h('h2', title), head, this.part.root), this.axis.root, this.filters);
  }

  release() {
    this.axis.release();
    this.adder.release();
  }

  /** @param context with the side's own recording and state @param more chips and buttons behind its own; own: it has filters of its own */
  update(context, own, more) {
    const { state, recording } = context;
    this.axis.root.hidden = state.eventKind === 'live' || !(recording.live || recording.end_ns > recording.start_ns);
    if (!this.axis.root.hidden) this.axis.ask(context);
    const where = ` ${this.title.toLowerCase()}`;
    const time = state.to > state.from ? [chip('time', durationOf(state.to - state.from), `Remove the range of time${where}`, () => this.onChange({ from: 0, to: 0 }))] : [];
    exchange(this.chips, [...time, ...(own ? filterChips(state, (without) => this.onChange(filtersOf(without)), where) : []), ...more]);
    this.adder.root.hidden = !own;
    this.adder.update(recording, state);
  }
}

export class CompareView {
  constructor() {
    this.choice = h('select', { id: 'base', 'aria-label': 'The recording from before', onchange: () => this.context.navigate({ base: this.choice.value, base_from: 0, base_to: 0, zoom: '' }) });
    this.name = h('p.side-name');
    this.before = new Side('Before', this.choice, (part) => this.context.navigate({ ...basePatch(part), zoom: '' }));
    this.after = new Side('After', this.name, (part) => this.context.navigate({ ...part, zoom: '' }));
    this.own = h('button.filter-toggle', { type: 'button', title: 'Filters of its own, instead of those that stand after', onclick: () => this.split() }, 'Own filters');
    this.scale = new Segment('div.segment', 'Compare', (value) => this.context.navigate({ absolute: value === 'weights' }));
    this.swap = button('Swap', () => this.exchangeSides(), { title: 'Make before of after, and after of before' });
    this.lead = h('div.lead', this.scale.root, this.swap);
    this.home = h('div.page-tools', { hidden: true });
    this.flame = new FlameSlot(this.lead, this.home);
    this.flame.nothingFits = (e) => this.nothingFits(e);
    this.changes = new Changes();
    this.findings = new ChangedFindings();
    this.below = h('div.compared-below', this.findings.root, this.changes.root);
    this.flame.sayPart = (answer) => this.sayParts(answer);
    this.changes.sayPart = () => {}; // the sides say it
    this.sides = h('div.compare-sides', this.before.root, this.after.root);
    this.place = h('div.compared');
    this.root = h('div.page.compare.scrolls', { tabindex: '-1' }, this.sides, this.home, this.place);
  }

  release() {
    for (const part of [this.before, this.after, this.flame, this.changes, this.findings]) part.release();
  }

  /** Before has filters of its own from now on, at first the same; or no longer. */
  split() {
    const { state, navigate } = this.context;
    navigate({ split: !state.split, ...basePatch(filtersOf(state.split ? emptyState() : state)), zoom: '' });
  }

  exchangeSides() {
    const { state, recording, navigate } = this.context;
    const { from, to } = state;
    const filters = state.split ? { ...filtersOf(baseState(state)), ...basePatch(filtersOf(state)) } : {};
    navigate({ recording: state.base, base: recording.id, from: state.base_from, to: state.base_to, base_from: from, base_to: to, ...filters, zoom: '' });
  }

  offer(recording, others) {
    const signature = others.map((r) => r.id).join(' ');
    if (this.listed === signature) return;
    this.listed = signature;
    this.choice.replaceChildren(h('option', { value: '' }, 'choose a recording'), h('option', { value: recording.id }, `this one: ${nameOf(recording)}`),
      ...others.map((r) => h('option', { value: r.id }, nameOf(r))));
  }

  update(context) {
    this.context = context;
    const { state, recording, recordings } = context;
    this.offer(recording, recordings.filter((r) => r.id !== recording.id && r.content !== 'heap'));
    this.choice.value = state.base;
    this.name.textContent = cleanText(nameOf(recording));
    this.scale.update([['shares', 'Shares', 'Shares of each side: for selections of different length'], ['weights', 'Weights', 'Weights as they are: for selections of the same length']],
      (value) => (value === 'weights') === state.absolute);
    const base = recordings.find((r) => r.id === state.base);
    this.after.update(context, true, []);
    this.own.setAttribute('aria-pressed', String(state.split));
    if (base) this.before.update({ ...context, recording: base, state: baseState(state), part: true }, state.split, [this.own]);
    this.before.root.classList.toggle('unchosen', !base);
    if (!base) {
      this.show(emptyBox('Choose what to compare with', 'The recording from before goes into the list above; it may be this one, with another range of time or other filters. Boxes that grew are then red, those that shrank blue, and what is within sampling error stays grey.'));
      return;
    }
    this.show(this.flame.root, this.below);
    const query = compareQueryOf(state);
    this.flame.ask(context, 'diff', [...query, ...foldOf(state)]);
    this.changes.update(context, query);
    this.findings.update(context, base);
  }

  /** Of what parts of its sides a comparison is. */
  sayParts(answer) {
    const put = (side, read, size) => side.part.update(answer.partial && read < size, read, size);
    put(this.before, answer.base_read_bytes, answer.base_size_bytes);
    put(this.after, answer.read_bytes, answer.size_bytes);
  }

  nothingFits(e) {
    const before = /^before\b/i.test(e?.why ?? '');
    const side = before ? 'Before' : 'After';
    const { state, recording, recordings } = this.context;
    const of = before ? recordings.find((r) => r.id === state.base) : recording;
    if (of?.partial) return emptyBox(`${side}, no samples yet`, 'What has been read so far of that side has none that fit. The rest is being read.');
    return emptyBox(`${side}, no samples fit`, 'Nothing of this event lies in the chosen time of that side and passes its filters. Take a filter or the range away, or choose another event.');
  }

  show(...parts) {
    if (this.place.firstChild === parts[0]) return;
    if (parts[0] !== this.flame.root) {
      this.flame.drop();
      this.flame.key = '';
      this.flame.answer = null;
      this.flame.shown = false;
    }
    this.place.replaceChildren(...parts);
  }
}
