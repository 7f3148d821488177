// SPDX-License-Identifier: Apache-2.0
// The application: which page the address means, the list of recordings, live updates, light and dark, and keys.
//
// Everything flows one way: a click or key calls navigate(), which writes the address; the address is read into a state; the state is
// given to the page, which asks the server for what it lacks and draws. Live recordings do the same with a generation that
// grows once a second.
import { get, giveUp, of, post } from './api.js';
import { calm, watchPointer } from './calm.js';
import { Connection } from './connection.js';
import { errorBox, h, isModified, say, toast } from './dom.js';
import { HeapView } from './heap.js';
import { liveTools } from './live.js';
import { RecordingView } from './recording.js';
import { StartView } from './start.js';
import { formatState, parseState, TABS } from './state.js';
import { cleanText } from '../flame/text.js';

const byName = (id) => document.getElementById(id);
const KEYS = [
  ['1 \u2026 6', 'the pages Explain, Slow, CPU, Memory, Interference, Compare'],
  ['Tab Enter', 'reach and press everything; tables sort by their heads'],
  ['/', 'search, on every page of a recording'], ['n N', 'next and previous hit'],
  ['\u2190 \u2191 \u2193 \u2192', 'in the flame graph: neighbour, caller, heaviest callee; on the time axis: move, with Shift choose'],
  ['+ \u2212 0', 'in a trace: zoom, show all of it; with Shift, arrows go along'],
  ['Enter', 'zoom to the selected box; take the chosen time'], ['Backspace', 'zoom out by one caller'], ['Esc', 'reset the zoom, then the search'],
  ['Alt click', 'leave out the subtree of a box of a flame graph'], ['Delete', 'the same for the selected box'], ['i', 'leaf-up view'], ['o', 'root at the bottom or on top'], ['c C', 'copy the name, the stack'],
  ['h', 'time as a heatmap or as an area'], ['d', 'light or dark'], ['g', 'to the list of recordings'], ['Alt \u2190 \u2192', 'undo and redo: the address holds everything'], ['?', 'this list'],
];

class Ui {
  constructor() {
    this.recordings = [];
    this.error = null;
    this.view = null;
    this.id = null;
    this.generation = 0;
    this.state = parseState(location.hash);
    this.startTheme();
    this.bind();
    this.route();
    this.refreshList();
    this.connection = new Connection(byName('connection'), { onRecording: (r) => calm().then(() => this.onRecording(r)), onBack: () => calm().then(() => this.onBack()) });
  }

  /* ---- address ---- */

  /** Changes a part of the state. history false: the step is not one that back undoes. */
  navigate(patch, history = true) {
    this.state = { ...this.state, ...('trace' in patch && { part: '' }), ...patch };
    const hash = formatState(this.state);
    if (hash !== location.hash) window.history[history ? 'pushState' : 'replaceState'](null, '', hash);
    this.route();
  }

  route() {
    const { recording: id } = this.state;
    if (this.left?.id !== id) {
      this.left?.stop.abort();
      this.left = { id, stop: new AbortController() };
    }
    if (!id) this.showStart();
    else this.showRecording();
  }

  put(view, id) {
    this.view?.release();
    this.connection?.missing(false);
    this.view = view;
    this.id = id;
    byName('view').replaceChildren(view.root);
  }

  showStart() {
    if (this.id !== '') {
      this.generation = 0;
      this.put(new StartView((state) => this.navigate(state)), '');
      this.title('wick', 'Java processes and recordings of this machine', []);
    }
    this.view.update({ recordings: this.recordings, error: this.error });
    document.documentElement.dataset.ready = 'start';
  }

  showRecording() {
    const { recording: id } = this.state;
    const recording = this.recordings.find((r) => r.id === id);
    const navigate = (patch, history) => this.navigate(patch, history);
    if (!recording || (!recording.events.length && !this.read?.has(id))) {
      this.fetchRecording(id);
      return;
    }
    if (this.id !== id) {
      this.generation = 0;
      this.put(recording.content === 'heap' ? new HeapView() : new RecordingView({ navigate }), id);
    }
    this.title(recording.name, RecordingView.facts(recording), liveTools(recording, this.liveHooks()));
    const { state, theme, generation, recordings } = this;
    this.view.update({ state, recording, theme, generation, recordings, navigate });
    document.documentElement.dataset.ready = id;
  }

