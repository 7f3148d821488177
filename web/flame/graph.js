// SPDX-License-Identifier: Apache-2.0
// The flame graph as a component: canvas, dock, legend, search and the tree for screen readers. A page that is a single file
// (app.js) and the application (../ui/flame_panel.js) are both one of these, with a header, a theme and an address around it.
//
// State is small and flows one way: an event changes `state`, `refresh` derives the scene from it and paints. What surrounds the
// graph is notified through writeHash() of each change that belongs in an address.
import { Dock, Legend, Tooltip, describeNode, spokenDetails } from './details.js';
import { Painter, ROW } from './draw.js';
import { Search } from './search.js';
import { cleanText, compileSearch, formatCount, formatPercent, formatWeight } from './text.js';
import { Twin } from './twin.js';
import { LeafUp, nameOf, TopDown } from './views.js';

export const $ = (id) => document.getElementById(id);
const KEEP_ABOVE = 4; // rows of callers left in sight when a zoom has to scroll
const ANIMATE_MS = 170;

export class FlameGraph {
  /** @param theme 'light' or 'dark' */
  constructor(profile, theme) {
    this.profile = profile;
    this.theme = theme;
    this.views = { top: new TopDown(profile), leaf: null };
    this.state = { leafUp: profile.openLeafUp, icicle: null, zoom: 0, selected: -1, query: '', kinds: 0 };
    this.state.icicle = profile.openIcicle || profile.openLeafUp;
    this.hover = -1;
    this.x0 = 0;
    this.x1 = profile.total[0] || 1;
    this.search = new Search(profile, null, 0);
    this.painter = new Painter($('canvas'), $('overlay'));
    this.dock = new Dock($('dock'));
    this.tooltip = new Tooltip($('tooltip'));
    this.legend = new Legend($('legend'), profile, (kind) => this.toggleKind(kind));
    this.twin = new Twin($('tree'), (node) => this.zoomTo(node));
    this.pending = 0;
    this.stats = { paintMs: 0, searchMs: 0 };
    this.painter.setTheme(theme);
    this.ends = new AbortController(); // of listeners outside the component
  }

  /** Shows the picture for the first time. */
  start() {
    this.resizes = new ResizeObserver(() => this.layout());
    this.resizes.observe($('scroll'));
    this.layout();
    this.place();
    this.paint();
  }

  /** Lets go of everything outside the component, before its elements go away. */
  release() {
    this.ends.abort();
    this.resizes?.disconnect();
    this.animation = null;
    this.tooltip.hide();
    cancelAnimationFrame(this.pending);
    clearTimeout(this.twinTimer);
  }

  header() {}

  writeHash() {}

  /** Shows another profile: view, search and, as far as there is one, zoom stay. */
  setProfile(profile) {
    const path = this.zoomPath(this.state.zoom);
    if (profile.names !== this.profile.names) this.painter.forgetNames();
    this.profile = profile;
    this.views = { top: new TopDown(profile), leaf: null };
    this.legend = new Legend($('legend'), profile, (kind) => this.toggleKind(kind));
    this.state.zoom = 0;
    this.state.selected = -1;
    this.hover = -1;
    this.tooltip.hide();
    this.header();
    this.setQuery(this.state.query, false);
    this.state.zoom = path ? this.followPath(path) : 0;
    this.showZoom();
  }

  /** Puts the zoomed box across the whole width. */
  showZoom() {
    this.animation = null;
    this.x0 = this.view.start[this.state.zoom];
    this.x1 = this.x0 + (this.view.total[this.state.zoom] || 1);
    this.place();
    this.refresh();
  }

  get view() {
    if (!this.state.leafUp) return this.views.top;
    this.views.leaf ??= new LeafUp(this.profile);
    return this.views.leaf;
  }

  /* ---- scene and painting ---- */

  scene() {
    return {
      view: this.view,
      search: this.search,
      x0: this.x0,
      x1: this.x1,
      scrollTop: $('scroll').scrollTop,
      contentHeight: this.contentHeight,
      flame: !this.state.icicle,
      zoom: this.state.zoom,
    };
  }

