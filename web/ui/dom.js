// SPDX-License-Identifier: Apache-2.0
// Elements from script. Text only ever arrives as textContent, with what could hide or turn it round made visible, so no name
// from a recording is markup.
import { cleanText } from '../flame/text.js';

/** h('button.plain', {type: 'button', onclick: f, title: '...'}, child...) or h('p', child...): a child is a node, a text, or null for none. */
export function h(what, ...rest) {
  const [attributes, children] = rest[0]?.constructor === Object ? [rest[0], rest.slice(1)] : [{}, rest];
  const [tag, ...classes] = what.split('.');
  const e = document.createElement(tag);
  if (classes.length) e.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else if (key === 'value') e.value = value;
    else e.setAttribute(key, value === true ? '' : cleanText(String(value)));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) e.append(child instanceof Node ? child : cleanText(String(child)));
  return e;
}

function nameOf(e) {
  return `${e.tagName} ${e.getAttribute('aria-label') ?? e.textContent}`;
}

/** Puts children in place of those that are there. What had the focus or was open is so again, if it is there again. */
export function exchange(parent, ...children) {
  const all = () => [...parent.querySelectorAll('a, button, summary, input, select, [tabindex]')];
  const had = parent.contains(document.activeElement) ? document.activeElement : null;
  const name = had ? nameOf(had) : '';
  const place = had ? all().filter((e) => nameOf(e) === name).indexOf(had) : -1;
  const open = [...parent.querySelectorAll('details[open] > summary')].map(nameOf);
  parent.replaceChildren(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  for (const summary of parent.querySelectorAll('details > summary')) summary.parentNode.open ||= open.includes(nameOf(summary));
  if (!had || had.isConnected) return;
  const same = had.dataset.pid ? all().filter((e) => e.dataset.pid === had.dataset.pid) : all().filter((e) => nameOf(e) === name);
  (same[place] ?? same[0])?.focus({ preventScroll: true });
}

/** A button that looks like one. */
export function button(text, onclick, attributes = {}) {
  return h('button.plain', { type: 'button', onclick, ...attributes }, text);
}

/** What to show where there is nothing: what is missing, why, and what to do. */
export function emptyBox(title, text, ...more) {
  return h('section.empty', h('h2', title), text ? h('p', text) : null, ...more);
}

/** How much of a recording has been read, while that is a part. */
export class PartRead {
  /** @param label of the progress, for those who do not see it @param title a hint */
  constructor(label, title) {
    this.bar = h('progress', { max: '100', 'aria-label': label });
    this.text = h('span');
    this.root = h('div.part-read', { hidden: true, title }, this.bar, this.text);
  }

  update(partial, read, size) {
    this.root.hidden = !partial;
    if (!partial) return;
    const percent = Math.min(99, Math.floor((100 * read) / Math.max(1, size)));
    this.bar.value = percent;
    this.text.textContent = `Read ${percent} %`;
  }
}

/** A section with its heading. */
export function card(title, ...children) {
  return h('section.card', h('h2', title), ...children);
}

/** A list without signs before its items. */
export function plainList(items) {
  return h('ul.plain-list', ...items.map((item) => h('li', item)));
}

/** What is in a list of facts: pairs of what and how much. */
export function factsOf(pairs) {
  return pairs.map(([k, v]) => h('div', h('dt', k), h('dd', v)));
}

/** A colour of a legend. */
export function swatch(colour) {
  const e = h('i', { 'aria-hidden': 'true' });
  e.style.background = colour;
  return e;
}

/** Has a click, Enter and Space do the same. */
export function onPress(e, act) {
  e.addEventListener('click', act);
  e.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    take(event);
    act();
  });
}

/** Calls back when an element has got its size, and with each change of it; what it returns is to be disconnected. */
export function watchSize(e, act) {
  const watch = new ResizeObserver(act);
  watch.observe(e);
  return watch;
}

/** Draws a picture anew; the part of it that had the focus, known by its data-node, has it again. */
export function redraw(picture, draw) {
  const focused = document.activeElement?.dataset?.node;
  picture.replaceChildren();
  draw();
  if (focused) picture.querySelector(`[data-node="${CSS.escape(focused)}"]`)?.focus();
}

/** A table that is folded away below its picture. @param draw called when it is unfolded */
export function asTable(table, draw) {
  return h('details.as-table', { ontoggle: draw }, h('summary', 'As a table'), table.root);
}

/** An event that nobody else is to see. */
export function take(e) {
  e.preventDefault();
  e.stopPropagation();
}

/** Whether a key is the browser's, or nobody's. */
export const isModified = (e) => e.ctrlKey || e.metaKey || e.altKey;

/** Has the pointer choose in a picture, from the place where it is pressed to the one where it is released. @param hooks {ready(): there
 *  is something to choose, place(e): {inside, ...}, drag(first, at), hover(at), drop(first, at), rest(): nothing is pointed at, least: pixels to move
 *  before that begins, for what can be clicked as well} */
export function choosing(area, { ready, place, drag, hover, drop, rest, least = 0 }) {
  let first = null;
  let [start, begun] = [0, false];
  const begin = (e) => {
    begun = true;
    area.setPointerCapture(e.pointerId);
  };
  area.addEventListener('pointerdown', (e) => {
    const at = e.button === 0 && ready() ? place(e) : null;
    if (!at?.inside) return;
    first = at;
    [start, begun] = [e.clientX, false];
    if (least) return;
    begin(e);
    drag(first, at);
  });
  area.addEventListener('pointermove', (e) => {
    if (first && !begun) {
      if (!e.buttons) first = null; // released elsewhere
      else if (Math.abs(e.clientX - start) >= least) begin(e);
    }
    if (first && begun) drag(first, place(e));
    else if (!first && ready()) hover(place(e));
  });
  area.addEventListener('pointerleave', () => !first && ready() && rest());
  area.addEventListener('pointerup', (e) => {
    const from = begun && first;
    first = null;
    if (from) drop(from, place(e));
  });
  area.addEventListener('pointercancel', () => {
    first = null;
    rest();
  });
}

/** A command to copy. */
export function commandLine(text) {
  return h('pre.command', { tabindex: '0', 'aria-label': 'Command' }, text);
}

/** An error of the server or of the way to it, in sentences. */
export function errorBox(error, title = 'This cannot be shown') {
  return h('section.error', { role: 'alert' }, h('h2', title), h('p', error.why ?? String(error.message ?? error)),
    error.whatToDo ? h('p.quiet', error.whatToDo) : null);
}

export function say(text) {
  document.getElementById('live').textContent = cleanText(text);
}

let toastTimer = 0;

/** Says something in sight, for some seconds. */
export function toast(text) {
  const box = document.getElementById('toast');
  box.textContent = cleanText(text);
  box.classList.add('on');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.classList.remove('on'), 5000);
  say(text);
}
