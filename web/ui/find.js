// SPDX-License-Identifier: Apache-2.0
// The search on pages whose flame graph has no field of its own: what matches is marked wherever it stands in words, in tables, stacks,
// sentences and pictures, and Enter goes from one to the next.
//
// Marks are ranges that the browser paints (CSS.highlights), so the page's elements stay as they are. A name may be in several
// elements, its package and the rest: each element that holds words is searched as one text.
import { compileSearch, formatCount } from '../flame/text.js';
import { calm } from './calm.js';
import { button, h, say } from './dom.js';

const WORDS = 'td, li, p, h2, h3, dt, dd, summary, pre, text';
const MOST = 2000; // marks

/** Where a pattern matches in texts that follow each other, as one: [[text, at], [text, at]] for the start and end of each. */
export function placesIn(texts, pattern) {
  const ends = [];
  texts.forEach((t) => ends.push((ends[ends.length - 1] ?? 0) + t.length));
  const place = (at, end) => {
    const i = ends.findIndex((e) => (end ? at <= e : at < e));
    return [i, at - (ends[i - 1] ?? 0)];
  };
  return [...texts.join('').matchAll(new RegExp(pattern, `${pattern.flags}g`))].filter(([found]) => found)
    .map(({ 0: found, index }) => [place(index, false), place(index + found.length, true)]);
}

function* rangesIn(roots, pattern) {
  for (const e of roots.flatMap((root) => [...root.querySelectorAll(WORDS)])) {
    if (e.parentElement.closest(WORDS) || !e.getClientRects().length) continue;
    const nodes = [];
    const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (!walker.currentNode.parentElement.matches('title, .unseen')) nodes.push(walker.currentNode);
    for (const [[i, from], [k, to]] of placesIn(nodes.map((n) => n.data), pattern)) {
      const range = document.createRange();
      range.setStart(nodes[i], from);
      range.setEnd(nodes[k], to);
      yield range;
    }
  }
}

export class Finder {
  /** @param places the parts of the page that are searched @param onSearch (text) */
  constructor(places, onSearch) {
    this.places = places;
    this.input = h('input', { type: 'text', id: 'find', placeholder: 'Search, regex', 'aria-label': 'Search this page by regular expression', autocomplete: 'off', spellcheck: 'false',
      oninput: () => onSearch(this.input.value),
      onblur: () => calm().then(() => this.fold()), // not below the pointer
      onkeydown: (e) => {
        if (e.key === 'Enter') this.step(e.shiftKey ? -1 : 1);
        else if (e.key === 'Escape') onSearch('');
      } });
    this.count = h('output.quiet', { for: 'find' });
    this.root = h('div.search.find', { role: 'search' }, this.input, this.count, h('kbd', { 'aria-hidden': 'true' }, '/'),
      button('', () => this.begin(), { class: 'find-open', 'aria-label': 'Search this page', title: 'Search this page (/)' }));
    this.watch = new MutationObserver(() => (this.pattern || this.ranges.length) && this.later());
    for (const place of places) this.watch.observe(place, { childList: true, characterData: true, subtree: true, attributeFilter: ['open', 'hidden'] });
    this.ranges = [];
  }

  release() {
    this.watch.disconnect();
    cancelAnimationFrame(this.pending);
    globalThis.CSS.highlights?.clear();
  }

  later() {
    cancelAnimationFrame(this.pending);
    this.pending = requestAnimationFrame(() => this.mark());
  }

  /** Where there is little room the field is there only while it is used. */
  fold() {
    this.root.classList.toggle('on', this.input.value !== '' || document.activeElement === this.input);
  }

  begin() {
    this.root.classList.add('on');
    this.input.focus();
    this.input.select();
  }

  /** @param hidden whether the page has another field */
  update(search, hidden) {
    this.root.hidden = hidden;
    if (this.input.value !== search) this.input.value = search;
    this.fold();
    if (search === this.search) return;
    this.search = search;
    this.pattern = compileSearch(search)?.test;
    this.at = -1;
    globalThis.CSS.highlights?.delete('hit');
    this.later();
  }

  mark() {
    this.ranges = [];
    if (this.pattern) for (const range of rangesIn(this.places, this.pattern)) if (this.ranges.push(range) >= MOST) break;
    globalThis.CSS.highlights?.set('found', new Highlight(...this.ranges));
    this.count.textContent = this.pattern ? formatCount(this.ranges.length) + (this.ranges.length < MOST ? '' : ' or more') : '';
  }

  /** Brings the next hit into sight, or the one before. */
  step(by) {
    const n = this.ranges.length;
    if (!n) return;
    this.at = this.at < 0 && by < 0 ? n - 1 : (this.at + by + n) % n;
    const range = this.ranges[this.at];
    globalThis.CSS.highlights?.set('hit', new Highlight(range));
    range.startContainer.parentElement.scrollIntoView({ block: 'center' });
    say(`${this.at + 1} of ${n}: ${range}`);
  }

  /** Runs what a key means; false if it means nothing here. */
  onKey({ key }) {
    if (this.root.hidden || !['/', 'n', 'N'].includes(key)) return false;
    if (key === '/') this.begin();
    else this.step(key === 'n' ? 1 : -1);
    return true;
  }
}