  /** Adapts to the size of the window. What is at the root's end of the picture stays there. */
  layout() {
    const box = $('scroll');
    const below = this.contentHeight - this.shownHeight - box.scrollTop;
    this.painter.resize(box.clientWidth, box.clientHeight, window.devicePixelRatio || 1);
    this.measure();
    if (!this.state.icicle && this.shownHeight) box.scrollTop = this.contentHeight - box.clientHeight - below;
    this.shownHeight = box.clientHeight;
    this.paint();
  }

  /** Height of the scrolled content: all rows of the zoomed box and what is above it. */
  measure() {
    const rows = this.view.height[this.state.zoom] + 1;
    this.contentHeight = Math.max($('scroll').clientHeight, rows * ROW + ROW);
    $('spacer').style.height = `${this.contentHeight}px`;
  }

  /** Scrolls so that the zoomed box is in sight: at the root if all fits, else with some of its callers. */
  place() {
    this.measure();
    const box = $('scroll');
    this.shownHeight = box.clientHeight;
    const rows = (this.view.height[this.state.zoom] + 2) * ROW;
    const skip = rows <= box.clientHeight ? 0 : Math.max(0, this.view.depth[this.state.zoom] - KEEP_ABOVE) * ROW;
    box.scrollTop = this.state.icicle ? skip : this.contentHeight - box.clientHeight - skip;
  }

  paint() {
    const began = performance.now();
    const scene = this.scene();
    this.painter.paint(scene);
    this.painter.paintMarks(scene, this.hover, this.state.selected);
    this.stats.paintMs = performance.now() - began;
    this.stats.boxes = this.painter.drawn;
  }

