// SPDX-License-Identifier: Apache-2.0
// One method between its callers and its callees: a table of either, and the flame graph of one side.
//
// The server cuts the call tree at the method's outermost frames, so both sides weigh the same and recursion counts once.
import { Profile, base64Bytes } from '../flame/data.js';
import { formatPercent } from '../flame/text.js';
import { nameOf, TopDown } from '../flame/views.js';
import { h } from './dom.js';
import { FlameSlot } from './flame_slot.js';
import { weightText } from './format.js';
import { Segment } from './segment.js';
import { queryOf } from './state.js';
import { figures, Table } from './table.js';
import { Slot } from './view.js';

/** The frames next to the method, from the packed tree of a side: {rows: [{name, weight}], own, whole}; own is the weight that has no
 *  frame on this side. */
export function neighbours(profile) {
  const view = new TopDown(profile);
  const by = new Map();
  let own = 0;
  for (let at = view.first(0); at >= 0; at = view.next(at)) {
    own += view.self(at);
    for (let c = view.first(at); c >= 0; c = view.next(c)) {
      const name = nameOf(view, c);
      by.set(name, (by.get(name) ?? 0) + view.total[c]);
    }
  }
  return { rows: [...by].map(([name, weight]) => ({ name, weight })), own, whole: profile.total[0] };
}

class Side extends Slot {
  constructor(title, restText) {
    super('section.side');
    this.found = { rows: [], own: 0, whole: 1 };
    this.restText = restText;
    this.rest = h('span.quiet');
    this.head = h('h2', title, ' ', this.rest);
    this.table = new Table([
      { key: 'name', head: 'Method', value: (r) => r.name },
      { key: 'share', head: '%', value: (r) => r.weight, text: (r) => formatPercent(r.weight, this.found.whole), all: () => this.found.whole },
      figures('weight', 'Weight', (v) => weightText(v, this.unit)),
    ], {
      caption: title, sort: 'share', empty: 'None.',
      onPick: (r) => this.context.navigate({ focus: r.name, zoom: '' }),
      pickLabel: () => 'Show its callers and callees',
    });
  }

  /** The graph below says what to do. */
  nothingFits() {
    return [this.head, h('p.quiet', 'None.')];
  }

  draw(answer) {
    if (this.drawn === answer) return;
    this.drawn = answer;
    this.unit = answer.unit;
    this.found = neighbours(new Profile(base64Bytes(answer.data)));
    this.rest.textContent = this.found.own > 0 ? `${this.restText} ${formatPercent(this.found.own, this.found.whole)}` : '';
    this.table.update(this.found.rows);
    this.keep(this.head, this.table.root);
  }
}

export class Sandwich {
  /** @param lead what stands before the controls of the graph; in `home` where there is no graph */
  constructor(lead, home) {
    this.lead = lead;
    this.home = home;
    this.callers = new Side('Callers', 'called by nothing');
    this.callees = new Side('Callees', 'itself');
    this.which = new Segment('div.segment', 'Side', (callers) => this.context.navigate({ callers, zoom: '' }));
    this.tools = h('div.lead', lead, this.which.root);
    this.flame = new FlameSlot(this.tools, home);
    this.title = h('h2.sandwich-name');
    this.root = h('div.fill', this.title, h('div.sides', this.callers.root, this.callees.root), this.flame.root);
  }

  release() {
    for (const part of [this.callers, this.callees, this.flame]) part.release();
    this.tools.remove();
    this.home.append(this.lead);
  }

  update(context) {
    const { state } = context;
    const query = queryOf(state);
    this.title.replaceChildren(h('span', state.focus));
    this.context = context;
    this.which.update([[true, 'Callers'], [false, 'Callees']], (callers) => callers === state.callers);
    this.callers.ask(context, 'flame', [...query, ['callers_of', state.focus]]);
    this.callees.ask(context, 'flame', [...query, ['callees_of', state.focus]]);
    this.flame.ask(turned(context), 'flame', [...query, [state.callers ? 'callers_of' : 'callees_of', state.focus]]);
  }
}

/** Callees hang below the method, callers stand on it, unless the graph is turned. */
function turned(context) {
  const { state, navigate } = context;
  const turn = (flip) => (state.callers ? flip : !flip);
  return { ...context, state: { ...state, flip: turn(state.flip) },
    navigate: (patch, history) => navigate('flip' in patch ? { ...patch, flip: turn(patch.flip) } : patch, history) };
}
