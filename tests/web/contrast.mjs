// SPDX-License-Identifier: Apache-2.0
// How well two colours are distinguished.
const channel = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);

/** WCAG 2 contrast ratio of two #rrggbb colours. */
export function contrastRatio(a, b) {
  const light = [a, b].map((hex) => {
    const [r, g, bl] = [0, 1, 2].map((i) => {
      const c = channel(hex, i) / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  });
  return (Math.max(...light) + 0.05) / (Math.min(...light) + 0.05);
}