  /** A recording has its events once it has been read. */
  async fetchRecording(id) {
    const { signal } = this.left.stop; // of having left it
    if (this.fetching === signal) return;
    this.fetching = signal;
    this.read ??= new Set();
    if (this.id !== `wait ${id}`) this.put({ root: h('p.quiet.reading', 'Reading the recording \u2026'), release() {} }, `wait ${id}`);
    try {
      // Large ones are shown while they are read.
      const recording = await get(of(id, '').replace(/\/$/, ''), [['partial', '1']], signal);
      this.read.add(id);
      this.take(recording);
    } catch (e) {
      if (signal.aborted) return;
      if (e.status === 0) this.title('No connection', '', []);
      else this.title('Recording not found', '', []);
      byName('view').replaceChildren(h('div.page.missing', errorBox(e), h('p', h('a', { href: '#/' }, 'All recordings'))));
      return;
    } finally {
      if (this.fetching === signal) this.fetching = null;
    }
    if (!signal.aborted) this.route();
  }

  title(name, facts, tools) {
    const text = cleanText(name);
    document.title = text === 'wick' ? 'wick' : `${text} \u2013 wick`;
    byName('title').textContent = text;
    byName('title').title = text;
    byName('facts').textContent = cleanText(facts);
    const key = tools.map((t) => t.textContent).join('|') + name;
    if (key === this.toolsKey) return;
    this.toolsKey = key;
    byName('live-state').replaceChildren(...tools);
  }

  /* ---- recordings ---- */

  async refreshList() {
    try {
      const { recordings } = await get('recordings');
      this.error = null;
      for (const r of recordings) this.take(r);
      // Although it may be there no more.
      const shown = this.recordings.find((r) => r.id === this.id);
      const missing = shown !== undefined && !recordings.some((r) => r.id === this.id);
      this.recordings = recordings.map((r) => this.recordings.find((x) => x.id === r.id) ?? r);
      if (missing) this.recordings.push(shown);
      this.connection?.missing(missing);
    } catch (e) {
      this.error = e;
    }
    if (!this.state.recording || this.recordings.some((r) => r.id === this.state.recording)) this.route();
  }

  take(recording) {
    const at = this.recordings.findIndex((r) => r.id === recording.id);
    if (at < 0) this.recordings = [...this.recordings, recording];
    else this.recordings = this.recordings.with ? this.recordings.with(at, recording) : this.recordings.map((r, i) => (i === at ? recording : r));
  }

  onRecording(recording) {
    const before = this.recordings.find((r) => r.id === recording.id);
    this.take(recording);
    const shown = recording.id === this.state.recording;
    if (!shown && !(this.state.tab === 'compare' && recording.id === this.state.base)) {
      if (!this.state.recording) this.route();
      return;
    }
    const grown = ['end_ns', 'size_bytes', 'read_bytes', 'partial', 'live'].some((key) => before?.[key] !== recording[key]);
    if (!before || grown) this.generation++;
    if (shown && before?.partial && !recording.partial && recording.read_bytes >= recording.size_bytes) say('All of the recording has been read');
    if (shown && before?.live && !recording.live) say('The recording has ended');
    this.route();
  }

  /** The server answers again, or another one that has been started in its place: everything is asked for anew, and replaced when it is there. */
  async onBack() {
    const { recording: id } = this.state;
    giveUp();
    try {
      // Its events: a list has them of what has been read only.
      if (id) this.take(await get(of(id, '').replace(/\/$/, ''), [['partial', '1']], this.left.stop.signal));
      this.generation++;
    } catch {
      /* it is not there any more, which the list says as well */
    }
    this.refreshList();
  }

