// SPDX-License-Identifier: Apache-2.0
// The treemap of the dominator tree by class, and the list of suspects beside it. It shows what the flame graph is zoomed
// to; a click on a tile zooms both.
import { THEMES, boxColour } from '../flame/kinds.js';
import { cleanText, formatPercent, formatWeight, nameForms } from '../flame/text.js';
import { squarify } from './squarify.js';

const HEAD = 16; // height of a tile's title
const LEAST = 3; // a tile narrower than this is not divided further
const LEVELS = 5;
const KEY_KINDS = { own: 1, jdk: 12, array: 4 }; // colours of the flame graph's kinds

const PRIMITIVE = /^(?:boolean|byte|char|short|int|long|float|double)(?:\[\])+$/;
const JDK_CLASS = /^(?:java|javax|jdk|sun|com\.sun)\./;

/** Which colour a class has. */
export function tileKey(whole) {
  const name = whole.replace(/^class /, '');
  return PRIMITIVE.test(name) ? 'array' : JDK_CLASS.test(name) ? 'jdk' : 'own';
}

/** Tiles of a node and below, outermost first: {node, x, y, w, h, level, divided}. */
export function tilesOf(view, node, box, level = 0, out = []) {
  const below = [];
  for (let c = view.first(node); c >= 0; c = view.next(c)) below.push(c);
  below.sort((a, b) => view.total[b] - view.total[a]);
  const self = view.self(node);
  const weights = below.map((c) => view.total[c]);
  // What the node's own objects take is left free: the last tile, which is nobody's.
  const at = self > 0 ? weights.findIndex((v) => v < self) : -1;
  const order = self > 0 ? (at < 0 ? [...weights, self] : [...weights.slice(0, at), self, ...weights.slice(at)]) : weights;
  const places = squarify(order, box);
  if (self > 0) places.splice(at < 0 ? weights.length : at, 1);
  below.forEach((c, i) => {
    const tile = { node: c, level, divided: false, ...places[i] };
    if (tile.w < LEAST || tile.h < LEAST) return;
    out.push(tile);
    const inner = { x: tile.x + 2, y: tile.y + HEAD, w: tile.w - 4, h: tile.h - HEAD - 2 };
    if (level + 1 < LEVELS && inner.w > 24 && inner.h > 12 && view.first(c) >= 0) {
      tile.divided = true;
      tilesOf(view, c, inner, level + 1, out);
    }
  });
  return out;
}

export class HeapPanel {
  /** @param facts {suspects: [{head, retained, lines: [text]}]} */
  constructor(profile, facts) {
    this.profile = profile;
    this.canvas = document.getElementById('heap-canvas');
    this.where = document.getElementById('heap-where');
    this.tiles = [];
    this.hover = null;
    this.list(facts.suspects);
  }

  list(suspects) {
    const box = document.getElementById('heap-suspects');
    if (!suspects.length) box.textContent = 'What is alive is spread over many objects: none keeps 5 % or more.';
    suspects.forEach((s, i) => {
      const one = document.createElement('details');
      one.open = i === 0;
      const head = document.createElement('summary');
      const size = document.createElement('b');
      size.textContent = `${formatWeight(s.retained, 'bytes')} (${formatPercent(s.retained, this.profile.total[0])})`;
      head.append(size, ` in ${cleanText(s.head)}`);
      const lines = document.createElement('ol');
      for (const text of s.lines) {
        const line = document.createElement('li');
        line.textContent = cleanText(text);
        lines.append(line);
      }
      one.append(head, lines);
      box.append(one);
    });
  }

  attach(app) {
    this.app = app;
    const box = document.getElementById('heap-stage');
    new ResizeObserver(() => this.paint()).observe(box);
    new MutationObserver(() => this.paint()).observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.canvas.addEventListener('click', (e) => {
      const tile = this.tileAt(e);
      if (tile) this.zoom(tile.node);
    });
    this.canvas.addEventListener('mousemove', (e) => this.show(this.tileAt(e)));
    this.canvas.addEventListener('mouseleave', () => this.show(null));
    this.paint();
  }

  /** The address keeps the zoom already; but this is called whenever it has changed. */
  write() {
    if (this.app) requestAnimationFrame(() => this.paint());
  }

  read() {
    this.write();
  }

  zoom(node) {
    if (this.app.state.leafUp) document.getElementById('view-top').click();
    this.app.zoomTo(node);
    this.paint();
  }

  get root() {
    return this.app.state.leafUp ? 0 : this.app.state.zoom;
  }

  tileAt(e) {
    const r = this.canvas.getBoundingClientRect();
    const x = e.clientX - r.left;
    const y = e.clientY - r.top;
    let found = null;
    for (const t of this.tiles) if (x >= t.x && x < t.x + t.w && y >= t.y && y < t.y + t.h) found = t;
    return found;
  }

  show(tile) {
    if (tile !== this.hover) {
      this.hover = tile;
      this.paint();
    }
  }

  say(node) {
    const path = [];
    for (let i = node; i > 0; i = this.profile.parent[i]) path.unshift(cleanText(this.profile.nodeName(i)));
    const size = `${formatWeight(this.profile.total[node], 'bytes')} (${formatPercent(this.profile.total[node], this.profile.total[0])})`;
    this.where.textContent = node ? `${size} retained by ${path.join(' \u203a ')}` : `${size} alive`;
    this.where.title = this.where.textContent;
  }

  paint() {
    const box = this.canvas.parentElement;
    const [w, h, ratio] = [box.clientWidth, box.clientHeight, window.devicePixelRatio || 1];
    const theme = this.app.theme;
    if (!w || !h) return;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const g = this.canvas.getContext('2d');
    g.scale(ratio, ratio);
    g.fillStyle = THEMES[theme].root;
    g.fillRect(0, 0, w, h);
    this.tiles = tilesOf(this.app.views.top, this.root, { x: 0, y: 0, w, h });
    g.font = '11px ui-sans-serif, system-ui, sans-serif';
    g.textBaseline = 'middle';
    for (const t of this.tiles) this.drawTile(g, t, theme);
    if (this.hover) {
      const same = this.tiles.find((t) => t.node === this.hover.node);
      g.strokeStyle = THEMES[theme].ring;
      g.lineWidth = 2;
      if (same) g.strokeRect(same.x + 1, same.y + 1, same.w - 2, same.h - 2);
    }
    for (const i of document.querySelectorAll('.heap-key i')) i.style.setProperty('background', boxColour(theme, KEY_KINDS[i.dataset.key], 0, 0));
    this.say(this.hover ? this.hover.node : this.root);
  }

  drawTile(g, t, theme) {
    const name = this.profile.nodeName(t.node);
    g.fillStyle = boxColour(theme, KEY_KINDS[tileKey(name)], t.level % 4, 0);
    g.fillRect(t.x, t.y, t.w, t.h);
    g.strokeStyle = THEMES[theme].page;
    g.lineWidth = 1;
    g.strokeRect(t.x + 0.5, t.y + 0.5, t.w - 1, t.h - 1);
    if (t.w < 28 || t.h < 13) return;
    const room = t.w - 8;
    const size = formatWeight(this.profile.total[t.node], 'bytes');
    const forms = nameForms(cleanText(name), true);
    const text = forms.flatMap((f) => [`${f}  ${size}`]).concat(forms).find((f) => g.measureText(f).width <= room);
    if (!text) return;
    g.fillStyle = THEMES[theme].text;
    g.fillText(text, t.x + 4, t.y + 9);
  }
}
