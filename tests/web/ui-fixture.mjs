// SPDX-License-Identifier: Apache-2.0
// A server with the interface of `wick ui` (docs/ui-api.json) for the tests of its pages: it serves web/ as the command does and answers
// from the real commands (`wick flame`, `top`, `endpoints`, `trace`, `explain`, `memory`) or, where no command prints the same, from a
// `wick ui` of its own, so no answer is made up; JVMs, the growth of a recording and errors are as the test sets them.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
export const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a `wick ui` answers. */
const REAL = ['memory/series', 'live/series', 'collections', 'export', 'heat', 'latency', 'traces', 'locks', 'safepoints', 'disturbances', 'lines', 'heap', 'threads', 'table', 'labels', 'diff', 'diff/table'];
const isReal = (what, q) => REAL.includes(what) || q.get('format') === 'html' || q.has('callers_of') || q.has('callees_of') || (what === 'flame' && q.has('by')) || (['endpoints', 'explain', 'memory'].includes(what) && q.has('from'));

/** A recording as the interface lists it, from what the commands say of the file. */
export function describe(wick, id, path, more = {}) {
  const events = [];
  for (const kind of ['cpu', 'wall', 'alloc', 'lock', 'live']) {
    let table;
    try {
      table = JSON.parse(execFileSync(wick, ['top', '--json', '-e', kind, path], { stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch {
      continue; // it has none of this kind
    }
    events.push({ name: table.event, kind, unit: table.unit, samples: table.samples, total: table.weight });
  }
  const { traces } = events.length && !more.start_ns ? JSON.parse(execFileSync(wick, ['trace', '--json', path], { stdio: ['ignore', 'pipe', 'ignore'] })) : { traces: [] };
  const start = Math.min(...traces.map((t) => t.start_ns));
  return { id, name: path.split('/').pop(), path, size_bytes: statSync(path).size, start_ns: start, end_ns: start + 2e9, live: false, unfinished: false, here: false,
    pid: null, problem: null, events, marks: [], ...more };
}

/** A heap dump as the interface lists it. */
export function describeHeap(id, path) {
  return { id, name: path.split('/').pop(), path, content: 'heap', size_bytes: statSync(path).size, start_ns: 0, end_ns: 0, live: false, unfinished: false, here: false, pid: null, problem: null, events: [], marks: [] };
}

export class Fixture {
  /** @param options {web, wick, dir: for files, recordings: [{id, path, events, ...}], unlisted: paths that a test lists later, jvms} */
  constructor(options) {
    this.options = options;
    this.recordings = new Map(options.recordings.map((r) => [r.id, { ...r }]));
    this.jvms = options.jvms ?? [];
    this.streams = new Set();
    this.acts = [];
    this.asked = [];
    this.busy = 0; // requests that are being answered
    this.kept = new Map();
    this.parts = 0; // so many of the next explanations are of a part
    this.ofParts = null; // what comparisons say of the parts that they are of
    this.crowded = 0; // so many of the next questions about recordings are refused, since others are being read
    this.server = createServer((req, res) => this.serve(req, res));
  }

  async listen() {
    this.real = spawn(this.options.wick, ['ui', '--no-open', '--source', this.options.sources, ...this.options.recordings.map((r) => r.path), ...(this.options.unlisted ?? [])], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [address] = await once(createInterface(this.real.stdout), 'line');
    const { origin, searchParams } = new URL(address);
    this.ask = async (path) => (await fetch(`${origin}/api/v1/${path}`, { headers: { Authorization: `Bearer ${searchParams.get('token')}` } }));
    this.realIds = new Map((await (await this.ask('recordings')).json()).recordings.map((r) => [r.path, r.id]));
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}/`;
  }

  close() {
    this.real?.kill();
    for (const s of this.streams) s.end();
    this.server.closeAllConnections?.();
    this.server.close();
  }

  /** Sends a recording that has changed to all pages. */
  push(recording) {
    this.recordings.set(recording.id, recording);
    for (const s of this.streams) s.write(`event: recording\ndata: ${JSON.stringify(recording)}\n\n`);
  }

  run(...args) {
    const key = args.join('\u0000');
    if (!this.kept.has(key)) this.kept.set(key, execFileSync(this.options.wick, args, { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] }).toString());
    return this.kept.get(key);
  }

  make(...args) {
    execFileSync(this.options.wick, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  }

  serve(req, res) {
    const url = new URL(req.url, this.url);
    if (url.pathname.startsWith('/api/v1/')) return this.answer(req, res, url);
    const path = url.pathname === '/' ? 'ui/index.html' : url.pathname.replace(/^\/ui\//, '');
    if (!/^[a-z]+\/[a-z_]+\.(html|js|css|svg)$/.test(path)) return this.send(res, 404, { error: 'not_found', why: 'There is no such page.', what_to_do: '' });
    res.writeHead(200, { 'Content-Type': TYPES[path.split('.').pop()], 'Content-Security-Policy': CSP });
    res.end(readFileSync(join(this.options.web, path)));
  }

  send(res, status, body) {
    res.writeHead(status, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(body));
  }

  async answer(req, res, url) {
    const parts = url.pathname.slice('/api/v1/'.length).split('/').map(decodeURIComponent);
    this.asked.push(`${req.method} ${parts.join('/')}${url.search}`);
    if (parts[0] === 'events') {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      res.write(': hello\n\n');
      this.streams.add(res);
      req.on('close', () => this.streams.delete(res));
      return undefined;
    }
    this.busy++;
    res.on('close', () => this.busy--);
    if (parts[0] === 'jvms' && parts[2] === 'heap') return this.heapOf(res);
    if (parts[0] === 'jvms') return this.send(res, 200, { jvms: this.jvms });
    if (req.method === 'POST') return this.act(req, res, parts);
    if (parts.length === 1) return this.send(res, 200, { recordings: [...this.recordings.values()] });
    const recording = this.recordings.get(parts[1]);
    if (!recording) return this.send(res, 404, { error: 'not_found', why: `There is no recording ${parts[1]}.`, what_to_do: 'The list of recordings shows what there is.' });
    if (this.crowded > 0) {
      this.crowded--;
      return this.send(res, 429, { error: 'too_many', why: `${recording.name} is not read now: 8 large recordings are being read already`, what_to_do: '' });
    }
    if (parts.length === 2) return this.send(res, 200, recording);
    const what = parts.slice(2).join('/');
    const base = this.recordings.get(url.searchParams.get('base'));
    if (base) url.searchParams.set('base', this.realIds.get(base.path));
    if (isReal(what, url.searchParams)) return this.pass(res, `recordings/${this.realIds.get(recording.path)}/${what}${url.search}`, parts[2] === 'diff' && url.searchParams.get('partial') === '1' && this.ofParts);
    try {
      const answer = this.query(recording, parts[2], parts[3], url.searchParams);
      const part = what === 'explain' && url.searchParams.get('partial') === '1' && this.parts > 0 && this.parts--;
      return this.send(res, 200, part ? { partial: true, ...answer } : answer);
    } catch (e) {
      return this.send(res, 422, { error: 'unreadable', why: sentence(String(e.stderr ?? e.message)), what_to_do: '' });
    }
  }

  /** What `wick heap` says of the heap dump, as of a JVM. */
  heapOf(res) {
    if (this.refuse) return this.send(res, 409, this.refuse);
    const dump = [...this.recordings.values()].find((r) => r.content === 'heap');
    return this.send(res, 200, JSON.parse(this.run('heap', '--json', dump.path)));
  }

  async act(req, res, parts) {
    let body = '';
    for await (const piece of req) body += piece;
    if (parts[2] === 'stop') {
      const ended = { ...this.recordings.get(parts[1]), live: false };
      this.push(ended);
      return this.send(res, 200, ended);
    }
    if (this.refuse) return this.send(res, 409, this.refuse);
    if (parts[2] === 'rename') {
      const { name } = JSON.parse(body);
      const now = { ...this.recordings.get(parts[1]), id: `${parts[1]}-renamed`, name: `${name}.jfr` };
      this.recordings.delete(parts[1]);
      this.acts.push(['rename', { name }]);
      this.push(now);
      return this.send(res, 200, now);
    }
    if (parts.length === 3) {
      const now = this.recordings.get(parts[1]);
      const said = JSON.parse(body);
      this.acts.push([parts[2], said]);
      if (parts[2] === 'mark') now.marks = [...now.marks, { time_ns: now.start_ns + (now.end_ns - now.start_ns) / 4, text: said.text }];
      this.push({ ...now });
      return this.send(res, 200, now);
    }
    const { pid } = JSON.parse(body);
    const first = this.options.recordings[0];
    const made = { ...first, id: `r${pid}`, name: `recording of ${pid}`, live: true, here: true, pid };
    this.push(made);
    return this.send(res, 201, made);
  }

  /** The answer of a `wick ui`, as it is, or with more members. */
  async pass(res, path, more) {
    const answer = await this.ask(path);
    if (more && answer.ok) return this.send(res, 200, { ...more, ...await answer.json() });
    const headers = ['content-type', 'content-disposition'].filter((k) => answer.headers.has(k)).map((k) => [k, answer.headers.get(k)]);
    res.writeHead(answer.status, Object.fromEntries(headers));
    return res.end(Buffer.from(await answer.arrayBuffer()));
  }

  query(recording, what, more, q) {
    const event = recording.events.find((e) => e.name === q.get('event')) ?? recording.events[0];
    const file = recording.path;
    if (what === 'flame') return this.flame(recording, event, q);
    if (what === 'series') return series(recording, event, q);
    if (what === 'endpoints') return JSON.parse(this.run('endpoints', '--json', file));
    if (what === 'trace') return JSON.parse(this.run('trace', '--json', file, more));
    if (what === 'explain') return JSON.parse(this.run('explain', '--json', file));
    if (what === 'memory') return JSON.parse(this.run('memory', '--json', file));
    throw new Error(`no query ${what}`);
  }

  flame(recording, event, q) {
    const out = join(this.options.dir, 'flame.html');
    this.make('flame', '-e', event.name, ...filters(q), recording.path, '-o', out);
    const data = /id="data">([^<]*)</.exec(readFileSync(out, 'utf8'))[1];
    return { event: event.name, kind: event.kind, unit: event.unit, weight: event.total, samples: event.samples, own: 0, nodes: 0, truncated: false, start_ns: recording.start_ns, end_ns: recording.end_ns, data };
  }
}

/** What a command says, as the server passes it on. */
function sentence(text) {
  const said = text.replace(/^wick: /, '').trim();
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

function filters(q) {
  const out = [];
  if (q.get('thread')) out.push('--thread', q.get('thread'));
  if (q.get('filter')) out.push('--include', q.get('filter'));
  if (q.get('exclude')) out.push('--exclude', q.get('exclude'));
  for (const path of q.get('exclude_path')?.split('\n') ?? []) out.push('--exclude-path', path);
  if (q.get('process')) out.push('--process', q.get('process'));
  if (q.get('kind')) out.push('--where', `kind~${q.get('kind')}`);
  if (q.get('package')) out.push('--include', `^${q.get('package').replaceAll('.', '\\.')}\\.`);
  return out;
}

/** The time axis needs a picture, not a truth: a wave that is the same each time. */
function series(recording, event, q) {
  const bins = Number(q.get('bins') ?? 200);
  const names = q.get('by') === 'state' ? ['STATE_RUNNABLE', 'STATE_WAITING_FOR_CPU', 'STATE_BLOCKED_ON_MONITOR_ENTER', 'STATE_SLEEPING'] : ['C2', 'Inlined', 'Native', 'Kernel', 'C++'];
  const bin = (recording.end_ns - recording.start_ns) / bins;
  return { event: event.name, unit: event.unit, start_ns: recording.start_ns, bin_ns: bin, bins, by: q.get('by') ?? 'kind', series: names.map((name, k) => {
    const values = Array.from({ length: bins }, (_, i) => Math.round((bin / (k + 1)) * (0.6 + 0.4 * Math.sin(i / (5 + k)) * Math.cos(i / 17))));
    return { name, unit: event.unit, total: values.reduce((a, b) => a + b, 0), values };
  }) };
}
