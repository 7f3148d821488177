// SPDX-License-Identifier: Apache-2.0
// The slices of time (format "WHM1": src/export/heat_page.c) unpacked into columns.
//
// Stacks are numbered from 1, parents before children; 0 is the root. `from[i]` to `from[i + 1]` are the cells of slice i.
import { PackReader } from '../flame/data.js';

export class Slices {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    const r = new PackReader(bytes);
    if (bytes.length < 4 || String.fromCharCode(...bytes.subarray(0, 4)) !== 'WHM1') throw new Error('these are no packed slices of time');
    r.at = 4;
    this.sliceNs = r.int();
    this.first = r.int();
    this.count = r.int();
    this.scale = r.int();
    this.stacks = r.int();
    const filled = r.int();
    if (this.stacks > bytes.length || filled > bytes.length || this.count < 1 || this.count > 2 ** 24) throw new Error('the data is damaged');
    this.readStacks(r);
    this.readCells(r, filled);
    if (r.at !== bytes.length) throw new Error('the data is damaged');
  }

  readStacks(r) {
    this.up = new Int32Array(this.stacks + 1);
    this.node = new Int32Array(this.stacks + 1);
    this.kind = new Uint8Array(this.stacks + 1);
    for (let s = 1; s <= this.stacks; s++) {
      this.up[s] = s - r.int();
      const v = r.int();
      this.node[s] = Math.floor(v / 16);
      this.kind[s] = v % 16;
      if (this.up[s] < 0 || this.up[s] >= s) throw new Error('the data is damaged');
    }
  }

  /** Goes through the cells: each(slice, stack, weight, samples). */
  walk(r, filled, each) {
    let slice = 0;
    for (let k = 0; k < filled; k++) {
      slice += r.int();
      let stack = 0;
      for (let left = r.int(); left > 0; left--) {
        const v = r.int();
        stack += Math.floor(v / 2);
        const units = r.int();
        each(slice, stack, units * this.scale, v % 2 ? r.int() : units);
      }
    }
  }

  readCells(r, filled) {
    const { at } = r;
    const from = (this.from = new Uint32Array(this.count + 1));
    this.weight = new Float64Array(this.count); // of a slice
    this.samples = new Float64Array(this.count);
    let cells = 0;
    this.walk(r, filled, (slice, stack, weight, samples) => {
      if (slice >= this.count || stack > this.stacks) throw new Error('the data is damaged');
      from[slice + 1]++;
      this.weight[slice] += weight;
      this.samples[slice] += samples;
      cells++;
    });
    for (let i = 0; i < this.count; i++) from[i + 1] += from[i];
    this.cellStack = new Uint32Array(cells);
    this.cellWeight = new Float64Array(cells);
    this.cellSamples = new Float64Array(cells);
    let i = 0;
    r.at = at;
    this.walk(r, filled, (slice, stack, weight, samples) => {
      this.cellStack[i] = stack;
      this.cellWeight[i] = weight;
      this.cellSamples[i++] = samples;
    });
  }

  /** Weight and samples by stack of the slices from a up to b, added to `to` if that is given. */
  sum(a, b, to = null) {
    const out = to ?? { weight: new Float64Array(this.stacks + 1), samples: new Float64Array(this.stacks + 1), all: 0 };
    for (let i = this.from[a]; i < this.from[b]; i++) {
      out.weight[this.cellStack[i]] += this.cellWeight[i];
      out.samples[this.cellStack[i]] += this.cellSamples[i];
      out.all += this.cellWeight[i];
    }
    return out;
  }

  /** When a slice begins, in ms since 1970. */
  timeOf(slice) {
    return ((this.first + slice) * this.sliceNs) / 1e6;
  }
}

const MS = 1e6;
const S = 1e9;

/** What a cell and a column stand for, in ns. */
export const SCALES = [
  { cell: 20 * MS, column: S, label: '1 s' },
  { cell: 100 * MS, column: 5 * S, label: '5 s' },
  { cell: 500 * MS, column: 30 * S, label: '30 s' },
  { cell: S, column: 60 * S, label: '1 min' },
  { cell: 5 * S, column: 300 * S, label: '5 min' },
  { cell: 60 * S, column: 3600 * S, label: '1 h' },
  { cell: 300 * S, column: 6 * 3600 * S, label: '6 h' },
  { cell: 3600 * S, column: 24 * 3600 * S, label: '1 d' },
  { cell: 24 * 3600 * S, column: 30 * 24 * 3600 * S, label: '30 d' },
];

/** Slices put into cells: columns from left to right, each from bottom to top. */
export class Layout {
  constructor(slices, scale) {
    this.slices = slices;
    this.scale = scale;
    this.rows = Math.round(scale.column / scale.cell);
    this.per = Math.max(1, Math.round(scale.cell / slices.sliceNs)); // slices in a cell
    this.firstColumn = Math.floor(slices.first / (this.per * this.rows));
    this.columns = Math.floor((slices.first + slices.count - 1) / (this.per * this.rows)) - this.firstColumn + 1;
    this.values = new Float64Array(this.columns * this.rows);
    for (let i = 0; i < slices.count; i++) {
      const at = this.cellOf(i);
      this.values[at] += slices.weight[i];
    }
    // The hottest colour is that of the 99th percentile, so that one cell far above the others does not make them all pale.
    const sorted = this.values.filter((v) => v > 0).sort();
    this.peak = sorted.length ? sorted[sorted.length - 1] : 0;
    this.max = sorted.length ? sorted[Math.ceil(sorted.length * 0.99) - 1] : 0;
  }

  /** The cell (column * rows + row) of a slice; slices before the first are allowed. */
  cellOf(slice) {
    return Math.floor((this.slices.first + slice) / this.per) - this.firstColumn * this.rows;
  }

  /** The first slice of a cell; may lie outside of the data. */
  sliceOf(cell) {
    return (cell + this.firstColumn * this.rows) * this.per - this.slices.first;
  }
}

/** The scales that the data is fine enough for. */
export function scalesFor(slices) {
  return SCALES.filter((s) => s.cell >= slices.sliceNs);
}

/** The finest scale whose columns fit into a width, each at least `least` pixels wide. */
export function fittingScale(slices, width, least) {
  const scales = scalesFor(slices);
  const total = slices.count * slices.sliceNs;
  return scales.find((s) => (total / s.column + 1) * least <= width) ?? scales[scales.length - 1];
}
