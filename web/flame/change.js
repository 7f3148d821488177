// SPDX-License-Identifier: Apache-2.0
// Comparisons: what a box's weight was before and is after, and whether the difference is more than sampling error.
//
// A box's weight is that of both sides together, so what is new and what is gone have their place. The rule for noise is
// that of src/analysis/compare/diff.c (tests/web compares): n samples give a weight w a variance of w * w / n, a share p to
// that times 1 - p; a side without a sample might as well have had one.
import { KIND_ROOT } from './kinds.js';

/** Classes of change in the order of their numbers. Fills keep the contrast of those in kinds.js. */
export const CHANGES = [
  { key: 'noise', label: 'within sampling error', light: '#d9d9d4', dark: '#474a52' },
  { key: 'grown1', label: 'grown', light: '#f8cdc2', dark: '#6f4038' },
  { key: 'grown2', label: 'grown by half', light: '#f29f8b', dark: '#93402f' },
  { key: 'grown3', label: 'at least doubled', light: '#ea7459', dark: '#b13a25' },
  { key: 'new', label: 'new', light: '#f06c9b', dark: '#a32561' },
  { key: 'shrunk1', label: 'shrunk', light: '#c9def5', dark: '#37506d' },
  { key: 'shrunk2', label: 'shrunk by a third', light: '#95bfee', dark: '#2f6096' },
  { key: 'shrunk3', label: 'at least halved', light: '#65a2e6', dark: '#2768b5' },
  { key: 'gone', label: 'gone', light: '#a99df5', dark: '#5a4cb4' },
];

const Z95 = 1.959964;
const ROUNDING = 1e-6; // shares are sums of rounded weights; as in src/analysis/compare/diff.h

function shareVariance(profile, weight, samples, side) {
  const all = profile.sides[side];
  const p = weight / all.weight;
  if (!(samples > 0)) return 1 / (all.samples * all.samples);
  return ((p * p) / samples) * (profile.absolute || p > 1 ? 1 : 1 - p);
}

/** @returns {{change: number, half: number, kind: number}} change and half its interval as shares of all of the first
 *  side; kind is a number of CHANGES. */
export function judgeChange(profile, before, after, samplesBefore, samplesAfter) {
  const [a, b] = profile.sides;
  const larger = b.weight / a.weight;
  const change = (after - before) / a.weight;
  const v = shareVariance(profile, before, samplesBefore, 0) + shareVariance(profile, after, samplesAfter, 1) * larger * larger;
  const half = Z95 * Math.sqrt(v);
  let kind = 0;
  if (Math.abs(change) <= ROUNDING) return { change: 0, half, kind };
  if (change > half) kind = before === 0 ? 4 : after >= 2 * before ? 3 : after >= 1.5 * before ? 2 : 1;
  else if (-change > half) kind = after === 0 ? 8 : before >= 2 * after ? 7 : before >= 1.5 * after ? 6 : 5;
  return { change, half, kind };
}

/** The colour number of a box: its class of change behind the kinds of frames. */
export function changeColour(view, node) {
  return node === 0 ? KIND_ROOT : KIND_ROOT + 1 + view.change(node).kind;
}
