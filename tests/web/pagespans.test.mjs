// SPDX-License-Identifier: Apache-2.0
// The pages of `wick trace` and `wick endpoints` in a real browser; their recording is that of tests/jfr/requests.h.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const SYNTH = process.env.WICK_SYNTH ?? join(WICK, '..', 'tests', 'jfr', 'jfr_synth');
const SHOTS = process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
const HOSTILE = '</script><script>alert(1)</script>\ufffd[31m<img src=x onerror=alert(2)>';
const dir = mkdtempSync(join(tmpdir(), 'wick-spans-'));
const recording = join(dir, 'r.jfr');
let browser;
let trouble = [];

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  execFileSync(SYNTH, ['requests', recording]);
  execFileSync(WICK, ['trace', recording, '-o', join(dir, 'trace.html')]);
  execFileSync(SYNTH, ['owners', join(dir, 'o.jfr')]);
  execFileSync(WICK, ['trace', join(dir, 'o.jfr'), '-o', join(dir, 'owners.html')]);
  execFileSync(WICK, ['endpoints', recording, '-o', join(dir, 'endpoints.html')]);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

/** A fresh page; what it complains about, asks the network for or runs from a name fails the test. */
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  trouble = [];
  page.on('console', (m) => trouble.push(`console ${m.type()}: ${m.text()}`));
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack}`));
  page.on('dialog', (d) => trouble.push(`dialog: ${d.message()}`));
  page.on('request', (r) => {
    if (!r.url().startsWith(`file://${dir}/`)) trouble.push(`request: ${r.url()}`);
  });
  await page.goto(`file://${join(dir, file)}`);
  await page.waitForSelector('html[data-ready]');
  return page;
}

async function close(page) {
  await page.context().close();
  assert.deepEqual(trouble, []);
}

const bars = (page, className) => page.$$eval(`#threads rect.${className}`, (all) => all.map((r) =>
  ['x', 'width'].map((a) => Math.round(Number.parseFloat(r.getAttribute(a)) * 100) / 100)));

test('trace: bars stand where the threads did what they say', async () => {
  const page = await open('trace.html');
  assert.equal(await page.textContent('#title'), 'GET /slow');
  assert.deepEqual(await bars(page, 'cpu'), [[0, 10], [81, 9], [90, 9]]);
  assert.deepEqual(await bars(page, 'run'), [[0, 10], [80, 10], [90, 10]]);
  assert.deepEqual(await bars(page, 'wait'), [[60, 10], [70, 10]]);
  assert.deepEqual(await bars(page, 'blocked'), [[30, 50]]);
  assert.deepEqual(await bars(page, 'monitor'), [[10, 50]]);
  assert.match(await page.textContent('#threads'), /28\.0 ms on CPU, 20\.0 ms waiting for CPU/);
  await page.screenshot({ path: join(SHOTS, 'trace.png'), fullPage: true });
  await close(page);
});

test('trace: a click shows the stack, arrow keys go on, and names are text', async () => {
  const page = await open('trace.html', { colorScheme: 'dark' });
  await page.click('#threads rect.monitor');
  assert.match(await page.textContent('#detail'), /monitor, 50\.0 ms.*5 samples/);
  assert.deepEqual(await page.$$eval('#detail li', (all) => all.map((e) => e.textContent)),
    [`com.example.${HOSTILE.replaceAll('/', '.')}.method50:10`, 'com.example.Service.method51:11', 'com.example.Service.method52:12']);
  await page.focus('#threads svg[tabindex] >> nth=1');
  await page.keyboard.press('ArrowRight');
  assert.match(await page.textContent('#detail'), /waiting for CPU, 10\.0 ms/);
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.textContent('#detail'), /monitor/);
  assert.ok((await page.textContent('#spans')).includes(HOSTILE));
  assert.equal(await page.$$eval('img', (all) => all.length), 0);
  await page.screenshot({ path: join(SHOTS, 'trace-dark.png'), fullPage: true });
  await close(page);
});