  requestPaint() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.paint();
    });
  }

  /** Derives everything that is shown from the state. */
  refresh() {
    const s = this.state;
    $('view-top').setAttribute('aria-pressed', String(!s.leafUp));
    $('view-leaf').setAttribute('aria-pressed', String(s.leafUp));
    $('orient').textContent = s.icicle ? 'Root on top' : 'Root at bottom';
    $('reset').disabled = s.zoom === 0 && !this.isPanned();
    this.legend.update(s.kinds, this.theme);
    this.showDetails();
    this.showResult();
    this.requestPaint();
    clearTimeout(this.twinTimer);
    this.twinTimer = setTimeout(() => this.twin.update(this.view, s.zoom, s.selected), 60);
  }

  isPanned() {
    return this.x0 > 0 || this.x1 < (this.profile.total[0] || 1);
  }

  showDetails() {
    const node = this.hover >= 0 ? this.hover : this.state.selected >= 0 ? this.state.selected : this.state.zoom;
    this.dock.show(describeNode(this.view, node, this.state.zoom), this.theme);
  }

  say(text) {
    $('live').textContent = text;
  }

  /* ---- zoom ---- */

  zoomTo(node, { history = true, select = true } = {}) {
    this.state.zoom = node;
    if (select) this.state.selected = node === 0 ? -1 : node;
    this.hover = -1;
    this.tooltip.hide();
    const from = [this.x0, this.x1];
    const view = this.view;
    const to = [view.start[node], view.start[node] + (view.total[node] || 1)];
    [this.x0, this.x1] = to;
    this.place();
    this.animate(from, to);
    this.refresh();
    this.writeHash(history);
  }

  animate(from, to) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (still || this.stats.paintMs > 20 || (from[0] === to[0] && from[1] === to[1])) return;
    const began = performance.now();
    const token = (this.animation = {});
    const frame = (now) => {
      if (this.animation !== token) return;
      const t = Math.min(1, Math.max(0, (now - began) / ANIMATE_MS));
      const e = 1 - (1 - t) ** 3;
      this.x0 = from[0] + (to[0] - from[0]) * e;
      this.x1 = from[1] + (to[1] - from[1]) * e;
      this.paint();
      if (t < 1) requestAnimationFrame(frame);
      else this.refresh();
    };
    [this.x0, this.x1] = from;
    requestAnimationFrame(frame);
  }

  /** Sets the visible range of weights, kept inside the whole and at least a millionth of it wide. */
  setRange(x0, x1) {
    this.animation = null;
    const all = this.profile.total[0] || 1;
    const width = Math.min(all, Math.max(all / 1e7, x1 - x0));
    this.x0 = Math.min(Math.max(0, x0), all - width);
    this.x1 = this.x0 + width;
    $('reset').disabled = this.state.zoom === 0 && !this.isPanned();
    this.requestPaint();
  }

  reset() {
    this.zoomTo(0);
    this.say('Zoom reset');
  }

  /* ---- selection ---- */

  select(node) {
    this.state.selected = node;
    this.hover = -1;
    this.tooltip.hide();
    this.reveal(node);
    this.refresh();
    this.say(spokenDetails(describeNode(this.view, node, this.state.zoom)));
  }

  /** Scrolls, and widens the zoom if need be, until the node's box is in sight. */
  reveal(node) {
    const { view, state } = this;
    const inside = view.start[node] < this.x1 && view.start[node] + view.total[node] > this.x0;
    if (!inside || view.height[state.zoom] < view.depth[node]) {
      let up = view.parent[node];
      while (up > 0 && view.total[up] < view.total[state.zoom]) up = view.parent[up];
      this.zoomTo(Math.max(0, up), { select: false });
    }
    const box = $('scroll');
    const y = this.painter.rowTop(this.scene(), view.depth[node]);
    if (y < 0) box.scrollTop += y - ROW;
    else if (y + ROW > box.clientHeight) box.scrollTop += y + 2 * ROW - box.clientHeight;
  }

  heaviestChild(node) {
    let best = -1;
    for (let c = this.view.first(node); c >= 0; c = this.view.next(c)) if (best < 0 || this.view.total[c] > this.view.total[best]) best = c;
    return best;
  }

  move(key) {
    const now = this.state.selected >= 0 ? this.state.selected : this.state.zoom;
    if (this.state.selected < 0) return this.select(now);
    const down = this.state.icicle ? 'ArrowDown' : 'ArrowUp';
    const up = this.state.icicle ? 'ArrowUp' : 'ArrowDown';
    let to = -1;
    if (key === down) to = this.heaviestChild(now);
    else if (key === up) to = this.view.parent[now];
    else {
      this.painter.collect(this.scene());
      to = this.painter.neighbour(this.scene(), now, key === 'ArrowLeft' ? -1 : 1);
    }
    if (to >= 0) this.select(to);
  }

  /** Selects the next (or previous) hit of the search in the order of drawing. */
  nextHit(step) {
    if (!this.search.active) return;
    if (this.state.leafUp) return this.toast('From hit to hit goes in the top-down view');
    const n = this.profile.count;
    let i = Math.max(0, this.state.selected);
    for (let k = 0; k < n; k++) {
      i = (i + step + n) % n;
      if (i > 0 && this.search.hit(this.profile.name[i], this.profile.kind[i])) {
        if ((this.view.total[i] / (this.x1 - this.x0)) * this.painter.width < 3) this.zoomTo(this.view.parent[i]);
        this.select(i);
        return;
      }
    }
  }

  stackText(node) {
    const { view } = this;
    const names = [];
    for (let i = node; i > 0; i = view.parent[i]) names.push(cleanText(nameOf(view, i)));
    return (this.state.leafUp ? names.reverse() : names).join('\n');
  }

  async copy(what) {
    const node = this.state.selected >= 0 ? this.state.selected : this.state.zoom;
    const text = what === 'stack' ? this.stackText(node) : cleanText(nameOf(this.view, node));
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = copyOldWay(text);
    }
    this.toast(done ? (what === 'stack' ? 'Stack copied' : 'Name copied') : 'The browser did not allow copying');
  }

  toast(text) {
    $('toast').textContent = text;
    $('toast').classList.add('on');
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => $('toast').classList.remove('on'), 1600);
    this.say(text);
  }

  /* ---- search ---- */

  setQuery(text, write = true) {
    this.state.query = text;
    const began = performance.now();
    const pattern = compileSearch(text);
    this.plain = pattern !== null && pattern.plain;
    this.search = new Search(this.profile, pattern, this.state.kinds);
    this.stats.searchMs = performance.now() - began;
    if ($('query').value !== text) $('query').value = text;
    this.refresh();
    if (write) this.writeHash(false);
    if (this.search.active) this.say($('result').textContent);
  }

  toggleKind(kind) {
    this.state.kinds ^= 1 << kind;
    this.setQuery(this.state.query);
  }

  showResult() {
    const s = this.search;
    const out = $('result');
    $('clear').hidden = !s.active;
    out.hidden = !s.active;
    if (!s.active) return;
    const p = this.profile;
    let text = `${formatPercent(s.weight, p.total[0])} matched`;
    if (this.state.zoom > 0 && !this.state.leafUp)
      text += `, ${formatPercent(s.weightWithin(this.state.zoom), p.total[this.state.zoom])} of zoom`;
    out.textContent = text;
    const methods = `${formatCount(s.methods)} ${s.methods === 1 ? 'method' : 'methods'} in ${formatCount(s.boxes)} boxes`;
    out.title = `${formatWeight(s.weight, p.unit)}; ${methods}${this.plain ? '; searched as plain text (not a valid regular expression)' : ''}`;
  }

  /* ---- view, theme, fragment ---- */

  setView(leafUp, icicle = leafUp) {
    this.state.leafUp = leafUp;
    this.state.icicle = icicle;
    this.state.selected = -1;
    this.zoomTo(0);
    this.animation = null;
    [this.x0, this.x1] = [0, this.profile.total[0] || 1];
    this.place();
    this.refresh();
    this.say(leafUp ? 'Leaf-up view: methods by self weight, callers below' : 'Top-down view');
  }

  flip() {
    this.state.icicle = !this.state.icicle;
    this.place();
    if (this.state.selected >= 0) this.reveal(this.state.selected);
    this.refresh();
    this.writeHash(false);
    this.say(this.state.icicle ? 'Root on top' : 'Root at the bottom');
  }

  /** Zoom as a path of (name, kind) pairs, which means the same in both views and after regenerating the file in leaf-up. */
  zoomPath(node) {
    const steps = [];
    for (let i = node; i > 0; i = this.view.parent[i]) steps.push(this.stepOf(i));
    return steps.reverse().join('.');
  }

  stepOf(node) {
    return `${this.view.name[node].toString(36)}-${this.view.kind[node]}`;
  }

  followPath(path) {
    let node = 0;
    for (const step of path.split('.')) {
      let c = this.view.first(node);
      while (c >= 0 && this.stepOf(c) !== step) c = this.view.next(c);
      if (c < 0) break;
      node = c;
    }
    return node;
  }

  /* ---- events ---- */

  bindGraph() {
    const actions = {
      'view-top': () => this.setView(false),
      'view-leaf': () => this.setView(true),
      orient: () => this.flip(),
      reset: () => this.reset(),
      'copy-name': () => this.copy('name'),
      'copy-stack': () => this.copy('stack'),
      clear: () => this.clearSearch(),
    };
    for (const [id, run] of Object.entries(actions)) $(id).addEventListener('click', run);
    $('query').addEventListener('input', () => this.setQuery($('query').value));
    $('scroll').addEventListener('scroll', () => this.onScroll());
    $('tree').addEventListener('focus', () => {
      if (this.state.selected < 0) this.select(this.state.zoom);
    });
    this.bindPointer();
  }

  bindPointer() {
    const area = $('scroll');
    let drag = null;
    area.addEventListener('pointermove', (e) => {
      const r = area.getBoundingClientRect();
      if (drag) return this.onDrag(drag, e);
      this.setHover(this.painter.nodeAt(this.scene(), e.clientX - r.left, e.clientY - r.top), e.clientX - r.left);
    });
    area.addEventListener('pointerleave', () => this.setHover(-1, 0));
    area.addEventListener('pointerdown', (e) => {
      if (e.button !== 0 || e.offsetX > area.clientWidth) return;
      drag = { x: e.clientX, y: e.clientY, x0: this.x0, x1: this.x1, top: area.scrollTop, moved: false, touch: e.pointerType === 'touch' };
    });
    const up = () => {
      if (drag && drag.moved) this.dropClick = true;
      drag = null;
      area.classList.remove('dragging');
    };
    window.addEventListener('pointerup', up, { signal: this.ends.signal });
    area.addEventListener('click', (e) => this.onClick(e, area));
    area.addEventListener('wheel', (e) => this.onWheel(e, area), { passive: false });
  }

  onDrag(drag, e) {
    const dx = e.clientX - drag.x;
    const dy = e.clientY - drag.y;
    if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 5) return;
    if (drag.touch && !this.isPanned()) return;
    drag.moved = true;
    $('scroll').classList.add('dragging');
    this.setHover(-1, 0);
    const perPixel = (drag.x1 - drag.x0) / this.painter.width;
    this.setRange(drag.x0 - dx * perPixel, drag.x1 - dx * perPixel);
    if (!drag.touch) $('scroll').scrollTop = drag.top - dy;
  }

  onClick(e, area) {
    if (this.dropClick) {
      this.dropClick = false;
      return;
    }
    const r = area.getBoundingClientRect();
    const node = this.painter.nodeAt(this.scene(), e.clientX - r.left, e.clientY - r.top);
    if (node >= 0) this.zoomTo(node);
  }

  onWheel(e, area) {
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      const r = area.getBoundingClientRect();
      const at = this.x0 + ((e.clientX - r.left) / this.painter.width) * (this.x1 - this.x0);
      const f = Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.01);
      this.setRange(at - (at - this.x0) * f, at + (this.x1 - at) * f);
    } else if ((e.deltaX || e.shiftKey) && this.isPanned()) {
      e.preventDefault();
      const by = ((e.deltaX || e.deltaY) / this.painter.width) * (this.x1 - this.x0);
      this.setRange(this.x0 + by, this.x1 + by);
    }
  }

  onScroll() {
    this.setHover(-1, 0);
    this.requestPaint();
  }

  setHover(node, pointerX) {
    if (node < 0) this.tooltip.hide();
    if (node === this.hover && node < 0) return;
    const scene = this.scene();
    if (node !== this.hover) {
      this.hover = node;
      $('scroll').style.cursor = node >= 0 ? 'pointer' : '';
      this.painter.paintMarks(scene, node, this.state.selected);
      this.showDetails();
    }
    if (node >= 0) {
      const d = describeNode(this.view, node, this.state.zoom);
      this.tooltip.show(d, this.painter.boxOf(scene, node), pointerX, $('scroll').getBoundingClientRect());
    }
  }

  clearSearch() {
    this.state.kinds = 0;
    this.setQuery('');
  }

  escape() {
    if (document.activeElement === $('query')) $('tree').focus({ preventScroll: true });
    if (this.state.zoom > 0 || this.isPanned()) this.reset();
    else if (this.search.active) this.clearSearch();
    else {
      this.state.selected = -1;
      this.refresh();
    }
  }

  /** Runs what a key means; false if it means nothing here. */
  onKey(e) {
    const typing = document.activeElement === $('query');
    if (e.key === 'Escape') {
      e.preventDefault();
      this.escape();
      return true;
    }
    if (typing) {
      if (e.key === 'Enter') this.nextHit(e.shiftKey ? -1 : 1);
      return true;
    }
    const onControl = document.activeElement instanceof HTMLButtonElement;
    const move = () => this.move(e.key);
    const run = {
      ArrowUp: move,
      ArrowDown: move,
      ArrowLeft: move,
      ArrowRight: move,
      Home: () => this.select(0),
      Enter: () => this.zoomTo(Math.max(0, this.state.selected)),
      Backspace: () => this.zoomTo(Math.max(0, this.view.parent[this.state.zoom])),
      '/': () => $('query').select(),
      i: () => this.setView(!this.state.leafUp),
      o: () => this.flip(),
      c: () => this.copy('name'),
      C: () => this.copy('stack'),
      n: () => this.nextHit(1),
      N: () => this.nextHit(-1),
    }[e.key];
    if (!run || (onControl && e.key === 'Enter')) return false;
    e.preventDefault();
    run();
    return true;
  }
}

function copyOldWay(text) {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
