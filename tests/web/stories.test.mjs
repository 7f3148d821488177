// SPDX-License-Identifier: Apache-2.0
// What people use a profiler for, done by mouse alone in a real browser, with the real `wick ui`, on JVMs under load: why requests are
// slow, what a busy service does and what has changed, what idle threads cost, which thread keeps all others waiting, and why
// memory runs out and for whom. With WICK_WEB_DOCS=1 the pictures of docs/ui.md are made anew.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const JAR = join(WICK, '..', 'java', 'wick-demo.jar');
const JAVA = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
const SHOTS = process.env.WICK_WEB_DOCS ? join(source, 'docs') : process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
const BEFORE = 'cpu?rounds=200=240,compress=10,io=40,sleep=60,safepoint?loops=4=20';
const TODAY = 'cpu?rounds=200=120,compress?kib=512=120,io=40,sleep=60,safepoint?loops=4=20,allocation-stalls?mib=24&tasks=10=4';
const PATIENCE = 600e3; // of a machine that has other work; nothing here is judged by how long it takes
const started = [];
const dir = mkdtempSync(join(tmpdir(), 'wick-stories-'));
let browser;
let page;
let address;
let service;
let today; // the names of recordings
let yesterday;
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

async function startService(...options) {
  const { child, match } = await start(/listening on 127\.0\.0\.1:(\d+) pid (\d+)/, JAVA, ...options);
  return { child, port: match[1], pid: match[2] };
}

