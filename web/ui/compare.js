// SPDX-License-Identifier: Apache-2.0
// Two recordings: which one this is compared with, and the difference flame graph.
import { emptyBox, h } from './dom.js';
import { dateOf } from './format.js';
import { FlameSlot } from './flame_slot.js';
import { queryOf } from './state.js';

export class CompareView {
  constructor() {
    this.choice = h('select', { id: 'base', onchange: () => this.context.navigate({ base: this.choice.value, zoom: '' }) });
    this.lead = h('div.lead', {}, h('label', { for: 'base' }, 'Before: '), this.choice);
    this.home = h('div.page-tools', {}, this.lead);
    this.flame = new FlameSlot(this.lead, this.home);
    this.place = h('div.fill');
    this.root = h('div.page.fill', {}, this.home, this.place);
  }

  release() {
    this.flame.release();
  }

  update(context) {
    this.context = context;
    const { state, recording, recordings } = context;
    const others = recordings.filter((r) => r.id !== recording.id && r.content !== 'heap');
    if (!others.length) {
      this.show(emptyBox('There is nothing to compare with', 'Record a second time, or give wick both files: then the difference shows what grew and what shrank.'));
      this.lead.hidden = true;
      return;
    }
    this.lead.hidden = false;
    const signature = others.map((r) => r.id).join(' ');
    if (this.listed !== signature) {
      this.listed = signature;
      this.choice.replaceChildren(h('option', { value: '' }, 'choose a recording'),
        ...others.map((r) => h('option', { value: r.id }, r.start_ns ? `${r.name}, ${dateOf(r.start_ns)}` : r.name)));
    }
    this.choice.value = state.base;
    if (!state.base) {
      this.show(emptyBox('Choose what to compare with', 'The recording from before goes into the list above. Boxes that grew are then red, those that shrank blue, and what is within sampling error stays grey.'));
      return;
    }
    this.show(this.flame.root);
    this.flame.ask(context, 'diff', [['base', state.base], ...queryOf(state, ['from', 'to'])]);
  }

  show(e) {
    if (this.place.firstChild === e) return;
    if (e !== this.flame.root) {
      this.flame.drop();
      this.flame.key = '';
      this.flame.answer = null;
      this.flame.shown = false;
    }
    this.place.replaceChildren(e);
  }
}
