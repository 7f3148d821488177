// SPDX-License-Identifier: Apache-2.0
// Who blocks whom: threads that wait at the left, locks in the middle, threads that held them at the right, and between them bands as
// wide as the time that was waited. A thread that waits and holds stands at both sides; choosing it shows what it waits for and
// whom it holds up.
import { cleanText, formatCount, formatPercent, shortSpan } from '../flame/text.js';
import { svg, time } from '../spans/common.js';
import { h, onPress, redraw, watchSize } from './dom.js';
import { figures, Table } from './table.js';

const MOST = 9; // nodes of a column; the lightest are one
const GAP = 16; // room for the name of what hardly weighs
const MARGIN = 8;
const LEAST = 2; // height of what hardly weighs
const BAR = 10;
const OTHERS = 'others';
const UNKNOWN = 'not known';

const WAITS = 'w';
const LOCK = 'l';
const HOLDS = 'h';
const NOBODY = 'u:'; // chosen is that no holder was seen: a thread may have any name

/** Of a class name what people call it. */
export function shortClass(name) {
  return name.replace(/^.*?(?=[^./]*$)/, '') || name;
}

const endsOf = (f) => [[WAITS, f.waiter], [LOCK, f.class], [HOLDS, f.owner ?? null]];

/** The nodes of each column and the bands between them; shares of the height are left to the painter. */
export function layoutFlows(flows) {
  const columns = [WAITS, LOCK, HOLDS].map((side, i) => {
    const sums = new Map();
    for (const f of flows) sums.set(endsOf(f)[i][1], (sums.get(endsOf(f)[i][1]) ?? 0) + f.weight_ns);
    const sorted = [...sums].sort((a, b) => b[1] - a[1]);
    const kept = sorted.length > MOST ? sorted.slice(0, MOST - 1) : sorted;
    const nodes = kept.map(([name, weight]) => ({ side, name: name ?? UNKNOWN, weight, key: name === null ? NOBODY : `${side}:${name}`, of: new Set([name]) }));
    const rest = sorted.slice(kept.length);
    if (rest.length) nodes.push({ side, name: OTHERS, weight: rest.reduce((s, [, v]) => s + v, 0), key: '', of: new Set(rest.map(([name]) => name)) });
    return nodes;
  });
  const nodeOf = (column, name) => columns[column].find((n) => n.of.has(name));
  const bands = new Map();
  for (const f of flows) {
    const nodes = endsOf(f).map(([, name], i) => nodeOf(i, name));
    for (const i of [0, 1]) {
      const key = `${i} ${columns[i].indexOf(nodes[i])} ${columns[i + 1].indexOf(nodes[i + 1])}`;
      const band = bands.get(key) ?? { column: i, from: nodes[i], to: nodes[i + 1], weight: 0, flows: [] };
      band.weight += f.weight_ns;
      band.flows.push(f);
      bands.set(key, band);
    }
  }
  return { columns, bands: [...bands.values()].sort((a, b) => b.weight - a.weight) };
}

/** Whether a flow belongs to what is chosen, "w:NAME", "l:CLASS", "h:NAME" or "u:"; a thread is chosen on both sides at once. */
export function isChosen(flow, chosen) {
  if (!chosen) return true;
  if (chosen === NOBODY) return flow.owner === null || flow.owner === undefined;
  const [side, name] = [chosen[0], chosen.slice(2)];
  if (side === LOCK) return flow.class === name;
  return flow.waiter === name || flow.owner === name;
}

