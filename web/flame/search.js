// SPDX-License-Identifier: Apache-2.0
// Search and highlighting. The pattern runs once over the interned names, not over the boxes; then one pass over the
// profile adds up the weight of all stacks that hold a hit. A hit inside a hit is skipped with its subtree, so no stack is
// counted twice, and boxes too small to draw count like all others. The percentage does not depend on the view: leaf-up
// shows the same stacks.

export class Search {
  /** @param {import('./data.js').Profile} profile
   *  @param {?{test: RegExp}} pattern  null: every name
   *  @param {number} kindMask  bit per kind, 0: every kind */
  constructor(profile, pattern, kindMask) {
    this.active = pattern !== null || kindMask !== 0;
    this.profile = profile;
    this.kindMask = kindMask || 0xffff;
    this.names = new Uint8Array(profile.names.length);
    this.methods = 0;
    this.boxes = 0;
    this.weight = 0;
    this.before = null;
    if (!this.active) return;
    if (pattern) {
      for (let i = 0; i < this.names.length; i++) if (pattern.test.test(profile.names[i])) this.names[i] = 1;
    } else this.names.fill(1);
    this.count();
  }

  count() {
    const { profile } = this;
    const seen = new Uint8Array(this.names.length);
    const before = (this.before = new Int32Array(profile.count + 1));
    let covered = 0; // nodes before this one belong to a hit already counted
    for (let i = 1; i < profile.count; i++) {
      const hit = this.hit(profile.name[i], profile.kind[i]);
      before[i + 1] = before[i] + hit;
      if (!hit) continue;
      seen[profile.name[i]] = 1;
      if (i < covered) continue;
      this.weight += profile.total[i];
      covered = profile.end[i];
    }
    this.boxes = before[profile.count];
    for (let i = 0; i < seen.length; i++) this.methods += seen[i];
  }

  /** 1 if a box with this name and kind is a hit. */
  hit(name, kind) {
    return name >= 0 && this.names[name] && (this.kindMask >> kind) & 1 ? 1 : 0;
  }

  /** Weight of stacks through a top-down node that hold a hit (the whole node if the hit is above it). */
  weightWithin(node) {
    const { profile } = this;
    for (let i = node; i > 0; i = profile.parent[i]) if (this.hit(profile.name[i], profile.kind[i])) return profile.total[node];
    let w = 0;
    for (let i = node; i < profile.end[node]; ) {
      if (this.hit(profile.name[i], profile.kind[i])) {
        w += profile.total[i];
        i = profile.end[i];
      } else i++;
    }
    return w;
  }

  /** True if a top-down subtree holds a hit. */
  inSubtree(node) {
    return this.before[this.profile.end[node]] > this.before[node];
  }
}
