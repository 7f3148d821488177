// SPDX-License-Identifier: Apache-2.0
// The flame graph inside the application: the component of the single-file pages, whose view, search and zoom are a part of the
// application's address.
//
// A zoom is a path of (name, kind of code) pairs. Here names are hashes, not numbers: the answers of a recording that grows, or of
// another filter, number their names anew.
import { $, FlameGraph } from '../flame/graph.js';
import { kindGroup } from '../flame/kinds.js';
import { nameOf } from '../flame/views.js';
import { button, h, toast } from './dom.js';
import { leaveOutPath } from './state.js';

/** FNV-1a over UTF-16 units, 32 bits, in base 36. */
export function nameHash(name) {
  let v = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) v = Math.imul(v ^ name.charCodeAt(i), 0x01000193);
  return (v >>> 0).toString(36);
}

/** The names of a box and of those that it stands on. */
export function namesAbove(view, node) {
  const names = [];
  for (let i = node; i > 0; i = view.parent[i]) names.push(nameOf(view, i));
  return names;
}

/** What leaves out a subtree, as leaveOutPath; says so where there is no room. */
export function cutOf(state, names, open) {
  const patch = leaveOutPath(state, names, open);
  if (!patch) toast('Not left out: all filters together would be more than a question may have. Remove one, or leave out a subtree nearer to the root.');
  return patch;
}

function controls() {
  const view = (id, text, title) => h('button', { type: 'button', id, title, 'aria-pressed': 'false' }, text);
  return h('div.flame-tools', {},
    h('div.segment', { role: 'group', 'aria-label': 'View' }, view('view-top', 'Top-down', 'From the root down: who calls what'),
      view('view-leaf', 'Leaf-up', 'From the leaves up: where the weight ends, and who calls it (i)')),
    h('button.plain', { type: 'button', id: 'orient', title: 'Turn the graph upside down (o)' }, 'Root at bottom'),
    h('div.search', { role: 'search' },
      h('input', { id: 'query', type: 'text', placeholder: 'Search, regex', 'aria-label': 'Search frames by regular expression', autocomplete: 'off', spellcheck: 'false' }),
      h('button', { type: 'button', id: 'clear', 'aria-label': 'Clear search and highlights', hidden: true }, '\u00d7'), h('kbd', { 'aria-hidden': 'true' }, '/')));
}

function stage() {
  return h('div', { id: 'scroll' }, h('div', { id: 'spacer' }, h('div', { id: 'stage' }, h('canvas', { id: 'canvas', 'aria-hidden': 'true' }),
    h('canvas', { id: 'overlay', 'aria-hidden': 'true' }),
    h('div.unseen', { id: 'tree', role: 'tree', tabindex: '0', 'aria-label': 'Call tree; arrow keys move, Enter zooms' }))));
}

function dock(more) {
  const part = (tag, name) => h(tag, { 'data-part': name.split('.').pop() });
  const bar = part('div.bar', 'bar');
  bar.setAttribute('aria-hidden', 'true');
  return h('section', { id: 'dock', 'aria-label': 'Details' }, bar,
    h('div.dock-head', part('div.name', 'name'), h('div.copy', {},
      h('button.plain', { type: 'button', id: 'reset', disabled: true }, 'Reset zoom ', h('kbd', { 'aria-hidden': 'true' }, 'Esc')), ...more,
      button('Copy name', null, { id: 'copy-name', title: 'Copy the name of the selected frame (c)' }),
      button('Copy stack', null, { id: 'copy-stack', title: 'Copy the stack of the selected frame (Shift+C)' }))),
    part('dl.stats', 'stats'));
}

/** The elements that the component finds by their ids. more: further buttons of the dock. */
export function flameDom(more = []) {
  return h('section.flame', { 'aria-label': 'Flame graph' }, controls(),
    h('div.strip', h('div', { id: 'legend', role: 'group' }), h('output', { id: 'result', for: 'query', hidden: true })), stage(), dock(more));
}

export class FlamePanel extends FlameGraph {
  /** @param onChange (part of the state, true if it is a step that back undoes) */
  constructor(profile, theme, state, onChange) {
    super(profile, theme);
    this.onChange = null;
    this.bindGraph();
    this.apply(state);
    this.start();
    this.onChange = onChange;
  }

  /** Takes what the address says, if it differs from what is shown. */
  apply(address) {
    this.address = address;
    const s = this.state;
    const icicle = address.flip ? !address.leaf : address.leaf;
    const zoom = this.zoomPath(s.zoom);
    if (this.started && s.leafUp === address.leaf && s.icicle === icicle && s.query === address.search && s.kinds === address.kinds && zoom === address.zoom) return;
    this.started = true;
    s.leafUp = address.leaf;
    s.icicle = icicle;
    s.kinds = address.kinds;
    s.selected = -1;
    this.setQuery(address.search, false);
    s.zoom = address.zoom ? this.followPath(address.zoom) : 0;
    this.showZoom();
  }

  /** With Alt, the subtree of the box goes; back brings it back. */
  onClick(e, area) {
    const r = area.getBoundingClientRect();
    const node = e.altKey && !this.dropClick ? this.painter.nodeAt(this.scene(), e.clientX - r.left, e.clientY - r.top) : -1;
    if (node > 0) this.cut(node);
    else super.onClick(e, area);
  }

  onKey(e) {
    if (e.key !== 'Delete' || !(this.state.selected > 0) || document.activeElement === $('query')) return super.onKey(e);
    e.preventDefault();
    this.cut(this.state.selected);
    return true;
  }

  /** Leaves out a subtree: the stacks that begin like the box and, in the leaf-up view, those that end like it. */
  cut(node) {
    const { leaf, tab, show, callers } = this.address;
    const sandwich = tab === 'cpu' && show === 'sandwich'; // Compare keeps what CPU shows
    const up = sandwich && callers;
    const names = namesAbove(this.view, node);
    let { zoom } = this.state;
    for (let i = zoom; i > 0; i = this.view.parent[i]) if (i === node) zoom = this.view.parent[node];
    const open = [sandwich ? !(up && leaf) : leaf, up || !leaf];
    const patch = cutOf(this.address, leaf === up ? names.reverse() : names, open);
    if (patch) this.onChange({ ...patch, zoom: this.zoomPath(zoom) }, true);
  }

  writeHash(history) {
    const s = this.state;
    this.onChange?.({ leaf: s.leafUp, flip: s.icicle !== s.leafUp, search: s.query, kinds: s.kinds, zoom: this.zoomPath(s.zoom) }, history);
  }

  stepOf(node) {
    return `${nameHash(nameOf(this.view, node))}-${kindGroup(this.view.kind[node])}`;
  }

  /** Another answer to the same question: what is selected stays, and nothing scrolls. */
  setProfile(profile) {
    const box = $('scroll');
    const fromRoot = this.state.icicle ? box.scrollTop : this.contentHeight - box.clientHeight - box.scrollTop;
    const path = this.state.selected > 0 ? this.zoomPath(this.state.selected) : '';
    super.setProfile(profile);
    if (path) {
      const node = this.followPath(path);
      this.state.selected = this.zoomPath(node) === path ? node : -1;
    }
    box.scrollTop = this.state.icicle ? fromRoot : this.contentHeight - box.clientHeight - fromRoot;
    this.refresh();
  }

  setTheme(theme) {
    this.theme = theme;
    this.painter.setTheme(theme);
    this.refresh();
  }

  /** The name of the selected or zoomed frame, '' for all. */
  frameName() {
    const node = this.state.selected > 0 ? this.state.selected : this.state.zoom;
    return node > 0 ? nameOf(this.view, node) : '';
  }
}
