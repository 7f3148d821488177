// SPDX-License-Identifier: Apache-2.0
// The graph as an ARIA tree, for screen readers and for anything else that reads documents instead of pixels. It holds the
// way from the root to the zoomed box, what is below it down to half a per cent of it, and the selected box with its
// ancestors. The tree has the keyboard focus; the canvas shows the same selection as a ring.
import { KINDS } from './kinds.js';
import { cleanText, formatPercent } from './text.js';
import { element } from './details.js';
import { nameOf } from './views.js';

const MAX_ITEMS = 200;
const MAX_LOOKED_AT = 5000;

export class Twin {
  /** @param {HTMLElement} root element with role=tree @param {(node: number) => void} onPick */
  constructor(root, onPick) {
    this.root = root;
    root.addEventListener('click', (e) => {
      const item = e.target.closest('[role=treeitem]');
      if (item) onPick(Number(item.dataset.node));
    });
  }

  update(view, zoom, selected) {
    const keep = new Set();
    for (let i = selected; i >= 0; i = view.parent[i]) keep.add(i);
    for (let i = zoom; i >= 0; i = view.parent[i]) keep.add(i);
    const items = this.pick(view, zoom, keep);
    this.root.replaceChildren(...items.map((it) => this.item(view, it, selected)));
    this.root.setAttribute('aria-activedescendant', `node-${selected >= 0 ? selected : zoom}`);
  }

  /** The heaviest boxes in sight (a caller is at least as heavy as what it calls, so none is cut off from the root). */
  heaviest(view, zoom) {
    const least = view.total[zoom] / 200;
    const found = [];
    const stack = [zoom];
    while (stack.length && found.length < MAX_LOOKED_AT) {
      const node = stack.pop();
      found.push(node);
      for (let c = view.first(node); c >= 0; c = view.next(c)) if (view.total[c] >= least) stack.push(c);
    }
    found.sort((a, b) => view.total[b] - view.total[a] || view.depth[a] - view.depth[b]);
    return found.slice(0, MAX_ITEMS);
  }

  /** Nodes in tree order with their place among the listed siblings. */
  pick(view, zoom, keep) {
    for (const node of this.heaviest(view, zoom)) keep.add(node);
    const out = [];
    const stack = [{ node: 0, place: 1, of: 1 }];
    while (stack.length) {
      const it = stack.pop();
      out.push(it);
      const children = [];
      for (let c = keep.has(it.node) ? view.first(it.node) : -1; c >= 0; c = view.next(c)) if (keep.has(c)) children.push(c);
      it.children = children.length;
      for (let k = children.length - 1; k >= 0; k--) stack.push({ node: children[k], place: k + 1, of: children.length });
    }
    return out;
  }

  item(view, it, selected) {
    const { node } = it;
    const p = view.profile;
    const kind = node === 0 ? '' : `, ${KINDS[view.kind[node]].label}`;
    const text = `${cleanText(nameOf(view, node))}, ${formatPercent(view.total[node], p.total[0])} total, ${formatPercent(view.self(node), p.total[0])} self${kind}`;
    const e = element('div', '', text);
    e.id = `node-${node}`;
    e.dataset.node = String(node);
    e.setAttribute('role', 'treeitem');
    const said = { level: view.depth[node] + 1, posinset: it.place, setsize: it.of, selected: node === selected };
    if (it.children || view.first(node) >= 0) said.expanded = it.children > 0;
    for (const [key, value] of Object.entries(said)) e.setAttribute(`aria-${key}`, String(value));
    return e;
  }
}
