// SPDX-License-Identifier: Apache-2.0
// The call tree of a range of time, or of two ranges compared, made of the page's whole tree.
//
// Nodes of the whole tree that have weight keep their order, so the result is also in pre-order. How a Java method ran is known
// by stack, not by node: it is added up for the nodes that stay. Lines are not known.
import { CallTree } from '../flame/data.js';
import { JAVA_SLOTS } from '../flame/kinds.js';

const SLOT_OF = new Int8Array(16).fill(-1);
JAVA_SLOTS.forEach((kind, slot) => {
  SLOT_OF[kind] = slot;
});

export class RangeProfile extends CallTree {
  /** @param now, past sums of Slices.sum(); past may be null; past is scaled to weigh what now does. */
  constructor(whole, slices, now, past, subtitle) {
    super();
    for (const key of ['title', 'unit', 'names', 'library', 'maxDepth', 'openLeafUp', 'openIcicle']) this[key] = whole[key];
    this.subtitle = subtitle;
    this.compares = past !== null;
    this.absolute = false;
    const by = past ? now.all / past.all : 0;
    const self = past ? now.weight.map((w, s) => w + past.weight[s] * by) : now.weight;
    this.take(whole, slices, self);
    if (past) this.takeChange(slices, now, past, by);
    this.derive();
    if (past) this.deriveChange();
  }

  /** The nodes with weight, their self weights and kinds. */
  take(whole, slices, self) {
    const { node, kind, up, stacks } = slices;
    const total = self.slice();
    const heavy = new Float64Array(whole.count);
    for (let s = stacks; s > 0; s--) {
      total[up[s]] += total[s];
      heavy[node[s]] += total[s];
    }
    const place = (this.place = new Int32Array(whole.count).fill(-1));
    place[0] = 0;
    this.count = 1;
    for (let i = 1; i < whole.count; i++) if (heavy[i] > 0) place[i] = this.count++;
    this.allocate();
    for (let i = 1; i < whole.count; i++) {
      const to = place[i];
      if (to < 0) continue;
      this.parent[to] = place[whole.parent[i]];
      this.name[to] = whole.name[i];
      this.depth[to] = whole.depth[i];
      this.kind[to] = whole.kind[i];
    }
    this.kindTotal = new Float64Array(this.count * 4);
    this.kindSelf = new Float64Array(this.count * 4);
    this.self[0] = self[0];
    for (let s = 1; s <= stacks; s++) {
      if (!(total[s] > 0)) continue;
      const to = place[node[s]];
      this.self[to] += self[s];
      if (SLOT_OF[kind[s]] < 0) continue;
      this.kindTotal[to * 4 + SLOT_OF[kind[s]]] += total[s];
      this.kindSelf[to * 4 + SLOT_OF[kind[s]]] += self[s];
    }
    for (let i = 1; i < this.count; i++) if (SLOT_OF[this.kind[i]] >= 0) this.kind[i] = this.dominant(i);
  }

  takeChange(slices, now, past, by) {
    const add = (to, s) => {
      this.before[to] += past.weight[s] * by;
      this.samplesBefore[to] += past.samples[s];
      this.samplesAfter[to] += now.samples[s];
    };
    add(0, 0);
    for (let s = 1; s <= slices.stacks; s++) if (now.weight[s] > 0 || past.weight[s] > 0) add(this.place[slices.node[s]], s);
  }

  dominant(i) {
    let best = 0;
    for (let k = 1; k < 4; k++) if (this.kindTotal[i * 4 + k] > this.kindTotal[i * 4 + best]) best = k;
    return JAVA_SLOTS[best];
  }

  /** As Profile.splits(). */
  splits(node) {
    if (node === 0 || SLOT_OF[this.kind[node]] < 0) return null;
    const of = (columns) => [...columns.subarray(node * 4, node * 4 + 4)];
    return { total: of(this.kindTotal), self: of(this.kindSelf) };
  }

  lines() {
    return [];
  }

  selfByKind() {
    const out = new Float64Array(16);
    for (let i = 1; i < this.count; i++) {
      if (SLOT_OF[this.kind[i]] < 0) out[this.kind[i]] += this.self[i];
      else for (let k = 0; k < 4; k++) out[JAVA_SLOTS[k]] += this.kindSelf[i * 4 + k];
    }
    return out;
  }
}

/** The sums of everything outside of [a, b). */
export function restOf(slices, a, b) {
  return slices.sum(b, slices.count, slices.sum(0, a));
}
