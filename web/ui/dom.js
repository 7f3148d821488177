// SPDX-License-Identifier: Apache-2.0
// Elements from script. Text only ever arrives as textContent, with what could hide or turn it round made visible, so no name
// from a recording is markup.
import { cleanText } from '../flame/text.js';

/** h('button.plain', {type: 'button', onclick: f, title: '...'}, child...): a child is a node, a text, or null for none. */
export function h(what, attributes = {}, ...children) {
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
  return h('section.empty', {}, h('h2', {}, title), text ? h('p', {}, text) : null, ...more);
}

/** A command to copy. */
export function commandLine(text) {
  return h('pre.command', { tabindex: '0', 'aria-label': 'Command' }, text);
}

/** An error of the server or of the way to it, in sentences. */
export function errorBox(error, title = 'This cannot be shown') {
  return h('section.error', { role: 'alert' }, h('h2', {}, title), h('p', {}, error.why ?? String(error.message ?? error)),
    error.whatToDo ? h('p.quiet', {}, error.whatToDo) : null);
}

export function say(text) {
  document.getElementById('live').textContent = cleanText(text);
}
