// SPDX-License-Identifier: Apache-2.0
// Two trees over one profile with the same face: columns (parent, name, kind, depth, height, total, start) and
// first/next to walk. Node 0 is the root of either.
//
// TopDown is the profile itself. LeafUp turns every stack round: its first level is the methods that samples ended in,
// below them their callers. It is not built but grown: a node holds the range of stacks (forward nodes with self weight) that
// pass through it, and only when somebody asks for its children is that range regrouped by the next caller, in place. A
// picture asks for what is on the screen, so a million nodes cost nothing until they are shown.
import { judgeChange } from './change.js';
import { KIND_ROOT, kindGroup } from './kinds.js';

/** What a node of either tree is called. */
export function nameOf(view, node) {
  const id = view.name[node];
  return id < 0 ? 'all' : view.profile.names[id];
}

export class TopDown {
  constructor(profile) {
    this.profile = profile;
    for (const c of ['parent', 'name', 'kind', 'depth', 'height', 'total', 'start']) this[c] = profile[c];
  }

  first(i) {
    return this.profile.end[i] > i + 1 ? i + 1 : -1;
  }

  next(i) {
    const p = this.parent[i];
    const e = this.profile.end[i];
    return p >= 0 && e < this.profile.end[p] ? e : -1;
  }

  self(i) {
    return this.profile.self[i];
  }

  /** In comparisons: {before, after, samplesBefore, samplesAfter, change, half, kind}. */
  change(i) {
    const p = this.profile;
    return changeOf(p, p.total[i], p.before[i], p.samplesBefore[i], p.samplesAfter[i]);
  }

  /** Weights by Java slot, or null; exact. */
  split(i) {
    const s = this.profile.splits(i);
    return s && { weights: s.total, estimated: false };
  }

  lines(i) {
    return this.profile.lines(i).map((l) => ({ line: l.line, weight: l.total }));
  }
}

function changeOf(profile, total, before, samplesBefore, samplesAfter) {
  const after = total - before;
  return { before, after, samplesBefore, samplesAfter, ...judgeChange(profile, before, after, samplesBefore, samplesAfter) };
}

const GROUPS = 16;

export class LeafUp {
  constructor(profile) {
    this.profile = profile;
    let leaves = 0;
    for (let i = 1; i < profile.count; i++) if (profile.self[i] > 0) leaves++;
    this.leaf = new Int32Array(leaves); // forward node in which the stack ends
    this.cur = new Int32Array(leaves); // the forward node that the deepest grown level holds for it
    for (let i = 1, k = 0; i < profile.count; i++) {
      if (!(profile.self[i] > 0)) continue;
      this.leaf[k] = i;
      this.cur[k++] = i;
    }
    this.slotOf = new Int32Array(profile.names.length * GROUPS).fill(-1);
    this.changes = []; // by node; checked again with every picture
    this.capacity = 0;
    this.count = 0;
    this.reserve(1024);
    this.addNode(-1, -1, KIND_ROOT, 0, profile.maxDepth, profile.total[0], 0, 0, leaves);
  }

  reserve(n) {
    if (n <= this.capacity) return;
    const cap = Math.max(n, this.capacity * 2);
    for (const c of ['parent', 'name', 'depth', 'height', 'low', 'high', 'child', 'sibling']) this[c] = grown(this[c], Int32Array, cap);
    for (const c of ['total', 'start']) this[c] = grown(this[c], Float64Array, cap);
    this.kind = grown(this.kind, Uint8Array, cap);
    this.capacity = cap;
  }

  addNode(parent, name, kind, depth, height, total, start, low, high) {
    const i = this.count++;
    this.parent[i] = parent;
    this.name[i] = name;
    this.kind[i] = kind;
    this.depth[i] = depth;
    this.height[i] = height;
    this.total[i] = total;
    this.start[i] = start;
    this.low[i] = low;
    this.high[i] = high;
    this.child[i] = -2; // not grown yet
    this.sibling[i] = -1;
    return i;
  }

  first(i) {
    if (this.child[i] === -2) this.grow(i);
    return this.child[i];
  }

  next(i) {
    return this.sibling[i];
  }

  /** Weight of stacks that begin in this frame: nothing called it. */
  self(i) {
    if (this.depth[i] === 1) return this.total[i];
    return 0;
  }

  /** As in TopDown; from the stacks that pass through here. */
  change(i) {
    return (this.changes[i] ??= this.judge(i));
  }

  judge(i) {
    const { own } = this.profile;
    let [before, samplesBefore, samplesAfter] = [0, 0, 0];
    for (let k = this.low[i]; k < this.high[i]; k++) {
      before += own.before[this.leaf[k]];
      samplesBefore += own.samplesBefore[this.leaf[k]];
      samplesAfter += own.samplesAfter[this.leaf[k]];
    }
    return changeOf(this.profile, this.total[i], before, samplesBefore, samplesAfter);
  }

