// SPDX-License-Identifier: Apache-2.0
// What the page says about a box: the dock below the graph, the tooltip beside the pointer, the legend, and the sentence
// a screen reader hears. Names reach the document through textContent only.
import { CHANGES } from './change.js';
import { JAVA_SLOTS, KINDS, KIND_ORDER, kindGroup } from './kinds.js';
import { cleanText, formatPercent, formatWeight, samplesText, shortSpan } from './text.js';
import { nameOf } from './views.js';

/** @returns {HTMLElement} */
export function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

/** Everything there is to say about a node of a view. */
export function describeNode(view, node, zoom) {
  const p = view.profile;
  const id = view.name[node];
  const kind = view.kind[node];
  const split = node === 0 ? null : view.split(node);
  let kinds = node === 0 ? [] : [{ kind, weight: view.total[node] }];
  if (split) {
    kinds = split.weights
      .map((weight, slot) => ({ kind: JAVA_SLOTS[slot], weight }))
      .filter((k) => k.weight > 0)
      .sort((a, b) => b.weight - a.weight);
  }
  const library = id < 0 ? -1 : p.library[id];
  return {
    name: cleanText(nameOf(view, node)),
    library: library < 0 ? '' : cleanText(p.names[library]),
    java: kindGroup(kind) === 1,
    kind,
    kinds,
    estimated: split !== null && split.estimated,
    total: view.total[node],
    self: view.self(node),
    all: p.total[0],
    zoomed: zoom > 0 ? view.total[zoom] : 0,
    unit: p.unit,
    lines: node === 0 ? [] : view.lines(node),
    level: view.depth[node],
    change: p.compares ? { ...view.change(node), weight: (w) => (p.absolute ? formatWeight(w, p.unit) : formatPercent(w, p.sides[1].weight)) } : null,
  };
}

function kindsText(d) {
  if (d.kinds.length === 1) return KINDS[d.kinds[0].kind].long;
  const list = d.kinds.map((k) => `${formatPercent(k.weight, d.total)} ${KINDS[k.kind].label}`).join(', ');
  return (d.estimated ? '\u2248 ' : '') + list;
}

function linesText(d) {
  if (!d.lines.length) return '';
  const known = d.lines.reduce((sum, l) => sum + l.weight, 0);
  if (d.lines.length === 1 && known >= d.total) return `${d.lines[0].line}`;
  const shown = d.lines.slice(0, 5).map((l) => `${l.line} (${formatPercent(l.weight, d.total)})`);
  const rest = d.lines.length - shown.length;
  return shown.join(', ') + (rest > 0 ? `, ${rest} more` : '');
}

function signed(share) {
  return `${share < 0 ? '\u2212' : share > 0 ? '+' : ''}${formatPercent(Math.abs(share), 1)}`;
}

/** "+3.1 % ± 0.4% of all, at least doubled" */
function changeText(c) {
  return `${signed(c.change)} \u00b1 ${formatPercent(c.half, 1)} of all, ${CHANGES[c.kind].label}`;
}

function sideText(c, weight, samples) {
  return `${c.weight(weight)}, ${samplesText(samples)}`;
}

/** One sentence for the live region. */
export function spokenDetails(d) {
  if (d.change) {
    const c = d.change;
    return `${d.name}; before ${sideText(c, c.before, c.samplesBefore)}; after ${sideText(c, c.after, c.samplesAfter)}; ${changeText(c)}`;
  }
  const parts = [d.name, `total ${formatWeight(d.total, d.unit)}, ${formatPercent(d.total, d.all)} of all`];
  if (d.zoomed) parts.push(`${formatPercent(d.total, d.zoomed)} of the zoomed frame`);
  parts.push(`self ${formatWeight(d.self, d.unit)}, ${formatPercent(d.self, d.all)}`);
  if (d.kinds.length) parts.push(kindsText(d));
  if (d.library) parts.push(`in ${d.library}`);
  const lines = linesText(d);
  if (lines) parts.push(`${d.lines.length > 1 ? 'lines' : 'line'} ${lines}`);
  return parts.join('; ');
}

/** A name with its package and arguments in a quieter voice. */
function nameParts(target, d) {
  const [from, to] = d.level === 0 ? [0, d.name.length] : shortSpan(d.name, d.java);
  target.replaceChildren(
    element('span', 'quiet', d.name.slice(0, from)),
    element('strong', '', d.name.slice(from, to)),
    element('span', 'quiet', d.name.slice(to)),
  );
}

function stat(label, value, more) {
  const box = element('div', 'stat');
  box.append(element('dt', '', label), element('dd', '', value));
  if (more) box.lastChild.append(element('span', 'quiet', ` ${more}`));
  return box;
}

