// SPDX-License-Identifier: Apache-2.0
// Collapsed text read in the plainest way, as the truth that the page is compared with.
const KIND = { 0: 0, j: 1, i: 2, n: 3, p: 4, k: 5, 1: 6, s: 7, b: 8, x: 9, u: 11, o: 12 };

/** @returns {{frames: {name: string, kind: number, line: number}[], weight: number}[]} */
export function parseStacks(text) {
  return text.split('\n').filter(Boolean).map((row) => {
    const space = row.lastIndexOf(' ');
    const frames = row.slice(0, space).split(';').map((f) => {
      const [, name, line, letter] = /^(.*?)(?::(\d+))?_\[(.)\]$/su.exec(f);
      return { name: name.replace(/\0/g, '\ufffd'), line: Number(line ?? 0), kind: KIND[letter] };
    });
    return { frames, weight: Number(row.slice(space + 1)) };
  });
}
