// SPDX-License-Identifier: Apache-2.0
// What is shown, as one value, and the address that holds all of it: "#/r/ID/cpu?event=cpu&from=...&thread=...".
//
// A state is plain data. Views change it only through navigate() (main.js), which writes the address; the address is then read
// back. So a link, the back button and a click are the same thing, and back and forward are undo and redo.

export const TABS = ['explain', 'slow', 'cpu', 'memory', 'interference', 'compare'];

/** Filters that the server applies, in the order of their chips. */
export const FILTERS = ['endpoint', 'label', 'thread', 'process', 'state', 'kind', 'package', 'filter', 'exclude', 'exclude_path'];
const WORDS = FILTERS.filter((key) => key !== 'label'); // of which there can be one each

/** Filters that the base of a comparison may have of its own; in the address and in questions each has this before its name. */
const BASE = 'base_';
const BASE_FILTERS = WORDS.map((key) => BASE + key);

const TEXTS = ['event', ...WORDS, 'search', 'trace', 'part', 'pick', 'around', 'base', 'show', 'group', 'heat', 'live_by', 'sort', 'focus', 'lock', 'safepoint', 'zoom', ...BASE_FILTERS];
const FLAGS = ['leaf', 'flip', 'own', 'idle', 'callers', 'split', 'absolute', 'whole'];

export function emptyState() {
  const state = { recording: '', tab: 'explain', from: 0, to: 0, labels: [], base_from: 0, base_to: 0, base_labels: [], kinds: 0 };
  for (const key of TEXTS) state[key] = '';
  for (const key of FLAGS) state[key] = false;
  return state;
}

function readTime(text) {
  return /^\d{1,19}$/.test(text ?? '') ? Number(text) : 0;
}

