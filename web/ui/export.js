// SPDX-License-Identifier: Apache-2.0
// What is shown, to take along: the command line that shows the same, and files in the formats of other programs.
import { of } from './api.js';
import { button, h, say } from './dom.js';
import { compareQueryOf, exactly, foldOf, pathsOf, queryOf, rangeOf } from './state.js';
import { slots } from './view.js';

const FORMATS = [['html', 'Page', 'interactive flame graph in one file'], ['heatmap', 'Heatmap', 'of time, with the flame graph of any range, in one file'], ['svg', 'SVG', 'flame graph as a picture'], ['pprof', 'pprof', 'for go tool pprof and Grafana'],
  ['speedscope', 'speedscope', 'for speedscope.app'], ['collapsed', 'Collapsed stacks', 'a line for each stack'], ['csv', 'CSV', 'a table of stacks'], ['otlp', 'OTLP', 'OpenTelemetry profiles']];

const MOST_PICTURES = 14;

/** A word for a shell: sh, bash, zsh and fish, which takes a backslash in single quotes for an escape, so that it stands outside of them.
 *  What a terminal would obey when it is pasted is written as an escape, and then no quote is, for shells without $'...'. */
export function shellWord(text) {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  const escape = (c) => {
    const code = c.codePointAt(0);
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
  };
  // eslint-disable-next-line no-control-regex
  const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/gu;
  if (text.search(unsafe) < 0) return `'${text.replace(/['\\]/g, (c) => `'\\${c}'`)}'`;
  return `$'${text.replace(/['\\]/g, escape).replace(unsafe, escape)}'`;
}