test('trace: other traces, and light and dark', async () => {
  const page = await open('trace.html', { colorScheme: 'light' });
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await colour();
  await page.keyboard.press('d');
  assert.notEqual(await colour(), light);
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await page.keyboard.press('n'); // there are three
  assert.match(await page.textContent('#facts'), /^10\.0 ms from 2023-11-14 22:13:20\.200 UTC, trace bbbb/);
  await page.keyboard.press('p');
  assert.match(await page.textContent('#facts'), /^20\.0 ms/);
  await close(page);
});

test('trace: keys, drags, the wheel and buttons zoom, and what is chosen stays', async () => {
  const page = await open('trace.html');
  const shown = () => page.textContent('.zoom-tools output');
  const left = () => page.$eval('#threads rect.monitor', (e) => Math.round((100 * (e.getBoundingClientRect().left - e.closest('.row > svg').getBoundingClientRect().left)) / e.closest('.row > svg').clientWidth));
  assert.equal(await shown(), 'all of 100 ms');
  assert.ok(await page.isDisabled('.zoom-tools button:has-text("All")'));
  await page.click('#threads rect.monitor');
  const ruler = await page.$('.ruler');
  const box = await ruler.boundingBox();
  const at = (share) => [box.x + box.width * share, box.y + box.height / 2];
  await page.mouse.move(...at(0.1));
  await page.mouse.down();
  await page.mouse.move(...at(0.4));
  await page.mouse.move(...at(0.6), { steps: 3 });
  await page.mouse.up();
  assert.match(await shown(), /^(9\.9\d|10\.[01]) ms to (59\.9|60\.\d) ms of 100 ms$/);
  assert.equal(Math.abs(await left()), 0);
  assert.equal(await page.$eval('.zoom-mark', (e) => e.getBoundingClientRect().width), 0);
  assert.equal(await page.$$eval('#threads rect.chosen', (all) => all.length), 1);
  assert.equal(await ruler.getAttribute('aria-valuetext'), await shown());
  await page.click('.zoom-tools button:has-text("All")');
  const lane = await (await page.$('#threads rect.monitor')).boundingBox(); // a drag zooms there as well, and clicks nothing
  await page.click('#threads rect.cpu');
  const said = await page.textContent('#detail');
  await page.mouse.move(box.x + box.width * 0.2, lane.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, lane.y + 8, { steps: 3 });
  assert.ok((await page.$$eval('.zoom-shade', (all) => all.map((e) => e.getBoundingClientRect().width))).every((w) => Math.abs(w - box.width * 0.3) < 3));
  await page.mouse.up();
  assert.match(await shown(), /^(19\.9\d|20\.[01]) ms to (49\.9|50\.\d) ms of 100 ms$/);
  assert.equal(await page.textContent('#detail'), said);
  assert.equal(await page.$eval('.zoom-shade', (e) => e.getBoundingClientRect().width), 0);
  await page.click('#threads rect.monitor');
  assert.match(await page.textContent('#detail'), /^monitor, 50\.0 ms/, 'a click is no drag');
  await page.click('.zoom-tools button:has-text("All")');
  await page.mouse.move(...at(0.5));
  await page.mouse.wheel(0, -100);
  await page.waitForFunction(() => document.querySelector('.zoom-tools output').textContent === '18.8 ms to 81.3 ms of 100 ms');
  await page.mouse.move(box.x + box.width / 2, (await (await page.$('#threads svg')).boundingBox()).y + 8);
  await page.mouse.wheel(0, 1); // scrolls, and is no zoom without Ctrl
  await page.focus('.ruler');
  await page.keyboard.press('Shift+ArrowRight');
  assert.equal(await shown(), '34.4 ms to 96.9 ms of 100 ms');
  await page.keyboard.press('-');
  await page.keyboard.press('0');
  assert.equal(await shown(), 'all of 100 ms');
  for (let i = 0; i < 40; i++) await page.keyboard.press('+');
  assert.match(await shown(), /^35\.0 ms to 35\.0 ms/, 'around what is chosen, and no shorter than can be drawn');
  await page.keyboard.press('0');
  await close(page);
});