/** @param {string} hash as in location.hash; whatever it holds, the result is a whole state */
export function parseState(hash) {
  const state = emptyState();
  const [path, query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [, room, id, tab] = path.split('/');
  if (room !== 'r' || !id) return state;
  try {
    state.recording = decodeURIComponent(id);
  } catch {
    return state;
  }
  if (TABS.includes(tab)) state.tab = tab;
  const q = new URLSearchParams(query);
  for (const key of TEXTS) state[key] = q.get(key) ?? '';
  for (const key of FLAGS) state[key] = q.get(key) === '1';
  for (const side of ['', BASE]) {
    state[`${side}labels`] = q.getAll(`${side}label`).filter((l) => l.includes(':'));
    const [from, to] = [readTime(q.get(`${side}from`)), readTime(q.get(`${side}to`))];
    if (to > from) [state[`${side}from`], state[`${side}to`]] = [from, to];
  }
  state.kinds = Number.parseInt(q.get('kinds') ?? '0', 36) & 0x1fff;
  return state;
}

/** The address of a state; parseState() gives the same state back. */
export function formatState(state) {
  if (!state.recording) return '#/';
  const q = new URLSearchParams();
  for (const key of TEXTS) if (state[key]) q.set(key, state[key]);
  for (const side of ['', BASE]) for (const label of state[`${side}labels`]) q.append(`${side}label`, label);
  for (const key of FLAGS) if (state[key]) q.set(key, '1');
  if (state.kinds) q.set('kinds', state.kinds.toString(36));
  for (const side of ['', BASE]) {
    const [from, to] = [state[`${side}from`], state[`${side}to`]];
    if (to > from) for (const [key, value] of [['from', from], ['to', to]]) q.set(side + key, String(value));
  }
  const query = q.toString();
  return `#/r/${encodeURIComponent(state.recording)}/${state.tab}${query ? `?${query}` : ''}`;
}

/** The chosen time as parameters, none if all of it is. */
export function rangeOf({ from, to }) {
  return to > from ? [['from', String(from)], ['to', String(to)]] : [];
}

/** That flame graphs have one frame for those by which threads begin, unless whole stacks are asked for. */
export function foldOf(state) {
  return state.whole ? [] : [['fold', '1']];
}

/** The parameters of a query for the server: [key, value] pairs. `without` names what it must not hold. Of the wall clock, threads
 *  that wait for work are left out unless they are asked for. */
export function queryOf(state, without = []) {
  const out = [];
  const put = (key, value) => {
    if (value && !without.includes(key)) out.push([key, String(value)]);
  };
  put('event', state.event);
  for (const [key, value] of rangeOf(state)) put(key, value);
  for (const key of WORDS) put(key, state[key]);
  for (const label of state.labels) put('label', label);
  if (state.own) put('own', '1');
  if (state.eventKind === 'wall' && !state.idle) put('no_idle', '1');
  return out;
}

/** What the base of a comparison is chosen by, as a state of its own: its time range, and its filters if they are not those of both. */
export function baseState(state) {
  const own = state.split ? Object.fromEntries([...BASE_FILTERS.map((key) => [key.slice(BASE.length), state[key]]), ['labels', state.base_labels]]) : {};
  return { ...state, from: state.base_from, to: state.base_to, ...own };
}

/** A change of the base's own state as one of the whole state. */
export function basePatch(patch) {
  return Object.fromEntries(Object.entries(patch).map(([key, value]) => [BASE + key, value]));
}

/** What the base is chosen by, of any state. */
const SIDE = [...WORDS, 'labels'];
export function filtersOf(state) {
  return Object.fromEntries(SIDE.map((key) => [key, state[key]]));
}

/** The parameters of a comparison. What the base has not of its own is that of both sides, so what it has none of is sent empty. */
export function compareQueryOf(state) {
  const out = [['base', state.base], ...queryOf(state)];
  if (state.base_to > state.base_from) out.push(['base_from', String(state.base_from)], ['base_to', String(state.base_to)]);
  if (state.split) {
    for (const key of BASE_FILTERS) out.push([key, state[key]]);
    for (const label of state.base_labels.length ? state.base_labels : ['']) out.push([`${BASE}label`, label]);
  }
  if (state.absolute) out.push(['absolute', '1']);
  return out;
}

/** The chips of a state: [{key, text, without}], without = the state when the chip is removed. */
export function chipsOf(state) {
  const chips = [];
  for (const key of FILTERS) {
    if (key === 'label') {
      for (const label of state.labels)
        chips.push({ key: 'label', text: label, without: { ...state, labels: state.labels.filter((l) => l !== label) } });
    } else if (key === 'exclude_path') {
      const paths = pathsOf(state);
      for (const path of paths) chips.push({ key, text: path.replace(/^.*;(?=[^;]+;\*$)/, '\u2026;'), title: path, without: { ...state, [key]: paths.filter((p) => p !== path).join('\n') } });
    } else if (state[key]) chips.push({ key, text: state[key], without: { ...state, [key]: '' } });
  }
  return chips;
}

/** What leaves out the stacks through a frame, besides those that are left out already. */
export function leaveOut({ exclude }, name) {
  return { exclude: exclude ? `${exclude}|${exactly(name)}` : exactly(name), zoom: '' };
}

/** The paths of the subtrees that are left out. */
export function pathsOf({ exclude_path: paths }) {
  return paths ? paths.split('\n') : [];
}

// What the server takes of one question: conditions (with the method of the sandwich), bytes of all paths, and of them as sent, where
// semicolons are three bytes and other parameters follow.
const [MOST_CONDITIONS, MOST_PATH_BYTES, MOST_QUERY_BYTES] = [31, 8000, 12000];

/** Whether the server would take a question with all filters of a state. */
export function fitsQuestion(state) {
  const fits = (s) => s.labels.length + pathsOf(s).length + WORDS.filter((key) => s[key] && key !== 'exclude_path').length <= MOST_CONDITIONS
    && new TextEncoder().encode(s.exclude_path).length <= MOST_PATH_BYTES;
  return fits(state) && fits(baseState(state)) && String(new URLSearchParams(compareQueryOf(state))).length <= MOST_QUERY_BYTES;
}

/** A name as it stands in a path. */
const escaped = (name) => (name === '*' ? '\\x2a' : name.replace(/[;\\\n\r]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`));

/** What leaves out one subtree more, null if no question would have room for it. @param names of its frames, root first @param open whether
 *  a stack may have other frames before, and after them */
export function leaveOutPath(state, names, [before, after]) {
  const path = [...(before ? ['*'] : []), ...names.map(escaped), ...(after ? ['*'] : [])].join(';');
  const more = (key) => ({ [key]: [...new Set([...pathsOf({ exclude_path: state[key] }), path])].join('\n') });
  const patch = { ...more('exclude_path'), ...(state.split && more(`${BASE}exclude_path`)) };
  return fitsQuestion({ ...state, ...patch }) ? patch : null;
}

/** A name as an expression that matches it and nothing else. */
export function exactly(name) {
  return `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
}
