// SPDX-License-Identifier: Apache-2.0
// What goes wrong while JVMs are recorded in the browser, with the real `wick ui` and real JVMs: a full disk, a JVM that dies, a
// connection that breaks or falls silent, a `wick ui` that is killed. Each is said, with what to do, and nothing is lost.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, statfsSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const JAR = join(WICK, '..', 'java', 'wick-demo.jar');
const JAVA = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
const SHOTS = process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
const PATIENCE = Number(process.env.PATIENCE ?? 600e3); // of a machine that has other work; nothing here is judged by how long it takes
const ROOM = 4 << 20;
const work = mkdtempSync(join(tmpdir(), 'wick-failures-'));
const started = [];
const mounted = [];
let browser;
let context;
let page;
let service;
let ui;
let trouble = [];

/** Starts a program and waits for a line of its output. */
async function start(line, program, ...args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  for await (const text of createInterface(child.stdout)) {
    const match = line.exec(text);
    if (match) {
      child.stdout.resume();
      return { child, match };
    }
  }
  throw new Error(`${program} ${args.join(' ')} ended early`);
}

/** A service that computes without being asked to. */
async function startService() {
  const { child, match } = await start(/listening on 127\.0\.0\.1:(\d+) pid (\d+)/, JAVA, '-Xmx64m', '-jar', JAR);
  const load = spawn(JAVA, ['-Xmx64m', '-cp', JAR, 'wick.demo.LoadGen', '--port', match[1], '--seconds', '3600', '--rate', '10', '--mix', 'cpu?rounds=200=240,compress=10'], { stdio: 'ignore' });
  started.push(load);
  return { child, load, pid: match[2] };
}

async function end(child, signal = 'SIGKILL') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** A way to the server that can be cut. Both ends see their own port in Host and Origin, as with ssh -L of the same number. */
class Way {
  async open(address, port = 0) {
    const { port: real, searchParams } = new URL(address);
    const fix = (text) => text?.replace(`:${this.port}`, `:${real}`);
    this.sockets = new Set();
    this.agent = new Agent();
    this.server = createServer((req, res) => {
      const { host, origin, ...headers } = req.headers;
      const on = request({ host: '127.0.0.1', port: real, path: req.url, method: req.method, agent: this.agent, headers: { ...headers, host: fix(host), ...(origin ? { origin: fix(origin) } : {}) } }, (back) => {
        res.writeHead(back.statusCode, back.headers);
        back.on('data', (data) => this.silent || res.write(data));
        back.on('end', () => this.silent || res.end());
        back.on('error', () => res.destroy());
      });
      on.on('error', () => res.destroy());
      res.on('close', () => on.destroy());
      if (!this.silent) req.pipe(on);
    });
    this.server.on('connection', (s) => this.sockets.add(s) && s.on('close', () => this.sockets.delete(s)));
    this.silent = false;
    await new Promise((done) => this.server.listen(port, '127.0.0.1', done));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}/?token=${searchParams.get('token')}`;
  }

  async cut() {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const s of this.sockets) s.destroy();
    await closed;
  }

  /** Everything that is on its way, or is sent from now on, gets no answer; connections stay. */
  hush() {
    this.silent = true;
  }
}

async function startUi(...args) {
  const { child, match } = await start(/^(http:\S+)/, WICK, 'ui', '--no-open', ...args);
  return { child, address: match[1], port: new URL(match[1]).port };
}

async function openPage(url) {
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack}`));
  await page.goto(url);
  await page.waitForSelector('.jvm');
}

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  service = await startService();
  browser = await launch();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
});

after(async () => {
  await browser?.close();
  await Promise.all(started.map((child) => end(child)));
  for (const dir of mounted) execFileSync('umount', ['-l', dir]);
  rmSync(work, { recursive: true });
});

