// SPDX-License-Identifier: Apache-2.0
// A treemap's layout: areas in proportion to weights, tiles as square as they get (Bruls, Huizing, van Wijk: Squarified
// Treemaps, 2000). Weights come in falling order; a row is filled along the shorter side as long as its worst tile gets
// better by it.

/** The worst ratio of sides in a row of areas with a sum, along a side. */
function worst(least, most, sum, side) {
  const s2 = sum * sum;
  const l2 = side * side;
  return Math.max((l2 * most) / s2, s2 / (l2 * least));
}

/** Tiles [{x, y, w, h}] for weights (falling, > 0) in a rectangle. */
export function squarify(weights, { x, y, w, h }) {
  const total = weights.reduce((a, b) => a + b, 0);
  const out = [];
  const scale = total > 0 ? (w * h) / total : 0;
  for (let i = 0; i < weights.length; ) {
    const side = Math.min(w, h);
    let sum = weights[i] * scale;
    let n = 1;
    while (i + n < weights.length) {
      const next = weights[i + n] * scale;
      const most = weights[i] * scale;
      if (worst(next, most, sum + next, side) > worst(weights[i + n - 1] * scale, most, sum, side)) break;
      sum += next;
      n++;
    }
    const across = side > 0 ? sum / side : 0;
    let at = 0;
    for (let k = i; k < i + n; k++) {
      const along = across > 0 ? (weights[k] * scale) / across : 0;
      out.push(w <= h ? { x: x + at, y, w: along, h: across } : { x, y: y + at, w: across, h: along });
      at += along;
    }
    if (w <= h) {
      y += across;
      h -= across;
    } else {
      x += across;
      w -= across;
    }
    i += n;
  }
  return out;
}