test('trace: a wait for a lock leads to its owner\u2019s lane, or to the trace that it worked for', async () => {
  const page = await open('owners.html');
  await page.keyboard.press('n'); // GET /report is longer
  await page.click('#threads svg[aria-label^="locks"] rect >> nth=0');
  assert.match(await page.textContent('#detail'), /^monitor com\.example\..*, 50\.0 ms\[worker-1 tid=101\]: from 10\.0 ms on.*held by \[worker-2 <.*tid=102\]\. Show what it did then/s);
  assert.ok((await page.$$eval('#detail li', (all) => all.map((e) => e.textContent))).includes('com.example.Service.method61:11'), 'the stack of the owner');
  await page.click('#detail button');
  assert.match(await page.textContent('#detail'), /^parked, 50\.0 ms\[worker-2/);
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^wall clock of \[worker-2/);
  await page.click('#threads svg[aria-label^="wall"] rect.monitor');
  assert.match(await page.textContent('#detail'), /monitor, 50\.0 ms.*, 50\.0 ms: it was held by \[worker-2/s, 'a sample in that wait leads there as well');
  await page.click('#threads svg[aria-label^="locks"] rect >> nth=1');
  assert.match(await page.textContent('#detail'), /held by \[worker-3 tid=103\]\. /);
  assert.equal(await page.$('#detail button'), null, 'in no trace: there is nothing to lead to');
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await page.click('#threads svg[aria-label^="locks"] rect');
  assert.match(await page.textContent('#detail'), /held by \[worker-4 tid=104\], in GET \/report\. Show its trace: GET \/report/);
  await page.click('#detail button');
  assert.equal(await page.textContent('#title'), 'GET /report');
  await close(page);
});

test('endpoints: the table and the chart are the recording\u2019s', async () => {
  const page = await open('endpoints.html');
  const rows = await page.$$eval('#rows tr', (all) => all.map((tr) => [...tr.cells].map((c) => c.textContent)));
  assert.deepEqual(rows[0], ['GET /slow', '1', '100 ms', '100 ms', '100 ms', '100 ms', '28.0 ms', '20.0 ms', '100 ms']);
  assert.deepEqual(rows[1].slice(0, 7), ['GET /fast', '2', '10.0 ms', '20.0 ms', '20.0 ms', '20.0 ms', '8.00 ms']);
  assert.match(await page.textContent('#waits'), /monitor 50\.0 ms/);
  await page.click('#rows button >> nth=1');
  assert.equal(await page.textContent('#chosen'), 'GET /fast');
  const points = await page.$$eval('#chart circle.p99', (all) => all.map((c) => ({
    x: Number(c.getAttribute('cx')), y: Number(c.getAttribute('cy')), text: c.textContent })));
  assert.deepEqual(points.map((p) => p.text), ['1 request: p99 10.0 ms', '1 request: p99 20.0 ms']);
  assert.ok(points[0].x < points[1].x && points[0].y > points[1].y);
  await page.screenshot({ path: join(SHOTS, 'endpoints.png'), fullPage: true });
  await close(page);
});

test('pages: no name is markup, and the script is the only one', () => {
  for (const file of ['trace.html', 'endpoints.html']) {
    const html = readFileSync(join(dir, file), 'utf8');
    assert.equal(html.match(/<script/g).length, 2);
    assert.ok(!/<img/.test(html));
    assert.match(html, /default-src 'none'; script-src 'sha256-/);
  }
});

test('garbage is refused, and no file is left', () => {
  const garbage = join(dir, 'garbage.jfr');
  writeFileSync(garbage, 'FLR\0 this is no recording');
  for (const command of ['trace', 'endpoints']) {
    const out = join(dir, `${command}-none.html`);
    const r = spawnSync(WICK, [command, garbage, '-o', out], { encoding: 'utf8' });
    assert.notEqual(r.status, 0);
    assert.match(r.stderr, /^wick: /);
    assert.throws(() => readFileSync(out), /ENOENT/);
    assert.notEqual(spawnSync(WICK, [command, recording, '-o', join(dir, 'a.png')]).status, 0);
  }
});