const tab = (name) => page.click(`.tabs a:has-text("${name}")`);
const wick = (...args) => execFileSync(WICK, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
const status = (pid, key) => new RegExp(`^${key}=(.*)$`, 'm').exec(wick('status', pid))?.[1];
const banner = () => page.textContent('#connection');

/** From the start page: records the JVM, and waits until there is something to see. */
async function record(pid) {
  await page.click('a.home');
  await page.click(`.jvm:has-text("process ${pid} ") button.record`);
  await page.waitForSelector('.badge.live');
  await page.waitForFunction(() => window.wickFlame?.profile.count > 5);
}

const stopped = () => page.waitForFunction(() => !document.querySelector('.badge.live'));

/** CPU samples that a command reads from the file. */
function samplesIn(file) {
  return JSON.parse(wick('top', '--json', '-e', 'cpu', file)).samples;
}

async function shoot(name) {
  await page.screenshot({ path: join(SHOTS, name) });
  assert.deepEqual(trouble, []);
}

function fill(dir) {
  for (let i = 0, size = ROOM; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(join(dir, `fill${i++}`), Buffer.alloc(size), { flag: 'wx' });
    } catch (e) {
      assert.equal(e.code, 'ENOSPC');
    }
  }
  assert.equal(statfsSync(dir).bavail, 0);
}

function empty(dir) {
  for (let i = 0; i < 1000; i++) rmSync(join(dir, `fill${i}`), { force: true });
}

test('a disk that is full: said at once, with what to do; the recording goes on when there is room', { skip: process.getuid() ? 'only root can make a small file system' : false }, async () => {
  const dir = join(work, 'small');
  mkdirSync(dir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM}`, 'tmpfs', dir]);
  mounted.push(dir);
  ui = await startUi('--dir', dir, dir);
  await openPage(ui.address);
  await record(service.pid);
  const file = await page.evaluate(() => window.wickUi.recordings.find((r) => r.live).path);
  fill(dir);
  await page.waitForSelector('.recording-frame > .problem:not([hidden])');
  assert.match(await page.textContent('.problem'), /disk is full.*until there is room/i);
  await shoot('ui-full-disk.png');
  assert.ok(samplesIn(file) > 0, 'what was written before can be read');
  assert.equal(status(service.pid, 'running'), '1');
  await page.click('button:has-text("Mark")');
  await page.fill('dialog input[name="text"]', 'lost');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog .error');
  assert.match(await page.textContent('dialog .error'), /the mark is not in the recording.*disk is full.*free some space/is);
  const before = statSync(file).size;
  empty(dir);
  await page.waitForFunction(() => /for a while there was no room/i.test(document.querySelector('.recording-frame > .problem').textContent));
  await page.fill('dialog input[name="text"]', 'there is room');
  await page.click('dialog.ask button.primary');
  await page.waitForSelector('dialog.ask', { state: 'detached' });
  while (statSync(file).size <= before) await page.waitForTimeout(100);
  await page.click('button:has-text("Stop")');
  await stopped();
  assert.match(await page.textContent('.recording-frame > .problem'), /for a while there was no room/i, 'and it stays known');
  await page.waitForFunction(() => window.wickUi.recordings.find((r) => r.id === window.wickUi.state.recording).marks.length > 0);
  assert.deepEqual(await page.evaluate(() => window.wickUi.recordings.find((r) => r.id === window.wickUi.state.recording).marks.map((m) => m.text)), ['there is room'], 'a mark that was refused is not there, one that was not is');

  await record(service.pid);
  const second = await page.evaluate(() => window.wickUi.recordings.find((r) => r.live).path);
  fill(dir);
  await page.waitForFunction(() => /disk is full/i.test(document.querySelector('.recording-frame > .problem').textContent));
  await page.click('button:has-text("Stop")');
  await stopped();
  assert.match(await page.textContent('.recording-frame > .problem'), /disk is full.*missing/i);
  assert.ok(samplesIn(second) > 0);

  await page.click('a.home');
  await page.click(`.jvm:has-text("process ${service.pid} ") button.record`);
  await page.waitForSelector('.error:has-text("did not start")');
  assert.match(await page.textContent('.error'), /nothing can be written to .*disk is full.*free some space/is);
  await shoot('ui-full-disk-start.png');
  assert.equal(status(service.pid, 'running'), '0', 'and it is not left running');
  await page.waitForSelector(`.jvm:has-text("process ${service.pid} ") button.record:not([disabled])`);
  assert.equal(service.child.exitCode, null);
  await page.close();
  await end(ui.child, 'SIGINT');
});

test('a name that cannot be given: said, and the recording stays what it was; it needs no room on a full disk', { skip: process.getuid() ? 'only root can make a small file system' : false }, async () => {
  const dir = join(work, 'kept');
  mkdirSync(dir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM}`, 'tmpfs', dir]);
  mounted.push(dir);
  ui = await startUi('--dir', dir, dir);
  await openPage(ui.address);
  await record(service.pid);
  await page.click('button:has-text("Stop")');
  await stopped();
  const file = await page.evaluate(() => window.wickUi.recordings.find((r) => r.here).path);
  const samples = samplesIn(file);
  assert.ok(samples > 0);
  execFileSync('mount', ['-o', 'remount,ro', dir]);
  await page.click('button:has-text("Rename")');
  await page.fill('dialog.ask input', 'after');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog .error');
  assert.match(await page.textContent('dialog .error'), /cannot be renamed.*cannot be written to.*read-only.*copy the file/is);
  await shoot('ui-rename-read-only.png');
  assert.equal(samplesIn(file), samples, 'it has its name and all it had');
  assert.ok(file.endsWith(await page.textContent('#title')));
  execFileSync('mount', ['-o', 'remount,rw', dir]);
  fill(dir);
  await page.click('dialog.ask button.primary');
  await page.waitForSelector('dialog.ask', { state: 'detached' });
  await page.waitForFunction(() => document.getElementById('title').textContent === 'after.jfr');
  assert.equal(samplesIn(join(dir, 'after.jfr')), samples);
  assert.equal(existsSync(file), false);
  await page.waitForFunction(() => window.wickFlame?.profile.count > 5); // the picture is there under the new name
  await page.close();
  await end(ui.child, 'SIGINT');
});

