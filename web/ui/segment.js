// SPDX-License-Identifier: Apache-2.0
// A row of buttons of which one is chosen. The buttons stay while what they offer does, so an update of the page takes neither a
// click nor the focus from them.
import { cleanText } from '../flame/text.js';
import { h } from './dom.js';

export class Segment {
  /** @param className of the element, 'div.segment' and more; @param onChoose (value) */
  constructor(className, label, onChoose) {
    this.onChoose = onChoose;
    this.root = h(className, { role: 'group', 'aria-label': label });
    this.buttons = [];
    this.offered = '';
  }

  /** @param offers [[value, text, title]...] @param chosen (value) whether it is */
  update(offers, chosen) {
    const key = JSON.stringify(offers.map(([value, text]) => [value, text]));
    if (key !== this.offered) {
      this.offered = key;
      this.buttons = offers.map(([value, text]) => h('button', { type: 'button', onclick: () => this.onChoose(value) }, text));
      this.root.replaceChildren(...this.buttons);
    }
    offers.forEach(([value, , title], i) => {
      this.buttons[i].setAttribute('aria-pressed', String(chosen(value)));
      if (title) this.buttons[i].title = cleanText(title);
    });
  }
}