/** "@1700000157.5": a point in time for --from and --to. */
function pointOf(ns) {
  const digits = String(BigInt(ns)).padStart(10, '0');
  return `@${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

function timeOf({ from, to }) {
  return to > from ? ['--from', pointOf(from), '--to', pointOf(to)] : [];
}

function chosen(state) {
  const out = state.event ? ['-e', state.event] : [];
  const put = (option, value) => value && out.push(option, value);
  out.push(...timeOf(state));
  for (const option of ['thread', 'process', 'state', 'exclude']) put(`--${option}`, state[option]);
  for (const path of pathsOf(state)) put('--exclude-path', path);
  put('--include', state.filter);
  if (state.package) out.push('--include', `${exactly(state.package).slice(0, -1)}\\.`);
  if (state.kind) out.push('--where', `kind~${state.kind}`);
  if (state.endpoint) out.push('--where', `endpoint=${state.endpoint}`);
  for (const label of state.labels) out.push('--where', label.replace(':', '='));
  if (state.eventKind === 'wall' && !state.idle) out.push('--no-idle');
  if (state.own) out.push('--own');
  return out;
}

/** The request of a page for which no command has the options. */
function requestOf(recording, what, query) {
  return ['curl', '-H', 'Authorization: Bearer TOKEN', `${globalThis.location?.origin ?? ''}/api/v1/${of(recording.id, what)}?${new URLSearchParams(query)}`];
}

/** `wick diff`, where both sides have the same filters; otherwise the request that the page makes. */
function compareCommand(state, recording, base) {
  const [, from, , to] = timeOf({ from: state.base_from, to: state.base_to });
  const before = to ? ['--before-from', from, '--before-to', to] : state.to > state.from ? ['--before-from', '0%'] : [];
  if (!state.split) return ['wick', 'diff', ...chosen(state), ...before, ...(state.whole ? [] : ['--fold-starts']), ...(state.absolute ? ['--absolute'] : []), base?.path ?? 'BEFORE.jfr', recording.path, '-o', 'diff.html'];
  return requestOf(recording, 'diff/table', compareQueryOf(state));
}

/** How stacks are shown on the page CPU, as words of a command and as parameters of a file. */
export function stacksOf(state) {
  const { show, focus, group, callers, leaf, whole } = state;
  if (show === 'groups') {
    const by = group || 'thread';
    return { command: by === 'thread' ? ['--threads'] : ['--by', by], query: [['by', by]] };
  }
  if (show === 'sandwich' && focus) return { command: [callers ? '--callers-of' : '--callees-of', focus], query: [[callers ? 'callers_of' : 'callees_of', focus]] };
  if (show) return { command: [], query: [] };
  return { command: [...(whole ? [] : ['--fold-starts']), ...(leaf ? ['--reverse'] : [])], query: [...foldOf(state), ...(leaf ? [['reverse', '1']] : [])] };
}

/** Whether the samples of an event lie in time: objects are counted at one moment, and some formats of profiles have no times. */
export function hasTimes(state, recording) {
  return recording.events.length > 0 && state.eventKind !== 'live' && (recording.live || recording.end_ns > recording.start_ns);
}

/** The commands that show what a page shows, the first of them most of it. */
export function commandsOf(state, recording, base) {
  const out = [commandOf(state, recording, base)];
  if (recording.content === 'heap') return out;
  if (state.tab === 'slow' && state.trace) out.push(commandOf({ ...state, trace: '' }, recording));
  if (state.tab === 'cpu' && state.heat && hasTimes(state, recording)) out.push(['wick', 'heatmap', ...chosen(state), ...stacksOf(state).command, recording.path, '-o', 'heatmap.html']);
  if (state.tab === 'memory' && recording.events.some((e) => e.kind === 'live')) out.push(['wick', 'top', '--growth', '--by', state.live_by === 'method' ? 'method' : 'object', ...timeOf(state), recording.path]);
  if (state.tab === 'interference') out.push(...['ttsp', 'locks'].map((name) => ['wick', name, ...timeOf(state), recording.path]));
  return out;
}

/** The words of the command that shows what a page shows. base: the recording that it is compared with. */
export function commandOf(state, recording, base) {
  const { tab, show } = state;
  if (recording.content === 'heap') return ['wick', 'heap', recording.path, '-o', 'heap.html'];
  const only = { explain: 'explain', interference: 'explain', memory: 'memory' }[tab];
  if (only) return ['wick', only, ...timeOf(state), recording.path];
  if (tab === 'slow' && state.trace) return ['wick', 'trace', recording.path, state.trace, '-o', 'trace.html'];
  if (tab === 'slow') return ['wick', 'endpoints', ...timeOf(state), recording.path, '-o', 'endpoints.html'];
  if (tab === 'compare') return compareCommand(state, recording, base);
  if (show === 'methods') return ['wick', 'top', ...chosen(state), recording.path];
  if (show === 'threads') return ['wick', 'top', '--by', 'thread', ...chosen(state), recording.path];
  if (show === 'lines' && state.focus) return ['wick', 'top', '--lines', ...chosen(state), '--include', exactly(state.focus), recording.path];
  return ['wick', 'flame', ...chosen(state), ...stacksOf(state).command, recording.path, '-o', 'flame.html'];
}

/** The menu at the end of the tabs. */
export class ExportMenu {
  constructor() {
    this.commandsHead = h('h2');
    this.commands = h('div');
    this.files = h('ul.export-files');
    this.filesHead = h('h2', 'What is shown, as a file');
    this.pictures = h('ul.export-files.export-pictures');
    this.picturesHead = h('h2', 'Pictures of this page, as PNG and SVG');
    this.tables = h('ul.export-files.export-pictures');
    this.tablesHead = h('h2', 'What this page is drawn from, as CSV');
    this.box = h('div.export-box', this.commandsHead, this.commands, this.filesHead, this.files, this.tablesHead, this.tables, this.picturesHead, this.pictures);
    this.root = h('details.export', h('summary.plain', 'Export'), this.box);
    this.root.addEventListener('toggle', () => this.root.open && this.offer());
    this.root.addEventListener('keydown', (e) => {
      if (e.key !== 'Escape' || !this.root.open) return;
      this.root.open = false;
      this.root.querySelector('summary').focus();
      e.stopPropagation();
    });
    this.away = (e) => {
      if (this.root.open && !this.root.contains(e.target)) this.root.open = false;
    };
    document.addEventListener('pointerdown', this.away);
  }

  release() {
    document.removeEventListener('pointerdown', this.away);
  }

  update(context) {
    const { state, recording, recordings } = context;
    this.name = recording.name;
    const said = commandsOf(state, recording, recordings.find((r) => r.id === state.base)).map((words) => words.map(shellWord));
    const text = said.join('\n');
    if (text !== this.said) this.commands.replaceChildren(...said.map((words) => this.line(words)));
    this.said = text;
    this.commandsHead.textContent = said.length > 1 ? 'Commands that show the same' : 'The command that shows the same';
    const files = this.filesOf(state, recording);
    this.files.hidden = this.filesHead.hidden = !files.length;
    this.files.replaceChildren(...files.map(([href, name, text]) => h('li', h('a', { href, download: true }, name), h('span.quiet', ` ${text}`))));
  }

  /** A command, ready to be copied. */
  line(words) {
    const text = words.join(' ');
    const command = h('code', ...words.flatMap((word, i) => [i ? ' ' : '', h('span', word)]));
    const which = words.slice(0, 2).join(' ');
    const call = (verb) => {
      copy.textContent = verb;
      copy.setAttribute('aria-label', `${verb}: ${which}`);
    };
    const copy = button('Copy', async () => {
      try {
        await navigator.clipboard.writeText(text);
        call('Copied');
      } catch {
        getSelection().selectAllChildren(command);
        call('Selected');
      }
      say(copy.getAttribute('aria-label'));
      setTimeout(() => call('Copy'), 1500);
    });
    call('Copy');
    return h('div.export-command', command, copy);
  }

  /** What is there when the menu is opened. */
  async offer() {
    this.png ??= await import('./png.js'); // not before it is needed
    this.csv ??= await import('./csv.js');
    this.offerPictures();
    const many = new Map();
    const found = [...slots].filter((s) => s.isSeen).flatMap((s) => [...this.csv.tablesOf(s.answer)].map(([name, rows]) => {
      const what = s.csvName ?? s.what.replace(/^trace\/.*/, 'trace').replace('/', ' ');
      const text = what.endsWith(name) || what.startsWith(`${name} of `) ? what : `${what}, ${name.replace(`${what}.`, '')}`;
      many.set(text, (many.get(text) ?? 0) + 1);
      return [many.get(text) > 1 ? `${text} ${many.get(text)}` : text, rows];
    }));
    this.tablesHead.hidden = this.tables.hidden = !found.length;
    this.tables.replaceChildren(...found.map(([name, rows]) => h('li', button(name, () => {
      this.keep(this.csv.csvOf(rows), 'text/csv', this.png.fileNameOf(this.name, name, 'csv'));
    }, { 'aria-label': `${name} as CSV, ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}` }))));
  }

  offerPictures() {
    const { fileNameOf, picturesIn, svgOf } = this.png;
    const found = picturesIn(document.getElementById('view')).filter(({ picture }) => !this.root.contains(picture));
    const many = new Map();
    const named = found.map(({ name, picture }) => {
      const n = (many.get(name) ?? 0) + 1;
      many.set(name, n);
      return { name: n > 1 ? `${name} ${n}` : name, picture };
    });
    this.picturesHead.hidden = this.pictures.hidden = !named.length;
    this.pictures.replaceChildren(...named.slice(0, MOST_PICTURES).map(({ name, picture }) => h('li', {},
      button(name, () => this.save(picture, fileNameOf(this.name, name)), { 'aria-label': `${name} as PNG` }),
      picture.matches('svg') ? button('SVG', () => this.keep(svgOf(picture), 'image/svg+xml', fileNameOf(this.name, name, 'svg')), { 'aria-label': `${name} as SVG` }) : null)));
  }

  keep(text, type, file) {
    this.png.keepFile(new Blob([text], { type }), file);
    say(`Saved as ${file}`);
  }

  async save(picture, file) {
    try {
      await this.png.savePng(picture, file);
      say(`Saved as ${file}`);
    } catch (e) {
      this.pictures.replaceChildren(h('li', { role: 'alert' }, `${e.message}. Make the window smaller and try again.`));
    }
  }

  /** [address, name, what it is] of each file of the server. */
  filesOf(state, recording) {
    const file = (what, query, ...said) => [`/api/v1/${of(recording.id, what)}?${new URLSearchParams(query)}`, ...said];
    const html = [['format', 'html']];
    if (recording.content === 'heap') return [file('heap', html, 'Page', 'classes by what they keep alive, and the suspects, in one file')];
    if (state.tab === 'slow') {
      return [...(state.trace ? [file(`trace/${encodeURIComponent(state.trace)}`, html, 'Trace', 'a page with its timeline in one file')] : []),
        file('endpoints', [...rangeOf(state), ...html], 'Endpoints', 'a page with the table, and latency over time, in one file')];
    }
    if (state.tab === 'cpu') {
      return FORMATS.filter(([format]) => format !== 'heatmap' || hasTimes(state, recording))
        .map(([format, ...said]) => file('export', [['format', format], ...queryOf(state), ...stacksOf(state).query], ...said));
    }
    if (state.tab !== 'compare' || !state.base) return [];
    const query = compareQueryOf(state);
    return [file('diff', [...query, ...foldOf(state), ...html], 'Page', 'difference flame graph in one file'),
      ...[['csv', 'CSV', 'methods before and after, with intervals'], ['json', 'JSON', 'the same']].map(([format, ...said]) => file('diff/table', [...query, ['rows', '0'], ['format', format]], ...said))];
  }
}