test('a JVM that is killed: said, and its recording can be read', async () => {
  const dir = join(work, 'killed');
  mkdirSync(dir);
  ui = await startUi('--dir', dir, dir);
  await openPage(ui.address);
  const victim = await startService();
  await record(victim.pid);
  const file = await page.evaluate(() => window.wickUi.recordings.find((r) => r.live).path);
  await end(victim.load);
  await end(victim.child);
  await stopped();
  await page.waitForSelector('.recording-frame > .problem:not([hidden])');
  assert.match(await page.textContent('.problem'), new RegExp(`process ${victim.pid} ended`, 'i'));
  assert.ok(await page.evaluate(() => window.wickFlame.profile.count) > 5, 'the picture stays');
  await tab('Explain');
  await page.waitForSelector('.sentence, .empty');
  assert.ok(samplesIn(file) > 0);
  await shoot('ui-killed.png');
  await page.click('a.home');
  assert.match(await page.textContent('.recording'), /ended during the recording/);
  await page.close();
});

test('a connection that breaks: the page keeps what it has, says so, and goes on when it is there again', async () => {
  const way = new Way();
  await way.open(ui.address);
  await openPage(way.url);
  await record(service.pid);
  await page.fill('.adder input', 'CpuWork');
  await page.selectOption('.adder select', 'filter');
  await page.evaluate(() => {
    window.wickFlame.profile.before = true;
    document.querySelector('.adder button').click();
  });
  // the picture of before has it as well; while that of the filter is under way, there is none to keep
  await page.waitForFunction(() => location.hash.includes('filter=') && window.wickFlame && !window.wickFlame.profile.before &&
    window.wickFlame.profile.names.some((n) => n.includes('CpuWork')));
  const hash = await page.evaluate(() => location.hash);
  const { port } = way;
  await way.cut();
  await page.waitForSelector('#connection:not([hidden])');
  assert.match(await banner(), /There is no connection to wick/);
  await page.waitForTimeout(3000); // attempts fail
  assert.ok(await page.evaluate(() => window.wickFlame.profile.count) > 3, 'the picture stays');
  assert.equal(await page.evaluate(() => location.hash), hash);
  await shoot('ui-no-connection.png');
  await tab('Slow'); // cannot be shown now, and says why
  await page.waitForSelector('#place .error');
  assert.match(await page.textContent('#place .error'), /no connection/i);
  const { end_ns: until } = await page.evaluate(() => window.wickUi.recordings.find((r) => r.live));
  await way.open(ui.address, port);
  await page.waitForSelector('#connection', { state: 'hidden' });
  await page.waitForFunction(() => !document.querySelector('#place .error'));
  await page.waitForFunction((before) => window.wickUi.recordings.find((r) => r.live).end_ns > before, until);
  await tab('CPU');
  await page.waitForFunction(() => window.wickFlame?.profile.names.some((n) => n.includes('CpuWork')));
  assert.match(await page.evaluate(() => location.hash), /filter=CpuWork/, 'what was chosen is chosen');

  // A page that is opened while there is no way: it says so, and comes when there is.
  await page.evaluate(() => { location.hash = '#/'; });
  await page.waitForSelector('.jvm');
  await way.cut();
  await page.waitForSelector('#connection:not([hidden])');
  await way.open(ui.address, port);
  await page.waitForSelector('#connection', { state: 'hidden' });
  await page.waitForSelector('.recording a');
  assert.deepEqual(trouble, []);
  await page.close();
  await way.cut();
});

