// SPDX-License-Identifier: Apache-2.0
// Who holds the heap, as a graph: from each GC root at the left, object by object, to what keeps most alive, and what that keeps at the
// right. Chains that begin alike share their beginning. An object has the reference that leads to it above its name; the line to it is
// as wide as what it retains.
import { cleanText, formatCount, formatWeight } from '../flame/text.js';
import { svg } from '../spans/common.js';
import { h, onPress, redraw } from './dom.js';
import { shortClass } from './lock_graph.js';

/** Of `java.lang.Thread "worker-1"` or `class a.b.C` what is said of the class without its package. */
export function shortObject(name) {
  const [, before, object, rest] = name.match(/^(class )?(\S*)(.*)$/s);
  return `${before ?? ''}${shortClass(object)}${rest}`;
}

const MOST_STEPS = 5; // objects of a chain that are drawn: the first and the last of a longer one
const COLUMN = 220;
const BOX = 180;
const SMALLEST = 0.72; // scale, where the whole graph would not fit the page
const ROW = 78;
const HEIGHT = 62;
const MARGIN = 12;
const THICK = 14;

const bytes = (v) => formatWeight(v, 'bytes');

/** The objects of a path with the middle of a long one as one step: [{..., skipped}]. */
export function shortened(path) {
  if (path.length <= MOST_STEPS) return path;
  const head = Math.floor(MOST_STEPS / 2);
  const skipped = path.slice(head, path.length - head);
  return [...path.slice(0, head), { id: `${path[head].id}+${skipped.length}`, skipped, reference: '', retained: path[head].retained }, ...path.slice(path.length - head)];
}

/** A tree of all chains: nodes {key, kind, object, reference, weight, children}, the heaviest first. kind: root, object, suspect,
 *  skipped or kept. */
export function treeOf(suspects) {
  const top = { key: '', children: [] };
  const child = (node, key, make) => {
    let found = node.children.find((c) => c.key === key);
    if (!found) {
      found = { key, children: [], weight: 0, ...make() };
      node.children.push(found);
    }
    return found;
  };
  for (const s of suspects) {
    let at = child(top, `root ${s.root} ${s.path[0]?.id ?? ''}`, () => ({ kind: 'root', text: s.root || 'no path from a GC root was found' }));
    const path = s.path.length ? shortened(s.path) : [{ ...s, reference: '' }];
    for (const o of path) {
      at.weight = Math.max(at.weight, o.retained ?? 0, s.retained);
      at = child(at, `object ${o.id}`, () => ({ kind: o.skipped ? 'skipped' : 'object', object: o, reference: o.reference }));
    }
    at.weight = s.retained;
    at.kind = 'suspect';
    at.suspect = s;
    for (const k of s.keeps) child(at, `kept ${k.class}`, () => ({ kind: 'kept', kept: k, weight: k.retained }));
  }
  const order = (node) => {
    node.children.sort((a, b) => b.weight - a.weight);
    node.children.forEach(order);
  };
  order(top);
  return top.children;
}

/** Gives each node a place: its column, and a row of its own for each leaf; what branches is in the middle of its branches. Returns
 *  {columns, rows}. */
export function placed(roots) {
  let rows = 0;
  let columns = 0;
  const place = (node, column) => {
    node.column = column;
    columns = Math.max(columns, column + 1);
    for (const c of node.children) place(c, column + 1);
    const [first, last] = [node.children[0], node.children[node.children.length - 1]];
    node.row = first ? (first.row + last.row) / 2 : rows++;
  };
  for (const root of roots) place(root, 0);
  return { columns, rows };
}

