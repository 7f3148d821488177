// SPDX-License-Identifier: Apache-2.0
// What changed between two recordings, in the sentences of `wick explain`: those of one only, and those whose cost is another share of the
// time. They are of each recording as a whole.
import { exchange, h, plainList } from './dom.js';
import { upperFirst } from './explain.js';
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
    if (word) out.push({ word, sentence: (b ?? a).f.sentence, before: was, after: is });
  }
  return out.sort((x, y) => Math.abs(y.after - y.before) - Math.abs(x.after - x.before));
}

/** The sentences, once those of both recordings are there. */
export class ChangedFindings {
  constructor() {
    this.root = h('section.card.changed-findings', { hidden: true, 'aria-label': 'What changed, in sentences' });
    this.slots = [0, 1].map((side) => new Slot('div', (answer) => this.take(side, answer)));
    this.answers = [null, null];
  }

  release() {
    for (const slot of this.slots) slot.release();
  }

  /** @param base the recording from before */
  update(context, base) {
    const same = base.id === context.recording.id;
    const pair = `${base.id} ${context.recording.id}`;
    if (pair !== this.pair) {
      this.answers = [null, null];
      this.root.hidden = true;
      this.pair = pair;
    }
    if (same) return;
    this.slots[0].ask({ ...context, recording: base }, 'explain', []);
    this.slots[1].ask(context, 'explain', []);
  }

  take(side, answer) {
    this.answers[side] = answer;
    const [before, after] = this.answers;
    this.root.hidden = !before || !after;
    if (this.root.hidden) return;
    const found = changedFindings(before, after);
    const each = (share) => formatWeight(1e9 * share, 'ns');
    const shares = ({ word, before: a, after: b }) => (word === 'new' || word === 'gone' ? '' : `, ${each(a)} in each second before, ${each(b)} after`);
    const rest = found.length > MOST ? `, and ${found.length - MOST} more` : '';
    exchange(this.root, h('h2', 'What changed, in sentences'),
      found.length ? plainList(found.slice(0, MOST).map((c) => [h('strong', `${c.word}${shares(c)}: `), `${upperFirst(c.sentence)}.`])) : h('p', 'What wick explain finds is the same in both.'),
      h('p.quiet', `Of each recording as a whole, whatever is chosen above${before.partial || after.partial ? '; of what has been read so far' : ''}${rest}.`));
  }
}