test('a connection on which nothing comes any more is noticed as well', async () => {
  const way = new Way();
  await way.open(ui.address);
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.clock.install();
  await page.goto(way.url);
  await page.waitForSelector('.recording a');
  way.hush();
  await page.clock.fastForward(31000);
  await page.waitForSelector('#connection:not([hidden])');
  const { port } = way;
  await way.cut();
  await way.open(ui.address, port);
  while (await page.isVisible('#connection')) {
    await page.clock.fastForward(2500);
    await page.waitForTimeout(200);
  }
  await page.waitForSelector('.recording a');
  await page.close();
  await way.cut();
});

test('a wick ui that is killed: its recording is whole; another one in its place takes the page on where it is', async () => {
  const [live] = (await (await fetch(`http://127.0.0.1:${ui.port}/api/v1/recordings`, { headers: { Authorization: `Bearer ${new URL(ui.address).searchParams.get('token')}` } })).json()).recordings.filter((r) => r.live);
  await openPage(ui.address);
  await page.click(`.recording a:text-is("${live.name}")`);
  await tab('CPU');
  await page.waitForFunction(() => window.wickFlame?.profile.count > 5);
  await page.click('[aria-label="Show as"] button:has-text("Threads")');
  await page.waitForSelector('table:has(caption:has-text("Threads by weight")) tbody tr');
  const hash = await page.evaluate(() => location.hash);
  const dir = join(live.path, '..');
  await end(ui.child);
  await page.waitForSelector('#connection:not([hidden])');
  assert.match(await banner(), /no connection.*files.*start it again/is);
  while (status(service.pid, 'running') === '1') await page.waitForTimeout(200); // the recording ends with it
  assert.equal(service.child.exitCode, null);
  assert.ok(samplesIn(live.path) > 0);
  assert.equal(execFileSync(WICK, ['top', live.path], { stdio: ['ignore', 'ignore', 'pipe'] }), null, 'it is complete');
  ui = await startUi('--port', ui.port, '--dir', dir, dir);
  await page.waitForSelector('#connection:has-text("started again")');
  assert.ok(await page.isVisible('table:has(caption:has-text("Threads by weight")) tbody tr'), 'what was shown stays');
  await page.fill('#connection input', 'http://evil.example/?token=0123456789abcdef0123456789abcdef');
  await page.click('#connection button');
  await page.waitForSelector('#connection [role="alert"]:has-text("not an address")');
  await shoot('ui-started-again.png');
  await page.fill('#connection input', ui.address);
  await page.click('#connection button');
  await page.waitForSelector('#connection', { state: 'hidden' });
  await page.waitForSelector('table:has(caption:has-text("Threads by weight")) tbody tr');
  assert.equal(await page.evaluate(() => location.hash), hash);
  assert.ok(!(await page.evaluate(() => location.search)), 'and the token is not in the address');
  assert.deepEqual(trouble, []);
});
