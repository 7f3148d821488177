// SPDX-License-Identifier: Apache-2.0
// Paints what is on the screen and nothing else.
//
// The canvas has the size of the viewport, whatever the height of the graph, and the walk over the tree enters a subtree only
// if it can put a pixel on the canvas: not left or right of it, not beyond its last row, and not inside a pixel column that a
// box of the same row has taken already (`edge`). So a frame costs rows x pixels at most, not nodes. A box narrower than a
// pixel is drawn one pixel wide and stands for its neighbours in that column; if a search is on, one that holds a hit is
// drawn over one that does not. Totals and search never come from what was drawn.
//
// Narrow boxes, of which there may be tens of thousands, are written directly into an array of pixels, whole pixels wide; one
// call puts that on the canvas (filling each as a rectangle took ten times as long without a GPU). The wide ones are
// collected by colour, filled with round corners, then lettered. `rows` remembers what was drawn where: hit tests and
// moving left and right read it.
import { CHANGES, changeColour } from './change.js';
import { KIND_ROOT, SHADES, STYLE_ABOVE, STYLE_DIM, STYLE_PLAIN, THEMES, boxColour, kindGroup, mixColours, styledColour } from './kinds.js';
import { cleanText, nameForms } from './text.js';

export const ROW = 20;
const BOX = ROW - 1;
const STATE_GROUP = KIND_ROOT + 1 + CHANGES.length;
const LABEL_MIN = 26;
const NARROW = 8; // boxes below this width are plotted as pixels
const MEASURED = 600; // characters of a name's form: more do not fit on a screen
const FONT = '12px ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif';

/** Fits names into boxes; widths of characters are measured once, forms of names are kept. */
class Labeller {
  constructor(ctx) {
    this.ctx = ctx;
    this.widths = new Map();
    this.cache = new Map();
    ctx.font = FONT;
    this.dots = ctx.measureText('\u2026').width;
  }

  charWidth(c) {
    let w = this.widths.get(c);
    if (w === undefined) {
      w = this.ctx.measureText(c).width;
      this.widths.set(c, w);
    }
    return w;
  }

  textWidth(s) {
    let w = 0;
    for (const c of s) w += this.charWidth(c);
    return w;
  }

  forms(key, name, java) {
    let f = this.cache.get(key);
    if (f) return f;
    if (this.cache.size > 30000) this.cache.clear();
    f = nameForms(cleanText(name), java).map((form) => {
      const text = form.slice(0, MEASURED);
      return { text, width: form.length > MEASURED ? Infinity : this.textWidth(text) };
    });
    this.cache.set(key, f);
    return f;
  }

  /** The longest form that fits into `room` pixels, else the shortest, cut. */
  fit(key, name, java, room) {
    const forms = this.forms(key, name, java);
    for (const f of forms) if (f.width <= room) return f.text;
    const text = forms.length > 1 ? forms[forms.length - 1].text : forms[0].text;
    let left = room - this.dots;
    let out = '';
    for (const c of text) {
      left -= this.charWidth(c);
      if (left < 0) break;
      out += c;
    }
    return out.length > 2 ? `${out}\u2026` : '';
  }
}

