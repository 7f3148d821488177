// SPDX-License-Identifier: Apache-2.0
// The packed call tree (format "WFG2": src/flame/pack.c) unpacked into columns.
//
// Nodes are numbered in pre-order, node 0 is the root. A subtree is therefore the range [i, end[i]), the first child
// of i is i + 1, and the next sibling is end[i]. What is rarely needed (splits by kind, lines) is not kept: `at` says
// where the node's record begins, and it is read again on demand.

import { KIND_ROOT } from './kinds.js';

/** @param {string} text @returns {Uint8Array} */
export function base64Bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

/** A cursor over packed bytes. */
export class PackReader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    if (this.at >= this.bytes.length) throw new Error('the data ends too early');
    return this.bytes[this.at++];
  }

  int() {
    let b = this.byte();
    if (b < 128) return b;
    let v = b & 127;
    let scale = 128;
    for (let i = 1; ; i++) {
      b = this.byte();
      if (i === 8) return v + b * scale;
      v += (b & 127) * scale;
      if (b < 128) return v;
      scale *= 128;
    }
  }

  string() {
    const n = this.int();
    const s = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + n));
    this.at += n;
    return s;
  }

  /** Weights by Java slot of a record whose sum is known; packed are all but the last one of the mask. */
  split(sum, out) {
    const mask = this.byte();
    let last = 0;
    for (let i = 0; i < 4; i++) if (mask & (1 << i)) last = i;
    let rest = sum;
    for (let i = 0; i < last; i++) {
      if (!(mask & (1 << i))) continue;
      const w = this.int();
      rest -= w;
      if (out) out[i] = w;
    }
    if (out) out[last] = rest;
    return mask;
  }

  lines(total, self, scale) {
    const n = this.int();
    if (n === 0) return [{ line: this.int(), total, self }];
    const out = [];
    for (let i = 0; i < n; i++) out.push({ line: this.int(), total: this.int() * scale, self: this.int() * scale });
    return out;
  }

  skipLines() {
    const n = this.int();
    for (let i = n ? 3 * n : 1; i > 0; i--) this.int();
  }
}

/** All names, rebuilt from differences in one buffer and decoded together. */
function readNames(r, count) {
  const at = r.at;
  let size = 0;
  for (let i = 0; i < count; i++) {
    const shared = r.int();
    const more = r.int();
    size += shared + more + 1;
    r.at += more;
  }
  if (r.at > r.bytes.length) throw new Error('the data ends too early');
  r.at = at;
  const text = new Uint8Array(size);
  let before = 0;
  let o = 0;
  for (let i = 0; i < count; i++) {
    const shared = r.int();
    const more = r.int();
    text.copyWithin(o, before, before + shared);
    text.set(r.bytes.subarray(r.at, r.at + more), o + shared);
    r.at += more;
    before = o;
    o += shared + more + 1;
  }
  const all = new TextDecoder().decode(text).split('\0');
  all.length = count;
  return all;
}

/** The columns of a call tree, and what follows from parents and self weights. */
export class CallTree {
  allocate() {
    const n = this.count;
    this.parent = new Int32Array(n);
    this.end = new Int32Array(n);
    this.name = new Int32Array(n);
    this.depth = new Int32Array(n);
    this.height = new Int32Array(n);
    this.at = new Uint32Array(n);
    this.kind = new Uint8Array(n);
    this.total = new Float64Array(n);
    this.self = new Float64Array(n);
    this.start = new Float64Array(n);
    if (this.compares) for (const c of ['before', 'samplesBefore', 'samplesAfter']) this[c] = new Float64Array(n);
    this.parent[0] = -1;
    this.name[0] = -1;
    this.kind[0] = KIND_ROOT;
  }

  /** Both sides' weights and samples from the leaves up; selfBefore and so on keep the leaves' own. */
  deriveChange() {
    const { parent, count } = this;
    this.own = { before: this.before.slice(), samplesBefore: this.samplesBefore.slice(), samplesAfter: this.samplesAfter.slice() };
    for (const c of Object.keys(this.own)) for (let i = count - 1; i > 0; i--) this[c][parent[i]] += this[c][i];
    this.sides = [
      { weight: this.before[0], samples: this.samplesBefore[0] },
      { weight: this.total[0] - this.before[0], samples: this.samplesAfter[0] },
    ];
  }

  /** Totals, subtree ranges and heights from the leaves up, then places from the root down. */
  derive() {
    const { parent, end, depth, height, total, self, start, count } = this;
    for (let i = 0; i < count; i++) {
      end[i] = i + 1;
      height[i] = depth[i];
      total[i] = self[i];
    }
    for (let i = count - 1; i > 0; i--) {
      const p = parent[i];
      total[p] += total[i];
      if (end[i] > end[p]) end[p] = end[i];
      if (height[i] > height[p]) height[p] = height[i];
    }
    const edge = new Float64Array(count);
    for (let i = 1; i < count; i++) {
      const p = parent[i];
      start[i] = edge[p];
      edge[i] = edge[p];
      edge[p] += total[i];
    }
  }

