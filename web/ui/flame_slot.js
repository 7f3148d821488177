// SPDX-License-Identifier: Apache-2.0
// The place of a flame graph on a page: asks for the tree, makes the component once, and gives it each further answer.
import { Profile, base64Bytes } from '../flame/data.js';
import { formatCount, formatPercent } from '../flame/text.js';
import { button, emptyBox, h } from './dom.js';
import { flameDom, FlamePanel } from './flame_panel.js';
import { weightText } from './format.js';
import { exactly, leaveOut } from './state.js';
import { Slot } from './view.js';

export class FlameSlot extends Slot {
  /** @param lead what stands before the controls of the graph; in `home` where there is no graph */
  constructor(lead, home) {
    super('div.fill');
    this.lead = lead;
    this.home = home;
    this.panel = null;
    this.note = h('p.note', { hidden: true });
    this.whole = button('Whole stacks', () => this.context.navigate({ whole: !this.context.state.whole, zoom: '' }), { class: 'plain whole', title: 'With the frames by which threads and pools begin, which otherwise are one' });
  }

  release() {
    super.release();
    this.drop();
  }

  drop() {
    this.panel?.release();
    this.home.append(this.lead);
    this.panel = null;
    this.drawn = null;
    delete window.wickFlame;
  }

  fail(e) {
    this.drop();
    super.fail(e);
  }

  nothingFits() {
    const { state } = this.context;
    if (state.show !== 'sandwich') return super.nothingFits();
    return emptyBox('No sample has this method', `The event, the time and the filters leave no stack with ${state.focus}.`);
  }

  draw(answer, context) {
    const { state, theme } = context;
    if (!answer.samples && !answer.weight) {
      this.drop();
      this.root.replaceChildren(this.nothingFits());
      return;
    }
    this.sayWhatIsLeftOut(answer);
    if (this.panel && this.drawn !== answer) this.panel.setProfile(new Profile(base64Bytes(answer.data)));
    if (!this.panel) this.make(answer, context);
    this.drawn = answer;
    if (this.panel.theme !== theme) this.panel.setTheme(theme);
    this.panel.apply(state);
    this.whole.setAttribute('aria-pressed', String(state.whole));
  }

  make(answer, context) {
    const act = (text, title, patchOf) => button(text, () => {
      const name = this.panel.frameName();
      if (name) this.context.navigate({ ...patchOf(name), zoom: '' });
    }, { title });
    this.root.replaceChildren(flameDom([
      act('Only its stacks', 'Keep the stacks through the selected frame', (name) => ({ filter: exactly(name) })),
      act('Without it', 'Leave out the stacks through the selected frame', (name) => leaveOut(this.context.state, name)),
      ...(context.state.tab === 'cpu' ? [act('Callers, callees', 'Show what calls the selected method, and what it calls', (focus) => ({ show: 'sandwich', focus }))] : []),
    ]), this.note);
    this.root.querySelector('.flame-tools').prepend(this.lead);
    if (context.state.show === '') this.root.querySelector('#orient').after(this.whole);
    this.panel = new FlamePanel(new Profile(base64Bytes(answer.data)), context.theme, context.state,
      (part, history) => this.context.navigate(part, history));
    this.panel.refresh();
    window.wickFlame = this.panel;
  }

  sayWhatIsLeftOut(answer) {
    const parts = [];
    if (answer.own > 0) parts.push(`Left out: wick\u2019s own work, ${weightText(answer.own, answer.unit)} (${formatPercent(answer.own, answer.own + answer.weight)}).`);
    if (answer.truncated) parts.push(`The lightest boxes are put together: ${formatCount(answer.nodes)} are shown.`);
    this.note.textContent = parts.join(' ');
    this.note.hidden = !parts.length;
  }
}
