// SPDX-License-Identifier: Apache-2.0
// What changed between two selections, in the sentences of `wick explain`: those of one only, and those whose cost is another share of the
// time. They are of the chosen time of each side, whatever filters it has.
import { exchange, h, plainList } from './dom.js';
import { evidenceOf, linkTo, upperFirst } from './explain.js';
import { baseState, rangeOf } from './state.js';
import { formatWeight } from '../flame/text.js';
import { Slot } from './view.js';

const FACTOR = 1.5; // shares closer to each other are the same
const MOST = 8;
const SUBJECT = ['where', 'frame', 'thread', 'lock', 'class', 'pool'];

const keyOf = (f) => [f.rule, ...SUBJECT.map((key) => f.figures[key] ?? '')].join('\n');

/** What two answers of explain differ in: [{word, sentence, before, after}], before and after as shares of the time, the largest change first. */
export function changedFindings(before, after) {
  const sharesOf = ({ findings, duration_ns: ns }) => new Map(findings.map((f) => [keyOf(f), { f, share: f.cost_ns / Math.max(1, ns) }]));
  const [old, now] = [sharesOf(before), sharesOf(after)];
  const out = [];
  for (const key of new Set([...now.keys(), ...old.keys()])) {
    const [a, b] = [old.get(key), now.get(key)];
    const [was, is] = [a?.share ?? 0, b?.share ?? 0];
    const word = !a ? 'new' : !b ? 'gone' : is > FACTOR * was ? 'more' : was > FACTOR * is ? 'less' : '';
    if (word) out.push({ word, finding: (b ?? a).f, before: was, after: is });
  }
  return out.sort((x, y) => Math.abs(y.after - y.before) - Math.abs(x.after - x.before));
}

/** The state of the comparison that shows what a finding rests on, or of the page that does. */
export function comparedBy(finding, state, recording) {
  const to = evidenceOf({ ...finding, evidence: { ...finding.evidence, when: undefined } }, state, recording);
  return to.tab === 'cpu' ? { ...to, tab: 'compare', split: false } : to;
}

/** The sentences, once those of both recordings are there. */
export class ChangedFindings {
  constructor() {
    this.root = h('section.card.changed-findings', { hidden: true, 'aria-label': 'What changed, in sentences' });
    this.slots = [0, 1].map((side) => new Slot('div', (answer) => this.take(side, answer)));
    for (const slot of this.slots) slot.owner = this.root;
    this.answers = [null, null];
  }

  release() {
    for (const slot of this.slots) slot.release();
  }

  /** @param base the recording from before */
  update(context, base) {
    const [before, after] = [rangeOf(baseState(context.state)), rangeOf(context.state)];
    const same = base.id === context.recording.id && String(before) === String(after);
    const pair = [base.id, before, context.recording.id, after].join(' ');
    this.context = context;
    if (pair !== this.pair) {
      this.answers = [null, null];
      this.root.hidden = true;
      this.pair = pair;
    }
    if (same) return;
    this.slots[0].ask({ ...context, recording: base }, 'explain', before);
    this.slots[1].ask(context, 'explain', after);
  }

  take(side, answer) {
    this.answers[side] = answer;
    const [before, after] = this.answers;
    const { state, recording } = this.context;
    this.root.hidden = !before || !after;
    if (this.root.hidden) return;
    const found = changedFindings(before, after);
    const each = (share) => formatWeight(1e9 * share, 'ns');
    const shares = ({ word, before: a, after: b }) => (word === 'new' || word === 'gone' ? '' : `, ${each(a)} in each second before, ${each(b)} after`);
    const rest = found.length > MOST ? `, and ${found.length - MOST} more` : '';
    exchange(this.root, h('h2', 'What changed, in sentences'),
      found.length ? plainList(found.slice(0, MOST).map((c) => [h('strong', `${c.word}${shares(c)}: `), `${upperFirst(c.finding.sentence)}. `, linkTo(comparedBy(c.finding, state, recording), c.finding)])) : h('p', 'What wick explain finds is the same in both.'),
      h('p.quiet', `Of the chosen time of each side, or all of it, whatever filters it has${before.partial || after.partial ? '; of what has been read so far' : ''}${rest}.`));
  }
}
