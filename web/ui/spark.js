// SPDX-License-Identifier: Apache-2.0
// The last readings of a figure as a line of the height of a text, the newest at its right edge.
import { svg } from '../spans/common.js';

const [WIDTH, HEIGHT] = [160, 26];
export const READINGS = 40;

/** The line and the area under it. @param top the value at the upper edge @param most so many values would fill the width */
export function sparkPaths(values, top, width = WIDTH, height = HEIGHT, most = READINGS) {
  const step = width / (most - 1);
  const at = (v, i) => `${(width - (values.length - 1 - i) * step).toFixed(1)} ${(height - 1 - (height - 2) * Math.min(1, v / top)).toFixed(1)}`;
  const line = `M${values.map(at).join('L')}`;
  return { line, area: `${line}V${height}H${(width - (values.length - 1) * step).toFixed(1)}Z` };
}

/** Empty as long as there are fewer than two readings, or nothing but zeros. */
export function spark(values, top, className, most) {
  const picture = svg('svg', { class: `spark ${className}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  if (values.length < 2 || !values.some((v) => v > 0)) return picture;
  const { line, area } = sparkPaths(values, Math.max(top, ...values), WIDTH, HEIGHT, most);
  picture.append(svg('path', { class: 'spark-area', d: area }), svg('path', { class: 'spark-line', d: line }));
  return picture;
}