  liveHooks() {
    return {
      now: (recording) => this.recordings.find((r) => r.id === recording.id) ?? recording,
      onChanged: (recording, what) => {
        this.onRecording(recording);
        toast(what);
      },
      onRenamed: (id, recording) => this.renamed(id, recording),
      onStop: (recording) => this.stop(recording),
    };
  }

  /** It has another id, since that belongs to its path; what is chosen stays. */
  renamed(id, recording) {
    if (id !== recording.id) this.recordings = this.recordings.filter((r) => r.id !== id);
    this.read?.add(recording.id);
    this.take(recording);
    const { state } = this;
    const now = (old) => (old === id ? recording.id : old);
    this.navigate({ recording: now(state.recording), base: now(state.base) }, false);
    toast(`It is now called ${recording.name}`);
  }

  async stop(recording) {
    try {
      this.onRecording(await post(of(recording.id, 'stop'), {}));
      toast(`Saved: ${recording.path}`);
    } catch (e) {
      this.toolsKey = '';
      toast(`${e.why ?? e.message} ${e.whatToDo ?? ''}`);
      this.route();
    }
  }

  /* ---- theme and keys ---- */

  startTheme() {
    const media = matchMedia('(prefers-color-scheme: dark)');
    let saved = null;
    try {
      saved = localStorage.getItem('wick-theme');
    } catch {
      /* no storage: as the system has it */
    }
    this.chosen = saved === 'dark' || saved === 'light';
    this.setTheme(this.chosen ? saved : media.matches ? 'dark' : 'light');
    media.addEventListener('change', () => {
      if (!this.chosen) this.setTheme(media.matches ? 'dark' : 'light');
    });
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    byName('theme').setAttribute('aria-label', theme === 'dark' ? 'Switch to light colours' : 'Switch to dark colours');
    if (this.view) this.route();
  }

  toggleTheme() {
    this.chosen = true;
    this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
    try {
      localStorage.setItem('wick-theme', this.theme);
    } catch {
      /* as above */
    }
  }

  bind() {
    watchPointer(window);
    byName('keys').replaceChildren(...KEYS.flatMap(([keys, text]) => [h('dt', ...keys.split(' ').flatMap((k) => [h('kbd', k), ' '])), h('dd', text)]));
    byName('theme').addEventListener('click', () => this.toggleTheme());
    byName('help').addEventListener('click', () => byName('help-box').showModal());
    document.querySelector('.skip').addEventListener('click', (e) => {
      // The fragment holds the state.
      e.preventDefault();
      byName('view').focus();
    });
    const read = () => {
      this.state = parseState(location.hash);
      this.route();
    };
    window.addEventListener('popstate', read);
    window.addEventListener('hashchange', read);
    document.addEventListener('keydown', (e) => this.onKey(e));
  }

  onKey(e) {
    if (document.querySelector('dialog[open]') || isModified(e) || e.defaultPrevented) return;
    const focus = document.activeElement;
    const typing = focus instanceof HTMLSelectElement || (focus instanceof HTMLInputElement && focus.type === 'text');
    if (typing && focus.id !== 'query') return;
    const run = {
      d: () => this.toggleTheme(),
      g: () => this.navigate(parseState('')),
      h: () => this.view.hasTime && this.navigate({ heat: this.state.heat ? '' : 'auto' }),
      '?': () => byName('help-box').showModal(),
    }[e.key];
    const tab = TABS[Number(e.key) - 1];
    if (!typing && run) run();
    else if (!typing && tab && this.state.recording) this.navigate({ tab });
    else if (this.graphHasKey(e)) {
      window.wickFlame.onKey(e); // it prevents what it has done
      return;
    } else if (typing || !this.view.find?.onKey(e)) return;
    e.preventDefault();
  }

  /** The graph has its letters everywhere, but the arrows only where nothing else would take them. */
  graphHasKey(e) {
    if (!window.wickFlame) return false;
    const focus = document.activeElement;
    if (focus && (focus.id === 'tree' || focus.id === 'query' || focus === document.body || focus.id === 'view')) return true;
    return /^[a-zA-Z/]$/.test(e.key);
  }
}

window.wickUi = new Ui();
