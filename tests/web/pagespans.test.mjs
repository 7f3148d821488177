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