const fit = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}\u2026` : text);

/** The three lines of a node's box, and its title. */
export function wordsOf(node) {
  if (node.kind === 'root') return ['GC root', node.text, '', `GC root: ${node.text}`];
  if (node.kind === 'skipped') {
    const n = node.object.skipped.length;
    return ['\u2026', `${formatCount(n)} more objects`, '', node.object.skipped.slice(0, 12).map((o) => `${o.reference} ${o.object}`).join('\n')];
  }
  if (node.kind === 'kept') {
    const { kept } = node;
    return ['keeps', `${formatCount(kept.objects)} \u00d7 ${shortClass(kept.class)}`, bytes(kept.retained), `keeps ${formatCount(kept.objects)} of ${kept.class}: ${bytes(kept.retained)}`];
  }
  const { object } = node;
  const name = object.object ?? object.class;
  const held = object.retained === undefined ? 'reachable by other ways too' : `retains ${bytes(object.retained)}`;
  return [node.reference, shortObject(name), held, `${node.reference} \u2192 ${name} ${object.id}: ${bytes(object.shallow ?? 0)} itself, ${held}`];
}

export class Chains {
  /** @param onPick (node) the node that was chosen, null for none */
  constructor(onPick) {
    this.onPick = onPick;
    this.picture = svg('svg', { class: 'chains', role: 'group', 'aria-label': 'Who holds the heap: from GC roots to the objects that keep most alive' });
    this.root = h('div.chains-box', { tabindex: '0', role: 'region', 'aria-label': 'Graph of references' }, this.picture);
    this.chosen = '';
  }

  update(suspects) {
    this.roots = treeOf(suspects);
    this.size = placed(this.roots);
    this.most = Math.max(1, ...this.roots.map((r) => r.weight));
    this.draw();
  }

  draw() {
    const { columns, rows } = this.size;
    const [width, height] = [columns * COLUMN - (COLUMN - BOX) + 2 * MARGIN, rows * ROW + 2 * MARGIN];
    this.picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.picture.style.maxWidth = `${width}px`;
    this.picture.style.minWidth = `${width * SMALLEST}px`;
    redraw(this.picture, () => this.drawAll());
  }

  drawAll() {
    const all = [];
    const visit = (node, path) => {
      node.path = `${path}/${node.key}`;
      for (const c of node.children) {
        this.drawLine(node, c);
        visit(c, node.path);
      }
      all.push(node);
    };
    for (const root of this.roots) visit(root, '');
    for (const node of all.sort((a, b) => a.row - b.row || a.column - b.column)) this.drawNode(node);
  }

  at(node) {
    return [MARGIN + node.column * COLUMN, MARGIN + node.row * ROW + (ROW - HEIGHT) / 2];
  }

  drawLine(from, to) {
    const [[x, y], [u, v]] = [this.at(from), this.at(to)];
    const [a, b, c, d] = [x + BOX, y + HEIGHT / 2, u, v + HEIGHT / 2];
    const line = svg('path', { class: `reference${to.kind === 'kept' ? ' keeps' : ''}`, d: `M${a} ${b}C${(a + c) / 2} ${b} ${(a + c) / 2} ${d} ${c} ${d}`, 'stroke-width': Math.max(1.5, (THICK * to.weight) / this.most) });
    this.picture.append(line);
  }

  drawNode(node) {
    const [x, y] = this.at(node);
    const [way, name, size, title] = wordsOf(node).map(cleanText);
    const pressed = this.chosen === node.path;
    const g = svg('g', { class: `holder ${node.kind}`, role: 'button', tabindex: '0', 'aria-pressed': String(pressed) });
    g.dataset.node = node.path;
    const box = svg('rect', { x, y, width: BOX, height: HEIGHT, rx: 6, hint: title });
    const line = (below, text, cls) => svg('text', { class: cls, x: x + 10, y: y + below }, text ? `${text} ` : '');
    g.append(box, line(18, fit(way, 28), 'way'), line(size ? 35 : 38, fit(name, 23), ''), line(52, size, 'quiet'));
    onPress(g, () => {
      this.chosen = pressed ? '' : node.path;
      this.draw();
      this.onPick(pressed ? null : node);
    });
    this.picture.append(g);
  }
}
