// SPDX-License-Identifier: Apache-2.0
// The page of a single file: a flame graph with title, theme, help, and the URL fragment that keeps the state.
//
// The fragment holds view, orientation, zoom, search and highlighted kinds, so a link or the back button brings the same
// picture.
import { $, FlameGraph } from './graph.js';
import { KIND_ROOT } from './kinds.js';
import { cleanText, formatCount, formatWeight } from './text.js';

const HELP_ON_CHANGES =
  'The width of a box is the weight of all stacks that pass through it, before and after together. Its colour shows the change: ' +
  'red grew, blue shrank, pink is new, violet is gone, and grey is within sampling error.';

export class App extends FlameGraph {
  /** @param more what else the page keeps in the address: {write(query), read(query)}, or nothing */
  constructor(profile, more = null) {
    super(profile, 'light');
    this.more = more;
    this.header();
    this.theme = this.initialTheme();
    this.applyTheme();
    this.bind();
    this.readHash();
    this.start();
  }

  header() {
    const p = this.profile;
    document.title = cleanText(p.title);
    $('title').textContent = cleanText(p.title);
    const facts = [p.compares ? '' : formatWeight(p.total[0], p.unit), cleanText(p.subtitle), `${formatCount(p.count - 1)} boxes`];
    $('facts').textContent = facts.filter(Boolean).join(' \u00b7 ');
    for (const id of ['title', 'facts']) $(id).title = $(id).textContent; // where there is no room for all of it
    this.helpOnBoxes ??= $('help-boxes').textContent;
    $('help-boxes').textContent = p.compares ? HELP_ON_CHANGES : this.helpOnBoxes;
  }

  initialTheme() {
    let saved = null;
    try {
      saved = localStorage.getItem('wick-theme');
    } catch {
      /* no storage for file: pages in some browsers */
    }
    this.media = matchMedia('(prefers-color-scheme: dark)');
    this.media.addEventListener('change', () => {
      if (this.chosen) return;
      this.theme = this.media.matches ? 'dark' : 'light';
      this.applyTheme();
    });
    this.chosen = saved === 'dark' || saved === 'light';
    return this.chosen ? saved : this.media.matches ? 'dark' : 'light';
  }

  toggleTheme() {
    this.theme = this.theme === 'dark' ? 'light' : 'dark';
    this.chosen = true;
    try {
      localStorage.setItem('wick-theme', this.theme);
    } catch {
      /* as above */
    }
    this.applyTheme();
  }

  applyTheme() {
    document.documentElement.dataset.theme = this.theme;
    this.painter.setTheme(this.theme);
    $('theme').setAttribute('aria-label', this.theme === 'dark' ? 'Switch to light colours' : 'Switch to dark colours');
    if (this.contentHeight) this.refresh();
  }

  writeHash(history) {
    const s = this.state;
    const q = new URLSearchParams();
    if (s.leafUp) q.set('view', 'leaf-up');
    if (s.icicle !== s.leafUp) q.set('root', s.icicle ? 'top' : 'bottom');
    if (s.query) q.set('search', s.query);
    if (s.kinds) q.set('kinds', s.kinds.toString(36));
    if (s.zoom > 0) q.set('zoom', this.zoomPath(s.zoom));
    this.more?.write(q);
    const hash = q.toString() ? `#${q}` : '';
    if (hash === location.hash) return;
    try {
      window.history[history ? 'pushState' : 'replaceState'](null, '', hash || location.href.split('#')[0]);
    } catch {
      /* a sandboxed frame: the picture works, the link does not */
    }
  }

  readHash() {
    const q = new URLSearchParams(location.hash.slice(1));
    const s = this.state;
    this.more?.read(q);
    s.leafUp = q.has('view') ? q.get('view') === 'leaf-up' : this.profile.openLeafUp && !location.hash;
    s.icicle = q.has('root') ? q.get('root') === 'top' : s.leafUp || (this.profile.openIcicle && !location.hash);
    s.kinds = parseInt(q.get('kinds') ?? '0', 36) & ((1 << KIND_ROOT) - 1);
    s.selected = -1;
    this.setQuery(q.get('search') ?? '', false);
    s.zoom = q.has('zoom') ? this.followPath(q.get('zoom')) : 0;
    this.showZoom();
  }

  bind() {
    this.bindGraph();
    $('theme').addEventListener('click', () => this.toggleTheme());
    $('help').addEventListener('click', () => $('help-box').showModal());
    document.addEventListener('keydown', (e) => this.onPageKey(e));
    window.addEventListener('popstate', () => this.readHash());
    window.addEventListener('beforeprint', () => this.onPrint(true));
    window.addEventListener('afterprint', () => this.onPrint(false));
  }

  onPageKey(e) {
    if ($('help-box').open || e.ctrlKey || e.metaKey || e.altKey || this.onKey(e)) return;
    const run = { d: () => this.toggleTheme(), '?': () => $('help-box').showModal() }[e.key];
    if (!run) return;
    e.preventDefault();
    run();
  }

  /** Paper is white. */
  onPrint(on) {
    document.documentElement.dataset.theme = on ? 'light' : this.theme;
    this.painter.setTheme(on ? 'light' : this.theme);
    this.legend.update(this.state.kinds, on ? 'light' : this.theme);
    this.paint();
  }
}