  nodeName(node) {
    const id = this.name[node];
    return id < 0 ? 'all' : this.names[id];
  }
}

/** The call tree that came with the page. */
export class Profile extends CallTree {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    super();
    const r = new PackReader(bytes);
    if (bytes.length < 4 || String.fromCharCode(...bytes.subarray(0, 4)) !== 'WFG2') throw new Error('this is not a packed call tree');
    r.at = 4;
    this.bytes = bytes;
    this.title = r.string();
    this.subtitle = r.string();
    this.unit = r.string();
    const flags = r.int();
    this.openLeafUp = (flags & 1) !== 0;
    this.openIcicle = (flags & 2) !== 0;
    this.compares = (flags & 4) !== 0;
    this.absolute = (flags & 8) !== 0;
    this.scale = r.int();
    const names = r.int();
    this.count = r.int() + 1;
    this.maxDepth = r.int();
    if (names > bytes.length || this.count > bytes.length + 1) throw new Error('the data is damaged');
    this.allocate();
    this.self[0] = r.int() * this.scale;
    if (this.compares) this.readChange(r, 0);
    this.names = readNames(r, names);
    this.readLibraries(r);
    this.readNodes(r);
    this.derive();
    if (this.compares) this.deriveChange();
  }

  /** library[name] is the number of the library's name, -1 = none. */
  readLibraries(r) {
    const names = this.names.length;
    this.library = new Int32Array(names).fill(-1);
    for (let left = r.int(), id = 0; left > 0; left--) {
      id += r.int();
      const library = r.int();
      if (id >= names || library >= names) throw new Error('the data is damaged');
      this.library[id] = library;
    }
  }

  /** What of a node's self weight was before, and both sides' samples; totals after derive(). */
  readChange(r, i) {
    this.before[i] = r.int() * this.scale;
    this.samplesBefore[i] = r.int();
    this.samplesAfter[i] = r.int();
  }

  readNodes(r) {
    const path = new Int32Array(this.maxDepth + 2);
    const { bytes, scale, parent, name, depth, kind, self, at, count } = this;
    const names = this.names.length;
    let d = 0;
    for (let i = 1; i < count; i++) {
      at[i] = r.at;
      const flags = r.byte();
      d = d + 1 - r.int();
      const id = r.int();
      if (d < 1 || d > this.maxDepth || id >= names) throw new Error('the data is damaged');
      parent[i] = path[d - 1];
      path[d] = i;
      depth[i] = d;
      name[i] = id;
      kind[i] = flags & 15;
      if (flags & 0x10) {
        self[i] = r.int() * scale;
        if (this.compares) this.readChange(r, i);
      }
      if (flags & 0x20) r.split(0, null);
      if (flags & 0x80) r.split(0, null);
      if (flags & 0x40) r.skipLines();
    }
    if (r.at !== bytes.length) throw new Error('the data is damaged');
  }

  /** {total: [4 weights by Java slot], self: [4]} of a Java node, null for others. Reads the packed record again. */
  splits(node) {
    const slot = [1, 6, 2, 0].indexOf(this.kind[node]);
    if (node === 0 || slot < 0) return null;
    const r = this.recordReader(node);
    const total = [0, 0, 0, 0];
    const self = [0, 0, 0, 0];
    total[slot] = this.total[node];
    self[slot] = this.self[node];
    if (r.flags & 0x20) this.readSplit(r, this.total[node], total);
    if (r.flags & 0x80) this.readSplit(r, this.self[node], self);
    return { total, self };
  }

  readSplit(r, sum, out) {
    const raw = [0, 0, 0, 0];
    r.split(sum / this.scale, raw);
    for (let i = 0; i < 4; i++) out[i] = raw[i] * this.scale;
  }

  /** [{line, total, self}] by weight, empty if no line is known. */
  lines(node) {
    if (node === 0) return [];
    const r = this.recordReader(node);
    if (!(r.flags & 0x40)) return [];
    if (r.flags & 0x20) r.split(0, null);
    if (r.flags & 0x80) r.split(0, null);
    return r.lines(this.total[node], this.self[node], this.scale).sort((a, b) => b.total - a.total);
  }

  /** A reader behind the fixed part of a node's record. */
  recordReader(node) {
    const r = new PackReader(this.bytes, this.at[node]);
    r.flags = r.byte();
    r.int();
    r.int();
    if (r.flags & 0x10) for (let i = this.compares ? 4 : 1; i > 0; i--) r.int();
    return r;
  }

  /** Weight of samples by the kind of their top frame. */
  selfByKind() {
    const out = new Float64Array(16);
    for (let i = 1; i < this.count; i++) {
      const w = this.self[i];
      if (!w) continue;
      if (this.bytes[this.at[i]] & 0x80) {
        const s = this.splits(i).self;
        out[1] += s[0];
        out[6] += s[1];
        out[2] += s[2];
        out[0] += s[3];
      } else out[this.kind[i]] += w;
    }
    return out;
  }
}