/** The first frame that is the program's own. */
export function ownFrame(stack) {
  return stack.find((f) => !/^(\[|(java|javax|jdk|sun|com\.sun)[./])/.test(f) && /[./]/.test(f)) ?? stack[0] ?? '';
}

/** Class and method of a frame. */
const shortFrame = (name) => name.slice(shortSpan(name, true)[0]);

/** A column with the program's own frame of a stack. */
function placeIn(key, head) {
  return { key, head, value: (r) => ownFrame(r[key]), text: (r) => h('span', { title: r[key].join('\n') }, shortFrame(ownFrame(r[key]))) };
}

/** Threads of a node as an expression, of POSIX: a star is a number. */
export function threadsOf(name) {
  return `^${name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[0-9]+')}$`;
}

export class LockGraph {
  /** @param hooks {onChoose(text), onPick(flow)} */
  constructor(hooks) {
    this.hooks = hooks;
    this.picture = svg('svg', { class: 'lock-graph', role: 'group', 'aria-label': 'Who blocks whom: waiting threads, locks, holding threads' });
    this.heads = h('div.lock-heads', { 'aria-hidden': 'true' }, h('span', 'waits'), h('span', 'for a lock'), h('span', 'held by'));
    this.table = new Table([
      { key: 'waiter', head: 'Waits', value: (r) => r.waiter || '[no name]' },
      { key: 'class', head: 'For', value: (r) => r.class, text: (r) => h('span', { title: `${r.kind} ${r.class}` }, shortClass(r.class)) },
      { key: 'owner', head: 'Held by', value: (r) => r.owner ?? UNKNOWN },
      { key: 'weight_ns', head: 'Waited', value: (r) => r.weight_ns, text: (r) => time(r.weight_ns), all: () => this.total, colour: 'var(--monitor-soft)' },
      figures('waits', 'Samples', formatCount), figures('longest_ns', 'Longest', time),
      placeIn('waiter_stack', 'Waits in'), placeIn('owner_stack', 'Held in'),
    ], {
      caption: 'Who waits for whom', sort: 'weight_ns', empty: 'Nothing waits there.', onPick: (r) => hooks.onPick(r), pickLabel: () => 'Show the stacks of these threads that wait',
    });
    this.root = h('div', this.heads, this.picture, this.table.root);
    this.resizes = watchSize(this.picture, () => this.draw());
  }

  release() {
    this.resizes.disconnect();
  }

  update(answer, chosen) {
    if (this.answer !== answer) this.layout = layoutFlows(answer.flows);
    this.answer = answer;
    this.chosen = chosen;
    this.total = answer.total_ns;
    this.draw();
    this.table.update(answer.flows.filter((f) => isChosen(f, chosen)));
  }

  draw() {
    const { width } = this.picture.getBoundingClientRect();
    if (!this.layout || width < 10) return;
    const most = Math.max(...this.layout.columns.map((c) => c.length));
    const height = Math.max(120, most * 36) + 2 * MARGIN;
    this.picture.style.height = `${height}px`;
    this.picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.place(width, height);
    redraw(this.picture, () => {
      for (const band of this.layout.bands) this.drawBand(band);
      for (const column of this.layout.columns) for (const node of column) this.drawNode(node, width);
    });
  }

  /** Gives nodes their boxes, and bands their places along them. */
  place(width, height) {
    const xs = [0, (width - BAR) / 2, width - BAR];
    this.layout.columns.forEach((column, i) => {
      const all = column.reduce((s, n) => s + n.weight, 0) || 1;
      const room = height - 2 * MARGIN - GAP * (column.length - 1) - LEAST * column.length;
      let y = MARGIN;
      for (const node of column) {
        Object.assign(node, { x: xs[i], y, height: LEAST + (room * node.weight) / all, left: 0, right: 0 });
        y += node.height + GAP;
      }
    });
    for (const band of this.layout.bands) {
      const of = (node) => (node.height * band.weight) / (node.weight || 1);
      [band.fromHeight, band.toHeight] = [of(band.from), of(band.to)];
      band.fromY = band.from.y + band.from.right;
      band.toY = band.to.y + band.to.left;
      band.from.right += band.fromHeight;
      band.to.left += band.toHeight;
    }
  }

  drawBand(band) {
    const [a, b] = [band.from.x + BAR, band.to.x];
    const middle = (a + b) / 2;
    const lit = band.flows.some((f) => isChosen(f, this.chosen));
    this.picture.append(svg('path', { hint: `${band.from.name}, ${band.to.name}: ${time(band.weight)}`, class: `band${lit ? '' : ' dim'}${band.to.key === NOBODY ? ' unknown' : ''}`,
      d: `M${a} ${band.fromY}C${middle} ${band.fromY} ${middle} ${band.toY} ${b} ${band.toY}V${band.toY + band.toHeight}C${middle} ${band.toY + band.toHeight} ${middle} ${band.fromY + band.fromHeight} ${a} ${band.fromY + band.fromHeight}Z` }));
  }

  drawNode(node, width) {
    const { key } = node;
    const own = key !== '';
    const said = { [WAITS]: `${node.name} waits ${time(node.weight)}`, [LOCK]: `${node.name}: waited for ${time(node.weight)}`, [HOLDS]: `${node.name} holds up others for ${time(node.weight)}` }[node.side];
    const named = this.chosen && this.chosen !== NOBODY && key !== NOBODY && this.chosen.slice(2) === key.slice(2);
    const pressed = own && (this.chosen === key || (named && node.side !== LOCK && this.chosen[0] !== LOCK));
    const g = svg('g', own ? { role: 'button', tabindex: '0', 'aria-pressed': String(Boolean(pressed)), class: `node ${node.side}` } : { class: `node ${node.side}`, role: 'img' });
    g.dataset.node = key;
    const text = `${node.side === LOCK ? shortClass(node.name) : node.name || '[no name]'}`;
    const right = node.side === HOLDS;
    const narrow = width < 560;
    const long = Math.max(7, Math.floor((width / 2 - (narrow ? 40 : 150)) / 14)); // two names share the half
    const label = svg('text', { x: right ? node.x - 6 : node.x + BAR + 6, y: node.y + node.height / 2 + 4, 'text-anchor': right ? 'end' : 'start' }, text.length > long ? `${text.slice(0, long - 1)}\u2026` : text);
    if (!narrow) label.append(svg('tspan', { class: 'quiet' }, ` \u00a0${formatPercent(node.weight, this.total)}`));
    g.append(svg('rect', { x: node.x, y: node.y, width: BAR, height: node.height, rx: 3, hint: said }), label);
    g.setAttribute('aria-label', cleanText(`${label.textContent}: ${said}`));
    if (own) onPress(g, () => this.hooks.onChoose(pressed ? '' : key));
    this.picture.append(g);
  }
}
