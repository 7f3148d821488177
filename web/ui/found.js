// SPDX-License-Identifier: Apache-2.0
// The sentences of `wick explain` that concern a page, on that page: each with a link that sets filters and range so that the page shows what
// it rests on. They are of the chosen time; the page Explain has all of them.
import { h } from './dom.js';
import { evidenceOf, findingList, nothingIn, scopeOf, upperFirst } from './explain.js';
import { rangeOf } from './state.js';
import { Slot } from './view.js';

// Of larger recordings it takes long, and other answers wait for it: the line is to be unfolded for that.
const ASKED_BYTES = 32 << 20;

/** Rules by their names: what disturbs a program, and what is about its memory. */
const DISTURBS = /safepoint|vm-operation|neighbour|starv|crowded|cpu-limit|throttl|pressure|pause|migration|steal|lock|stall|compile|deopt|code-cache|page-fault|disk|gc-|unload|stuck|too-many|pool-busy/;
const OF_MEMORY = /alloc|gc|heap|memory|leak|live-set|oom|page-cache|native|promotion|collections|cleaners|pressure|unload/;

/** Whether a finding concerns a page. Slow has those about requests and about waiting, CPU all that stacks show, and cautions about samples. */
export function concerns(finding, tab, state, recording) {
  const { rule, group, endpoint, evidence } = finding;
  if (tab === 'interference') return DISTURBS.test(rule);
  if (tab === 'memory') return OF_MEMORY.test(rule);
  if (tab === 'slow') return Boolean(endpoint) || evidence?.view === 'wall' || /^unmounted|^saturated/.test(rule);
  return tab === 'cpu' && (group === 'profile' || evidenceOf(finding, state, recording).tab === 'cpu');
}

/** Those of a page; where an endpoint is chosen, not those about another one. */
export function findingsOf(answer, { state, recording }) {
  return answer.findings.filter((f) => concerns(f, state.tab, state, recording) && (!state.endpoint || !f.endpoint || f.endpoint === state.endpoint));
}

/** A line above a page with the first sentence, which unfolds to all that concern it. */
export class PageFindings extends Slot {
  constructor() {
    super('div.found');
    this.count = h('strong');
    this.first = h('span.found-first');
    this.list = h('div.found-list');
    this.box = h('details', { ontoggle: () => this.box.open && this.update(this.context) }, h('summary', this.count, this.first), this.list);
    this.root.append(this.box);
    this.shown = true; // the line is there from the start: nothing moves when it is filled
    this.say('Explain', 'reading \u2026', []);
  }

  update(context) {
    this.context = context;
    const range = rangeOf(context.state);
    if (this.box.open || context.recording.size_bytes <= ASKED_BYTES) {
      this.range = String(range);
      this.ask(context, 'explain', range);
    } else if (this.range !== String(range)) {
      this.range = null;
      this.forget(); // it is of another time
      this.say('Findings', 'Unfold to have this large recording explained.', []);
    } else if (this.answer) this.put(this.answer); // of another endpoint or page
  }

  say(count, first, list) {
    this.count.textContent = count;
    this.first.textContent = first;
    this.list.replaceChildren(...list);
  }

  draw(answer, context) {
    const found = findingsOf(answer, context);
    if (this.drawn === answer && this.drawnOf === context.state) return;
    this.drawn = answer;
    this.drawnOf = context.state;
    const scope = h('p.quiet', scopeOf(answer, context.state));
    if (found.length) this.say(`${found.length} ${found.length === 1 ? 'finding' : 'findings'}`, `${upperFirst(found[0].sentence)}.`, [findingList(found, context), scope]);
    else this.say('No finding', `${nothingIn(context.state)}.`, [h('p', `${nothingIn(context.state)}.`), scope]);
  }

  /** A page can do without. */
  fail(e) {
    this.shown = true;
    this.drawn = null;
    this.say('No finding', e.why ?? '', []);
  }

  sayPart(answer) {
    if (answer.partial) this.count.textContent += ', so far';
  }
}

/** The same as a card, always unfolded: what disturbs the program. */
export class DisturbanceFindings extends Slot {
  constructor() {
    super('section.card');
  }

  draw(answer, context) {
    const found = findingsOf(answer, context);
    const missing = answer.not_recorded.map((t) => h('li', upperFirst(t)));
    this.root.replaceChildren(h('h2', 'What disturbs it'),
      found.length ? findingList(found, context) : h('p', `${nothingIn(context.state)}: no safepoint, lock, neighbour or limit cost enough to be named.`),
      h('p.quiet', scopeOf(answer, context.state)),
      ...(missing.length ? [h('details', h('summary', 'Not recorded'), h('ul.plain-list', ...missing))] : []));
  }
}