/** Requests until it is stopped. */
function load(port, mix, rate = 20) {
  const child = spawn(JAVA, ['-Xmx128m', '-cp', JAR, 'wick.demo.LoadGen', '--port', port, '--seconds', '3600', '--rate', String(rate), '--mix', mix], { stdio: 'ignore' });
  started.push(child);
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  service = await startService('-Xmx384m', '-XX:+UseZGC', '-XX:-UseCountedLoopSafepoints', '-jar', JAR, '--idle', '400');
  const ui = await start(/^(http:\S+)/, WICK, 'ui', '--no-open', '--dir', dir);
  [, address] = ui.match;
  browser = await launch();
  page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })).newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack}`));
  page.on('console', (m) => m.type() === 'error' && !/status of 4\d\d/.test(m.text()) && trouble.push(m.text()));
  page.on('request', (r) => r.url().startsWith(new URL(address).origin) || trouble.push(`request: ${r.url()}`));
  await page.goto(address);
});

after(async () => {
  await browser?.close();
  await Promise.all(started.map(end));
  rmSync(dir, { recursive: true });
});

const tab = (name) => page.click(`.tabs a:has-text("${name}")`);
const table = (caption) => `table:has(caption:has-text("${caption}"))`;
const row = (caption, text) => page.locator(`${table(caption)} tbody tr`, { hasText: text }).first();

/** Clicks the heaviest box of a method in the flame graph, scrolled into sight; again if the picture has moved. */
async function clickFrame(name) {
  await page.waitForFunction((n) => window.wickFlame?.profile.names.includes(n), name);
  for (let tries = 0; tries < 50; tries++) {
    const { x, y } = await placeOf(name);
    await page.mouse.click(x, y);
    if (await page.evaluate(() => window.wickFlame.frameName()) === name) return;
    if (await page.isEnabled('#reset')) await page.click('#reset');
    else await page.waitForTimeout(100);
  }
  assert.fail(`${name} cannot be clicked`);
}

function placeOf(name) {
  return page.evaluate((wanted) => {
    const app = window.wickFlame;
    const { view, profile } = app;
    let node = -1;
    for (let i = 0; i < view.name.length; i++)
      if (profile.names[view.name[i]] === wanted && (node < 0 || view.total[i] > view.total[node])) node = i;
    const area = document.getElementById('scroll');
    const boxAt = () => app.painter.boxOf(app.scene(), node);
    area.scrollTop += boxAt().y - area.clientHeight / 2;
    const [box, place] = [boxAt(), area.getBoundingClientRect()];
    return { x: place.left + box.x + Math.min(box.w, 1280) / 2, y: place.top + box.y + 8 };
  }, name);
}

/** Clicks the longest bar of the trace in that state, or, if its threads were hardly in it, the longest of all. */
async function clickBar(state) {
  const bars = await page.$$('#trace rect.bar');
  const sized = await Promise.all(bars.map(async (bar) => ({ bar, width: (await bar.boundingBox())?.width ?? 0, said: await bar.textContent() })));
  const fits = ({ width, said }) => width >= 8 && state.test(said);
  sized.sort((a, b) => fits(b) - fits(a) || b.width - a.width);
  await sized[0].bar.click();
}

/** A recording, without what an earlier story has chosen in it. */
async function reopen(name = today) {
  await page.click('a.home');
  await page.click(`.recording a:text-is("${name}")`);
  await page.waitForSelector('.tabs');
}

async function shoot(name) {
  await page.mouse.move(640, 795); // nothing is hovered
  await page.waitForFunction(() => !document.querySelector('#toast').classList.contains('on'));
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(SHOTS, name) });
  assert.deepEqual(trouble, []);
}

/** From the start page: records a JVM with these events more than the ones that are chosen anyway. */
async function record(pid, ...events) {
  await page.click('a.home');
  const card = page.locator('.jvm', { hasText: `process ${pid} ` });
  for (const text of events) {
    const box = page.locator('.events label', { hasText: text }).locator('input');
    if (!await box.isChecked()) await box.click();
  }
  await card.locator('button.record').click();
  await page.waitForSelector('.badge.live');
}

async function stop() {
  await page.click('button:has-text("Stop")');
  await page.waitForFunction(() => !document.querySelector('.badge.live'));
}

test('a slow request: from the endpoint to its trace, to the stack of the thread that made it wait', async () => {
  // Before the first request, so that idle threads are sampled as well: from then on it is threads in requests only.
  await record(service.pid, 'Slow safepoints', 'Locks');
  yesterday = await page.textContent('#title');
  const earlier = load(service.port, BEFORE);
  await tab('Slow');
  await page.waitForFunction(() => [...document.querySelectorAll('table tbody tr')].some((r) => /GET \/cpu/.test(r.textContent) && Number(r.children[1].textContent) > 40));
  await stop();
  await end(earlier);
  load(service.port, TODAY);
  await record(service.pid);
  await tab('Slow');
  await row('Latency by endpoint', 'GET /allocation-stalls').waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('table tbody tr')].some((r) => /GET \/allocation-stalls/.test(r.textContent) && Number(r.children[1].textContent) > 0));
  await tab('Interference');
  await row('What was slow', 'SafepointWork').waitFor();
  await stop();
  today = await page.textContent('#title');
  await tab('Slow');
  await row('Latency by endpoint', 'GET /allocation-stalls').locator('button').click();
  await page.waitForFunction(() => location.hash.includes('endpoint='));
  await page.waitForSelector('h2:has-text("of GET /allocation-stalls")'); // until then the table has those of all endpoints
  await page.locator(`${table('Traces, slowest first')} tbody tr`).first().click();
  await page.waitForSelector('#trace rect.bar');
  await clickBar(/allocation stall/);
  assert.match(await page.textContent('#detail'), /alloc_page_stall|AllocationStalls/);
  await shoot('ui-slow.png');
});

test('slow safepoints: which thread keeps all others waiting, where it is, and why', async () => {
  await reopen();
  await tab('Interference');
  const guilty = row('What was slow', 'SafepointWork');
  await guilty.waitFor();
  assert.match(await guilty.textContent(), /compiled code without a poll|one copy or fill of much memory|no CPU to run on/);
  await guilty.locator('button').click();
  await page.locator('.stack-of', { hasText: 'SafepointWork' }).first().waitFor(); // another row's stack is there at first
  await page.waitForSelector('.frames .guilty');
  await page.setViewportSize({ width: 1280, height: 1500 });
  await shoot('ui-safepoints.png');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a busy service: kernel, native and Java frames in one picture; what is different from before', async () => {
  await reopen();
  await tab('CPU');
  await page.click('[aria-label="Event"] button:has-text("CPU")');
  await page.waitForSelector('#canvas');
  const groups = await page.evaluate(() => [...document.querySelectorAll('#legend button')].map((b) => b.textContent));
  for (const kind of [/C2|C1|Interpreted/, /Kernel/, /Native/, /C\+\+/]) assert.ok(groups.some((g) => kind.test(g)), groups.join());
  await clickFrame('wick.demo.CompressWork.handle');
  assert.match(await page.textContent('#dock'), /CompressWork\.handle/);
  await shoot('ui.png');
  await tab('Compare');
  const earlier = await page.$$eval('#base option', (all) => all.map((o) => o.value).filter(Boolean));
  await page.selectOption('#base', earlier[earlier.length - 1]);
  await page.waitForFunction(() => window.wickFlame && location.hash.includes('base='));
  await clickFrame('wick.demo.CompressWork.handle');
  const said = await page.textContent('#dock');
  assert.match(said, /grew|more|\+/i, said);
  await shoot('ui-compare.png');
});

test('idle threads: hundreds of them cost nothing and hide nothing', async () => {
  await reopen(yesterday);
  await tab('CPU');
  await page.click('[aria-label="Event"] button:has-text("Wall")');
  await page.click('[aria-label="Show as"] button:has-text("Threads")');
  await page.waitForSelector(`${table('Threads by weight')} tbody button`);
  const showIdle = async (on) => {
    await page.click('button:has-text("Idle threads")');
    await page.waitForFunction((wanted) => location.hash.includes('idle=1') === wanted, on);
  };
  // The table has the hundred heaviest threads. Idle ones that were woken have a little weight of their own.
  await showIdle(true);
  await page.waitForFunction(() => [...document.querySelectorAll('table tbody tr')].filter((r) => /^idle-worker/.test(r.textContent)).length >= 20);
  await showIdle(false);
  await page.waitForFunction(() => !/^idle-worker/.test(document.querySelector('table tbody tr').textContent));
  await shoot('ui-threads.png');
});

test('memory: what fills the heap, which code keeps it, and for which customer', async () => {
  const { pid, port } = await startService('-Xmx96m', '-XX:+UseSerialGC', '-jar', JAR);
  await record(pid, 'Allocation', 'Live objects');
  load(port, 'leak?kib=1024&share=100=1', 5);
  await tab('Explain');
  await page.waitForSelector('.sentence:has-text("OutOfMemoryError")');
  await stop();
  await page.waitForSelector('.sentence:has-text("LeakWork")');
  await shoot('ui-explain.png');
  await tab('Memory');
  await page.click('a:has-text("What stays alive")');
  await page.waitForSelector('#canvas');
  await clickFrame('wick.demo.LeakWork.open');
  await page.click('[aria-label="Show as"] button:has-text("Side by side")');
  await page.selectOption('[aria-label="A picture for each"]', 'customer');
  await page.waitForFunction(() => document.querySelector('.group canvas') && /big/.test(document.querySelector('#place').textContent));
  await shoot('ui-customers.png');
});