export class Painter {
  /** @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} overlay for hover and selection */
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.ctx = canvas.getContext('2d', { alpha: false });
    this.over = overlay.getContext('2d');
    this.labels = new Labeller(this.ctx);
    this.buckets = Array.from({ length: (KIND_ROOT + 1 + CHANGES.length) * SHADES * 3 }, () => []);
    this.colours = null;
    this.rows = new Map();
    this.width = 0;
    this.height = 0;
    this.dpr = 1;
    this.drawn = 0;
  }

  resize(width, height, dpr) {
    if (width === this.width && height === this.height && dpr === this.dpr) return;
    this.width = width;
    this.height = height;
    this.dpr = dpr;
    for (const c of [this.canvas, this.overlay]) {
      c.width = Math.max(1, Math.round(width * dpr));
      c.height = Math.max(1, Math.round(height * dpr));
      c.style.width = `${width}px`;
      c.style.height = `${height}px`;
    }
  }

  /** For another profile, whose names have other numbers. */
  forgetNames() {
    this.labels.cache.clear();
  }

  /** #rrggbb as a pixel of ImageData in this machine's byte order. */
  pixelOf(hex) {
    const bytes = new Uint8Array([parseInt(hex.slice(1, 3), 16), parseInt(hex.slice(3, 5), 16), parseInt(hex.slice(5, 7), 16), 255]);
    return new Uint32Array(bytes.buffer)[0];
  }

  /** @param states colours of a profile's states, by which its boxes go then */
  setTheme(themeName, states = []) {
    this.theme = THEMES[themeName];
    this.colours = [];
    const add = (colourOf) => {
      for (let shade = 0; shade < SHADES; shade++) for (const style of [STYLE_PLAIN, STYLE_ABOVE, STYLE_DIM]) this.colours.push(colourOf(shade, style));
    };
    for (let kind = 0; kind <= KIND_ROOT; kind++) add((shade, style) => boxColour(themeName, kind, shade, style));
    for (const c of CHANGES) add((shade, style) => styledColour(themeName, c[themeName], style));
    for (const c of states) add((shade, style) => styledColour(themeName, mixColours(c, this.theme.page, 0.45 + shade * 0.04), style));
    while (this.buckets.length < this.colours.length) this.buckets.push([]);
    this.pixelColours = this.colours.map((hex) => this.pixelOf(hex));
  }

  rowTop(scene, depth) {
    return scene.flame ? scene.contentHeight - (depth + 1) * ROW - scene.scrollTop : depth * ROW - scene.scrollTop;
  }

  /** The depth that lies at canvas position y. */
  depthAt(scene, y) {
    const c = y + scene.scrollTop;
    return Math.floor(scene.flame ? (scene.contentHeight - c) / ROW : c / ROW);
  }

  /** @param scene {view, search, x0, x1, scrollTop, contentHeight, flame, zoom} */
  paint(scene) {
    this.collect(scene);
    this.ctx.putImageData(this.image, 0, 0);
    this.ctx.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    this.fillBoxes();
    this.outlineHits();
    this.letter(scene);
  }

  collect(scene) {
    for (const b of this.buckets) b.length = 0;
    this.rows.clear();
    this.drawn = 0;
    this.names = [];
    this.hits = [];
    if (!this.image || this.image.width !== this.canvas.width || this.image.height !== this.canvas.height) {
      this.image = this.ctx.createImageData(this.canvas.width, this.canvas.height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(this.pixelOf(this.theme.page));
    const y0 = this.depthAt(scene, scene.flame ? this.height : 0);
    const y1 = this.depthAt(scene, scene.flame ? 0 : this.height);
    const firstRow = Math.max(0, Math.min(y0, y1));
    const lastRow = Math.max(y0, y1);
    const edge = new Float64Array(lastRow + 2);
    const hitEdge = new Float64Array(lastRow + 2);
    const { view, x0 } = scene;
    const scale = this.width / (scene.x1 - scene.x0);
    const pruned = scene.search.active && view.profile.name === view.name; // top-down: subtree hits are known
    let node = 0;
    while (node >= 0) {
      const left = (view.start[node] - x0) * scale;
      const right = left + view.total[node] * scale;
      const d = view.depth[node];
      let enter = false;
      if (right > 0 && left < this.width) {
        const tiny = right - left < 1;
        const hidden = tiny && right <= edge[d];
        const hit = scene.search.active && tiny && (pruned ? scene.search.inSubtree(node) : this.isHit(scene, node));
        if (!hidden || (hit && right > hitEdge[d])) {
          enter = d < lastRow;
          if (d >= firstRow) this.addBox(scene, node, d, left, right, hidden ? left : edge[d]);
          const taken = tiny ? Math.floor(Math.max(left, hidden ? left : edge[d])) + 1 : right;
          if (taken > edge[d]) edge[d] = taken;
          if (hit) hitEdge[d] = taken;
        }
      }
      node = this.step(view, node, enter, left >= this.width);
    }
  }

  /** The next node of the walk: down if wanted, else along, else up and along. */
  step(view, node, enter, past) {
    if (enter) {
      const c = view.first(node);
      if (c >= 0) return c;
    }
    if (past && node !== 0) node = view.parent[node];
    while (node > 0) {
      const n = view.next(node);
      if (n >= 0) return n;
      node = view.parent[node];
    }
    return -1;
  }

  isHit(scene, node) {
    return scene.search.hit(scene.view.name[node], scene.view.kind[node]);
  }

  addBox(scene, node, d, left, right, edge) {
    const { view } = scene;
    let x = Math.max(left, -2);
    let w = Math.min(right, this.width + 2) - x;
    if (w < 1) {
      x = Math.max(Math.floor(left), Math.floor(edge));
      w = 1;
    } else if (w > 3) w -= 0.75;
    const y = this.rowTop(scene, d);
    const name = view.name[node];
    const hit = scene.search.active && this.isHit(scene, node);
    let style = STYLE_PLAIN;
    if (scene.search.active && !hit) style = STYLE_DIM;
    else if (d < view.depth[scene.zoom] && !hit) style = STYLE_ABOVE;
    const shade = name < 0 ? 0 : (name * 7 + (name >> 3)) & 3;
    const { states } = view.profile;
    const group = states ? STATE_GROUP + states[node] : view.profile.compares ? changeColour(view, node) : view.kind[node];
    const colour = (group * SHADES + shade) * 3 + style;
    if (w < NARROW) this.plot(x, y, w, this.pixelColours[colour]);
    else {
      this.buckets[colour].push(x, y, w);
      if (hit && w >= 2 * NARROW) this.hits.push(x, y, w);
    }
    let row = this.rows.get(d);
    if (!row) this.rows.set(d, (row = { node: [], x: [], w: [] }));
    row.node.push(node);
    row.x.push(x);
    row.w.push(w);
    this.drawn++;
    if (w >= LABEL_MIN) this.names.push(node, x, y, w, style);
  }

  /** A narrow box as whole pixels of the device, a gap of one behind it if it is wide enough to spare that. */
  plot(x, y, w, pixel) {
    const { dpr, pixels } = this;
    const stride = this.canvas.width;
    const from = Math.max(0, Math.round(x * dpr));
    const to = Math.min(stride, Math.max(from + 1, Math.round((x + w) * dpr)));
    const bottom = Math.min(this.canvas.height, Math.round((y + BOX) * dpr));
    for (let row = Math.max(0, Math.round(y * dpr)); row < bottom; row++) {
      const at = row * stride;
      for (let i = from; i < to; i++) pixels[at + i] = pixel;
    }
  }

  fillBoxes() {
    const { ctx, buckets } = this;
    for (let i = 0; i < buckets.length; i++) {
      const b = buckets[i];
      if (!b.length) continue;
      ctx.fillStyle = this.colours[i];
      ctx.beginPath();
      for (let k = 0; k < b.length; k += 3) ctx.roundRect(b[k], b[k + 1], b[k + 2], BOX, 2.5);
      ctx.fill();
    }
  }

  outlineHits() {
    const { ctx, hits } = this;
    ctx.beginPath();
    for (let k = 0; k < hits.length; k += 3) ctx.roundRect(hits[k] + 0.75, hits[k + 1] + 0.75, hits[k + 2] - 1.5, BOX - 1.5, 2);
    ctx.strokeStyle = this.theme.mark;
    ctx.lineWidth = 1.5;
    ctx.stroke();
  }

  letter(scene) {
    const { ctx, names, labels, theme } = this;
    const { view } = scene;
    ctx.font = FONT;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    for (let k = 0; k < names.length; k += 5) {
      const node = names[k];
      const x = names[k + 1];
      const y = names[k + 2];
      const w = names[k + 3];
      const style = names[k + 4];
      const at = Math.max(x, 0);
      const room = Math.min(x + w, this.width) - at - 9;
      const id = view.name[node];
      const java = kindGroup(view.kind[node]) === 1;
      const text = id < 0 ? 'all' : labels.fit(id * 2 + (java ? 1 : 0), view.profile.names[id], java, room);
      if (!text) continue;
      ctx.fillStyle = style === STYLE_DIM ? theme.muted : theme.text;
      ctx.fillText(text, at + 5, y + BOX / 2 + 0.5);
    }
  }

  /** Rings around the hovered and the selected box, on the overlay. */
  paintMarks(scene, hover, selected) {
    const c = this.over;
    c.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    if (hover >= 0) {
      const b = this.boxOf(scene, hover);
      c.fillStyle = this.theme.hover;
      c.beginPath();
      c.roundRect(b.x, b.y, b.w, BOX, 2.5);
      c.fill();
    }
    if (selected >= 0) {
      const b = this.boxOf(scene, selected);
      if (b.x > this.width || b.x + b.w < 0) return;
      const x = Math.max(b.x, 1);
      c.lineWidth = 2;
      c.strokeStyle = this.theme.ring;
      c.beginPath();
      c.roundRect(x, b.y, Math.max(3, Math.min(b.x + b.w, this.width - 1) - x), BOX, 2.5);
      c.stroke();
    }
  }

  /** Where a node's box is in canvas pixels, drawn or not. */
  boxOf(scene, node) {
    const { view } = scene;
    const scale = this.width / (scene.x1 - scene.x0);
    const x = (view.start[node] - scene.x0) * scale;
    return { x, y: this.rowTop(scene, view.depth[node]), w: Math.max(1, view.total[node] * scale) };
  }

  /** The node drawn at a canvas position, -1 if none. */
  nodeAt(scene, x, y) {
    const row = this.rows.get(this.depthAt(scene, y));
    if (!row) return -1;
    const k = lastAtOrBefore(row.x, x);
    for (let i = k; i >= 0 && i > k - 3; i--) if (x < row.x[i] + Math.max(row.w[i], 1) + 0.75) return row.node[i];
    return -1;
  }

  /** The box drawn `step` (-1, +1) places beside a node in its row; -1 at the end. */
  neighbour(scene, node, step) {
    const row = this.rows.get(scene.view.depth[node]);
    if (!row) return -1;
    let k = row.node.indexOf(node);
    if (k < 0) k = lastAtOrBefore(row.x, this.boxOf(scene, node).x) + (step < 0 ? 1 : 0);
    return row.node[k + step] ?? -1;
  }
}

function lastAtOrBefore(xs, x) {
  let lo = 0;
  let hi = xs.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (xs[mid] <= x) lo = mid + 1;
    else hi = mid;
  }
  return lo - 1;
}
