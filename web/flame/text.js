// SPDX-License-Identifier: Apache-2.0
// Names and numbers for people. The rules for hostile and long names are those of src/flame/text.c; tests/web compares.

// Controls, separators, interlinear marks, non-characters, and all that Unicode lets a reader ignore: never shown as they are. In ranges, as in
// src/codec/utf8.c, since what a browser knows of Unicode depends on its age.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** The name with everything that could hide or turn around text replaced by U+FFFD. */
export function cleanText(name) {
  return name.replace(HIDDEN, '\ufffd');
}

function shortenJava(name) {
  const paren = name.indexOf('(', 1);
  const s = paren < 0 ? name : name.slice(0, paren);
  let from = 0;
  for (;;) {
    const m = /^[a-z0-9_]+[./]/.exec(s.slice(from, from + 300));
    if (!m || !/[./]/.test(s.slice(from + m[0].length))) return [from, s.length];
    from += m[0].length;
  }
}

function shortenCpp(name) {
  let angle = 0;
  let last = 0;
  let before = 0;
  let cut = name.length;
  for (let i = 0; i < name.length; i++) {
    const c = name[i];
    if (c === '<') angle++;
    else if (c === '>' && angle) angle--;
    if (angle) continue;
    if (c === '(' && i > 0 && name[i - 1] !== ':' && !name.slice(0, i).endsWith('operator')) {
      cut = i;
      break;
    }
    if (c === ':' && name[i + 1] === ':' && i + 2 < name.length) {
      before = last;
      last = i + 2;
      i++;
    }
  }
  return last ? [before, cut] : [0, name.length];
}

/** [from, to) of the part that identifies the method: `HashMap.get`, `State::trim`. */
export function shortSpan(name, java) {
  return java ? shortenJava(name) : shortenCpp(name);
}

/** Forms of a name from longest to shortest: whole, without package and arguments, the method alone. */
export function nameForms(name, java) {
  const [from, to] = shortSpan(name, java);
  const short = name.slice(from, to);
  const dot = java ? short.lastIndexOf('.') : short.lastIndexOf('::');
  const bare = dot > 0 ? short.slice(dot + (java ? 1 : 2)) : short;
  return [...new Set([name, name.slice(from), short, bare])].filter((f) => f.length > 0);
}

const NS = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];
const BYTES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];
const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** "1 sample", "12,345 samples" */
export function samplesText(n) {
  return `${GROUPED.format(n)} ${n === 1 ? 'sample' : 'samples'}`;
}

/** A weight in its unit: "1.23 s", "45.6 MiB", "12,345 samples". */
export function formatWeight(weight, unit) {
  const steps = unit === 'ns' ? NS : unit === 'bytes' ? BYTES : null;
  if (!steps) return unit === 'samples' ? samplesText(weight) : `${GROUPED.format(weight)} ${cleanText(unit)}`;
  const [size, label] = steps.find(([s]) => weight >= s) ?? steps[steps.length - 1];
  const v = weight / size;
  return `${v.toFixed(size === 1 ? 0 : v < 10 ? 2 : v < 100 ? 1 : 0)} ${label}`;
}

/** "12.3 %"; small shares keep two digits, and nothing that exists is called 0. */
export function formatPercent(part, whole) {
  const p = whole > 0 ? (100 * part) / whole : 0;
  if (p === 0) return '0 %';
  if (p < 0.01) return '<\u20090.01 %';
  return `${p.toFixed(p < 10 ? 2 : p < 99.95 ? 1 : 0)} %`;
}

export function formatCount(n) {
  return GROUPED.format(n);
}

/** Compiles what was typed into the search box: a regular expression, plain text if it is none; null if empty.
 *  Case matters only if the pattern holds a capital letter. */
export function compileSearch(text) {
  if (!text) return null;
  const flags = /\p{Lu}/u.test(text.replace(/\\./g, '')) ? '' : 'i';
  try {
    return { test: new RegExp(text, flags), plain: false };
  } catch {
    return { test: new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags), plain: true };
  }
}