  /** Regroups the stacks of node i by their next caller and makes a child for each, the heaviest first. */
  grow(i) {
    const { profile, leaf, cur, slotOf } = this;
    const low = this.low[i];
    const high = this.high[i];
    const groups = [];
    const which = new Int32Array(high - low);
    for (let k = low; k < high; k++) {
      const up = i === 0 ? leaf[k] : profile.parent[cur[k]];
      cur[k] = up;
      if (up <= 0) {
        which[k - low] = -1;
        continue;
      }
      const key = profile.name[up] * GROUPS + kindGroup(profile.kind[up]);
      let g = slotOf[key];
      if (g < 0) {
        g = slotOf[key] = groups.length;
        groups.push({ key, name: profile.name[up], total: 0, stacks: 0, height: 0, kinds: null, kind: profile.kind[up], at: 0 });
      }
      which[k - low] = g;
      addToGroup(groups[g], profile, up, profile.self[leaf[k]]);
    }
    for (const g of groups) slotOf[g.key] = -1;
    const order = groups.slice().sort((a, b) => b.total - a.total || a.name - b.name);
    this.scatter(low, high, which, groups, order);
    this.addChildren(i, low, order);
  }

  /** Moves the stacks so that each group is one range, in `order`; stacks that have no further caller go last. */
  scatter(low, high, which, groups, order) {
    const { leaf, cur } = this;
    let at = 0;
    for (const g of order) {
      g.at = at;
      at += g.stacks;
    }
    const newLeaf = new Int32Array(high - low);
    const newCur = new Int32Array(high - low);
    for (let k = 0; k < which.length; k++) {
      const to = which[k] < 0 ? at++ : groups[which[k]].at++;
      newLeaf[to] = leaf[low + k];
      newCur[to] = cur[low + k];
    }
    leaf.set(newLeaf, low);
    cur.set(newCur, low);
  }

  addChildren(i, low, order) {
    this.reserve(this.count + order.length);
    const depth = this.depth[i] + 1;
    let start = this.start[i];
    let at = low;
    let before = -1;
    this.child[i] = -1;
    for (const g of order) {
      const c = this.addNode(i, g.name, dominantKind(g), depth, depth + g.height - 1, g.total, start, at, at + g.stacks);
      if (before < 0) this.child[i] = c;
      else this.sibling[before] = c;
      before = c;
      start += g.total;
      at += g.stacks;
    }
  }

  /** The forward node that leaf stack k has at this node's depth. */
  ancestor(k, steps) {
    let node = this.leaf[k];
    for (; steps > 0; steps--) node = this.profile.parent[node];
    return node;
  }

  /** Weights by Java slot, or null. Exact for the leaves; callers that ran in several kinds are divided in proportion. */
  split(i) {
    if (i === 0 || kindGroup(this.kind[i]) !== 1) return null;
    const weights = [0, 0, 0, 0];
    const steps = this.depth[i] - 1;
    for (let k = this.low[i]; k < this.high[i]; k++) {
      const node = this.ancestor(k, steps);
      const s = this.profile.splits(node);
      const part = steps ? s.total : s.self;
      const whole = steps ? this.profile.total[node] : this.profile.self[node];
      const w = this.profile.self[this.leaf[k]];
      for (let j = 0; j < 4; j++) weights[j] += (w * part[j]) / whole;
    }
    return { weights, estimated: steps > 0 };
  }

  /** Lines of the leaves by weight; which line a caller was on is known per node only, so none are given for callers. */
  lines(i) {
    if (this.depth[i] !== 1) return [];
    const by = new Map();
    for (let k = this.low[i]; k < this.high[i]; k++)
      for (const l of this.profile.lines(this.leaf[k])) if (l.self) by.set(l.line, (by.get(l.line) ?? 0) + l.self);
    return [...by].map(([line, weight]) => ({ line, weight })).sort((a, b) => b.weight - a.weight);
  }
}

function grown(old, Type, cap) {
  const a = new Type(cap);
  if (old) a.set(old);
  return a;
}

function addToGroup(g, profile, node, weight) {
  g.total += weight;
  g.stacks++;
  if (profile.depth[node] > g.height) g.height = profile.depth[node];
  const kind = profile.kind[node];
  if (kind !== g.kind && !g.kinds) {
    g.kinds = new Float64Array(16);
    g.kinds[g.kind] = g.total - weight;
  }
  if (g.kinds) g.kinds[kind] += weight;
}

function dominantKind(g) {
  if (!g.kinds) return g.kind;
  let best = 0;
  for (let k = 1; k < 16; k++) if (g.kinds[k] > g.kinds[best]) best = k;
  return best;
}
