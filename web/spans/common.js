// SPDX-License-Identifier: Apache-2.0
// What both pages need: elements, times, light and dark.
import { cleanText, formatWeight } from '../flame/text.js';

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

/** An element with a class and text; names are shown as text only, never as markup. */
export function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = cleanText(text);
  return e;
}

export function svg(tag, attributes, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = cleanText(text);
  return e;
}

export const time = (ns) => formatWeight(ns, 'ns');

export const readData = () => JSON.parse(byId('data').textContent);

/** Light or dark: as chosen last, else as the system has it and changes it. */
export function startTheme() {
  const root = document.documentElement;
  let saved = null;
  try {
    saved = localStorage.getItem('wick-theme');
  } catch {
    /* no storage for file: pages in some browsers */
  }
  const media = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => {
    if (!saved) root.dataset.theme = media.matches ? 'dark' : 'light';
  };
  if (saved) root.dataset.theme = saved;
  follow();
  media.addEventListener('change', follow);
  const toggle = () => {
    saved = root.dataset.theme === 'dark' ? 'light' : 'dark';
    root.dataset.theme = saved;
    try {
      localStorage.setItem('wick-theme', saved);
    } catch {
      /* as above */
    }
  };
  byId('theme').addEventListener('click', toggle);
  document.addEventListener('keydown', (e) => {
    if (e.key === 'd' && !e.ctrlKey && !e.metaKey && !e.altKey) toggle();
  });
}
