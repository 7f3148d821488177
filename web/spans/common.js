// SPDX-License-Identifier: Apache-2.0
// What requests are shown with, on the pages that are single files and in the application: elements and times.
import { cleanText, formatWeight } from '../flame/text.js';

const SVG = 'http://www.w3.org/2000/svg';

export const NO_ENDPOINT = '[no endpoint]';

/** An element with a class and text; names are shown as text only, never as markup. */
export function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = cleanText(text);
  return e;
}

/** Of its attributes `hint` is what it is called under the pointer, and `colour` fills it. */
export function svg(tag, { hint, colour, ...attributes }, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (colour) e.style.fill = colour;
  if (hint !== undefined) e.append(svg('title', {}, hint));
  if (text !== undefined) e.append(cleanText(text));
  return e;
}

export const time = (ns) => formatWeight(ns, 'ns');