export class Dock {
  constructor(root) {
    this.name = root.querySelector('[data-part=name]');
    this.stats = root.querySelector('[data-part=stats]');
    this.bar = root.querySelector('[data-part=bar]');
  }

  changeStats(d) {
    const c = d.change;
    return [
      stat('Before', c.weight(c.before), samplesText(c.samplesBefore)),
      stat('After', c.weight(c.after), samplesText(c.samplesAfter)),
      stat('Change', changeText(c)),
    ];
  }

  show(d, themeName) {
    nameParts(this.name, d);
    this.name.title = d.name;
    const shares = `${formatPercent(d.total, d.all)} of all${d.zoomed ? `, ${formatPercent(d.total, d.zoomed)} of zoom` : ''}`;
    const items = d.change ? this.changeStats(d) : [stat('Total', formatWeight(d.total, d.unit), shares)];
    if (!d.change) items.push(stat('Self', formatWeight(d.self, d.unit), formatPercent(d.self, d.all)));
    if (d.kinds.length) items.push(stat(d.kinds.length > 1 ? 'Kinds' : 'Kind', kindsText(d)));
    if (d.library) items.push(stat('Library', d.library));
    const lines = linesText(d);
    if (lines) items.push(stat(d.lines.length > 1 ? 'Lines' : 'Line', lines));
    this.stats.replaceChildren(...items);
    this.bar.replaceChildren(
      ...d.kinds.map((k) => {
        const part = element('i');
        part.style.flexGrow = String(k.weight / d.total);
        part.style.background = KINDS[k.kind][themeName];
        return part;
      }),
    );
  }
}

export class Tooltip {
  constructor(root) {
    this.root = root;
  }

  hide() {
    this.root.hidden = true;
  }

  /** Beside the pointer, below the row of the box (above it near the lower edge): never over the box itself. */
  show(d, box, pointerX, area) {
    const name = element('div', 'tip-name');
    nameParts(name, d);
    const text = d.change ? changeText(d.change) : `${formatPercent(d.total, d.all)} \u00b7 ${formatWeight(d.total, d.unit)}`;
    const shares = element('div', 'tip-shares', text);
    this.root.replaceChildren(name, shares);
    this.root.hidden = false;
    const w = this.root.offsetWidth;
    const h = this.root.offsetHeight;
    const left = Math.max(8, Math.min(area.left + pointerX + 12, area.right - w - 8));
    let top = area.top + box.y + 20 + 8;
    if (top + h > area.bottom - 4) top = area.top + box.y - h - 8;
    this.root.style.transform = `translate(${Math.round(left)}px, ${Math.round(Math.max(4, top))}px)`;
  }
}

export class Legend {
  /** @param {(kind: number) => void} onToggle */
  constructor(root, profile, onToggle) {
    this.root = root;
    this.chips = [];
    root.replaceChildren();
    if (profile.compares) {
      this.addChanges();
      return;
    }
    root.setAttribute('aria-label', 'Kinds of code, share of samples by top frame; press to highlight');
    const weights = profile.selfByKind();
    for (const kind of KIND_ORDER) {
      if (!weights[kind] && !profile.kind.includes(kind)) continue;
      const chip = this.add('button', KINDS[kind].label, { kind });
      chip.type = 'button';
      chip.title = `${KINDS[kind].long}: ${formatWeight(weights[kind], profile.unit)} in the top frame. Click to highlight.`;
      if (weights[kind]) chip.append(element('span', 'quiet', formatPercent(weights[kind], profile.total[0])));
      chip.setAttribute('aria-pressed', 'false');
      chip.addEventListener('click', () => onToggle(kind));
    }
  }

  /** @param what {kind} or {change}, whose colour it has */
  add(tag, label, what) {
    const chip = element(tag, 'chip');
    const swatch = element('i');
    chip.append(swatch, element('span', '', label));
    this.root.append(chip);
    this.chips.push({ ...what, chip, swatch });
    return chip;
  }

  /** Of a comparison: the colours are those of change, and explain themselves. */
  addChanges() {
    this.root.setAttribute('aria-label', 'Colours: how weights changed');
    for (const change of CHANGES) this.add('span', change.label, { change });
    this.root.append(element('span', 'chip quiet', 'a box is as wide as before and after together'));
  }

  update(mask, themeName) {
    for (const c of this.chips) {
      if (c.change) {
        c.swatch.style.background = c.change[themeName];
        continue;
      }
      c.chip.setAttribute('aria-pressed', String(((mask >> c.kind) & 1) === 1));
      c.swatch.style.background = KINDS[c.kind][themeName];
    }
  }
}
