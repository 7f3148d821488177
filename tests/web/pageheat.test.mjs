// SPDX-License-Identifier: Apache-2.0
// The heatmap in a real browser: the weights of cells and ranges are those of the samples, and what a range compared with the
// rest shows is what `wick diff` says of the two.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';
import { HOSTILE } from './profile.mjs';
import { writeTimed } from './timed.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const SYNTH = join(dirname(WICK), 'tests', 'jfr', 'jfr_synth');
const SHOTS = process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
const dir = mkdtempSync(join(tmpdir(), 'wick-heat-'));
const file = (name) => join(dir, name);
const wick = (...args) => execFileSync(WICK, args, { maxBuffer: 1 << 28 }).toString();
let browser;
let samples;
let trouble = [];

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  samples = writeTimed(file('t.perf'));
  wick('heatmap', file('t.perf'), '--title', HOSTILE[0], '-o', file('t.html'));
  execFileSync(SYNTH, ['load', file('l.jfr'), '300', '60000']);
  wick('convert', file('l.jfr'), file('l.heatmap.html'));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

async function open(name, { hash = '', ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  trouble = [];
  page.on('console', (m) => {
    if (!/getImageData/.test(m.text())) trouble.push(`console ${m.type()}: ${m.text()}`);
  });
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack}`));
  page.on('request', (r) => {
    if (!r.url().startsWith(`file://${dir}/`)) trouble.push(`request: ${r.url()}`);
  });
  await page.goto(`file://${file(name)}${hash}`);
  await page.waitForSelector('html[data-ready]');
  return page;
}

async function close(page) {
  await page.context().close();
  assert.deepEqual(trouble, []);
}

/** Weight of the samples in [from, to) ms, by frame in the stack. */
function truth(from, to) {
  const by = { all: 0, samples: 0 };
  for (const s of samples) {
    if (s.ms < from || s.ms >= to) continue;
    by.all += s.weight;
    by.samples++;
    for (const f of new Set(s.stack)) by[f] = (by[f] ?? 0) + s.weight;
  }
  return by;
}

/** Totals by name of what the flame graph shows. */
const shown = (page) =>
  page.evaluate(() => {
    const p = window.wickFlame.profile;
    const by = { all: p.total[0] };
    for (let i = 1; i < p.count; i++) by[p.names[p.name[i]]] = (by[p.names[p.name[i]]] ?? 0) + p.total[i];
    return by;
  });

/** Where the cell of a time is on the screen. */
const cellAt = (page, ms) =>
  page.evaluate((t) => {
    const { grid, layout, scroll, slices } = window.wickHeat;
    const cell = layout.cellOf(t / (slices.sliceNs / 1e6));
    const r = document.getElementById('heat-scroll').getBoundingClientRect();
    const row = cell % layout.rows;
    return { x: r.left + grid.columnX(Math.floor(cell / layout.rows), scroll) + grid.columnWidth / 2, y: r.top + grid.rowY(row) + grid.rowHeight / 2 };
  }, ms);

async function drag(page, from, to) {
  const [a, b] = [await cellAt(page, from), await cellAt(page, to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 3 });
  await page.mouse.move(b.x, b.y);
  await page.mouse.up();
}

test('heatmap: every cell weighs what its 20 ms do, and the whole is all', async () => {
  const page = await open('t.html');
  assert.equal(await page.title(), HOSTILE[0]);
  const seen = await page.evaluate(() => {
    const { layout, slices } = window.wickHeat;
    return { values: [...layout.values], rows: layout.rows, ns: slices.sliceNs, total: window.wickFlame.profile.total[0] };
  });
  assert.equal(seen.ns, 20e6);
  assert.equal(seen.rows, 50);
  const want = new Array(seen.values.length).fill(0);
  for (const s of samples) want[Math.floor(s.ms / 20)] += s.weight;
  assert.deepEqual(seen.values, want);
  assert.equal(seen.total, truth(0, 1e9).all);
  await page.screenshot({ path: join(SHOTS, 'heat-light.png') });
  await close(page);
});

test('heatmap: cells have the colours of their weights', async () => {
  const page = await open('t.html');
  const seen = await page.evaluate(() => {
    const { grid, layout } = window.wickHeat;
    const ctx = document.getElementById('heat-canvas').getContext('2d');
    const out = [];
    for (let cell = 0; cell < layout.values.length; cell += 37) {
      const x = grid.columnX(Math.floor(cell / layout.rows), 0) + grid.columnWidth / 2;
      const [r, g, b] = ctx.getImageData(Math.round(x), Math.floor(grid.rowY(cell % layout.rows) + grid.rowHeight / 2), 1, 1).data;
      out.push({ v: layout.values[cell], dark: 765 - r - g - b });
    }
    return out;
  });
  const mean = (list) => list.reduce((sum, x) => sum + x.dark, 0) / list.length;
  const none = seen.filter((x) => x.v === 0);
  const hot = seen.filter((x) => x.v > 40e6);
  const warm = seen.filter((x) => x.v > 0 && x.v < 10e6);
  assert.ok(none.length && hot.length && warm.length, `${none.length} ${warm.length} ${hot.length}`);
  assert.ok(mean(none) < mean(warm) && mean(warm) < mean(hot), `${mean(none)} ${mean(warm)} ${mean(hot)}`);
  await close(page);
});

test('heatmap: dragging over cells chooses the time between them, and the flame graph has its weights', async () => {
  const page = await open('t.html');
  await drag(page, 20200, 23780);
  assert.deepEqual(await page.evaluate(() => window.wickHeat.range), [1010, 1190]);
  const want = truth(20200, 23800);
  const got = await shown(page);
  assert.equal(got.all, want.all);
  for (const name of ['shop.Report.render', 'java.util.HashMap.get', 'shop.Json.parse', 'GCTaskThread::run()'])
    assert.equal(got[name], want[name], name);
  assert.equal(got['shop.Cart.discount'], undefined);
  assert.match(await page.textContent('#heat-said'), new RegExp(`3\\.6 s .* ${want.samples.toLocaleString('en-US')} samples`));
  assert.equal(await page.inputValue('#heat-from'), '20.20');
  assert.match(page.url(), /range=1010-1190/);
  await page.screenshot({ path: join(SHOTS, 'heat-range.png') });
  await page.click('#heat-all');
  assert.equal((await shown(page)).all, truth(0, 1e9).all);
  await close(page);
});

test('heatmap: a click takes a cell, a double click its column, the axis whole columns, the fields any time', async () => {
  const page = await open('t.html');
  const cell = await cellAt(page, 12400);
  await page.mouse.click(cell.x, cell.y);
  assert.equal((await shown(page)).all, truth(12400, 12420).all);
  await page.mouse.dblclick(cell.x, cell.y);
  assert.deepEqual(await page.evaluate(() => window.wickHeat.range), [600, 650]);
  const box = await page.locator('#heat-scroll').boundingBox();
  const last = await cellAt(page, 14000);
  await page.mouse.move(cell.x, box.y + 170);
  await page.mouse.down();
  await page.mouse.move(last.x, box.y + 168, { steps: 2 });
  await page.mouse.up();
  assert.deepEqual(await page.evaluate(() => window.wickHeat.range), [600, 750]);
  await page.fill('#heat-from', '2');
  await page.fill('#heat-to', '2.5');
  await page.keyboard.press('Tab');
  assert.equal((await shown(page)).all, truth(2000, 2500).all);
  await close(page);
});

test('heatmap: the keyboard moves, extends, takes a column and lets go', async () => {
  const page = await open('t.html');
  await page.focus('#heat-scroll');
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp']) await page.keyboard.press(key);
  assert.deepEqual(await page.evaluate(() => window.wickHeat.range), [101, 102]);
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowUp');
  assert.deepEqual(await page.evaluate(() => window.wickHeat.range), [101, 153]);
  assert.equal((await shown(page)).all, truth(2020, 3060).all);
  assert.match(await page.textContent('#live'), /1\.04 s/);
  await page.keyboard.press('Enter');
  assert.deepEqual(await page.evaluate(() => window.wickHeat.range), [150, 200]);
  await page.keyboard.press('Home');
  assert.deepEqual(await page.evaluate(() => window.wickHeat.range), [0, 1]);
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => window.wickHeat.range), null);
  await close(page);
});

test('heatmap: a range against the rest is what `wick diff` says of the two', async () => {
  const page = await open('t.html', { hash: '#range=0-1000&versus=rest' });
  const seen = await page.evaluate(() => {
    const { profile, view } = window.wickFlame;
    const by = {};
    for (let i = 1; i < profile.count; i++) by[profile.names[profile.name[i]]] = view.change(i);
    return { by, sides: profile.sides };
  });
  const diff = (side) => wick('convert', file('t.perf'), '-o', file(`${side}.collapsed`), '--to', 'collapsed', ...(side === 'a' ? ['--from', '@5020'] : ['--to', '@5020']));
  diff('a');
  diff('b');
  const table = JSON.parse(wick('diff', '--json', '-n', '0', file('a.collapsed'), file('b.collapsed')));
  assert.equal(seen.sides[1].samples, truth(0, 20000).samples);
  assert.equal(seen.sides[0].samples, truth(20000, 1e9).samples);
  let compared = 0;
  for (const row of table.rows) {
    const c = seen.by[row.name];
    if (!c) continue;
    compared++;
    assert.ok(Math.abs(c.change - row.total.change) < 1e-4, `${row.name}: ${c.change}, not ${row.total.change}`);
  }
  assert.ok(compared >= 8, String(compared));
  assert.equal(seen.by['shop.Report.render'].after, 0);
  await close(page);
});

test('heatmap: a baseline is kept and compared with, in the dark as well, and the address brings it back', async () => {
  const page = await open('t.html', { colorScheme: 'dark' });
  await page.evaluate(() => window.wickHeat.choose([250, 1000]));
  await page.keyboard.press('b');
  await drag(page, 20000, 23980);
  const seen = await page.evaluate(() => ({ compares: window.wickFlame.profile.compares, sides: window.wickFlame.profile.sides, legend: document.getElementById('legend').textContent }));
  assert.equal(seen.compares, true);
  assert.equal(seen.sides[0].samples, truth(5000, 20000).samples);
  assert.equal(seen.sides[1].samples, truth(20000, 24000).samples);
  assert.match(seen.legend, /at least doubled/);
  assert.match(page.url(), /range=1000-1200&versus=baseline&baseline=250-1000/);
  await page.screenshot({ path: join(SHOTS, 'heat-dark.png') });
  await page.keyboard.press('v');
  assert.equal(await page.evaluate(() => window.wickFlame.profile.compares), false);
  assert.match(await page.textContent('#legend'), /C2/);
  const url = page.url();
  await close(page);
  const again = await open('t.html', { hash: url.slice(url.indexOf('#')) });
  assert.deepEqual(await again.evaluate(() => window.wickHeat.baseline), [250, 1000]);
  await close(again);
});

test('heatmap: coarser columns hold the same weights; search, leaf-up view and zoom go on working in a range', async () => {
  const page = await open('t.html');
  await page.click('#heat-scales button:nth-child(2)');
  const sum = await page.evaluate(() => ({ sum: window.wickHeat.layout.values.reduce((a, b) => a + b, 0), columns: window.wickHeat.layout.columns }));
  assert.equal(sum.sum, truth(0, 1e9).all);
  assert.equal(sum.columns, 12);
  await page.fill('#query', 'render');
  await page.evaluate(() => window.wickHeat.choose([1000, 1200]));
  const want = truth(20000, 24000);
  const share = (100 * want['shop.Report.render']) / want.all;
  assert.ok((await page.textContent('#result')).startsWith(`${share.toFixed(1)} % matched`), await page.textContent('#result'));
  await page.evaluate(() => window.wickFlame.setView(true));
  const first = await page.evaluate(() => {
    const { view, profile } = window.wickFlame;
    const c = view.first(0);
    return { name: profile.names[view.name[c]], total: view.total[c] };
  });
  assert.deepEqual(first, { name: 'java.util.regex.Pattern.match', total: want['java.util.regex.Pattern.match'] });
  await close(page);
});

test('heatmap: kinds of code of ranges add up to those of the whole', async () => {
  const page = await open('l.heatmap.html');
  const seen = await page.evaluate(() => {
    const panel = window.wickHeat;
    const kinds = () => [...window.wickFlame.profile.selfByKind()];
    const whole = kinds();
    const middle = Math.floor(panel.slices.count / 3);
    const parts = [[0, middle], [middle, panel.slices.count]].map((r) => (panel.choose(r), kinds()));
    return { whole, parts };
  });
  seen.whole.forEach((w, k) => assert.ok(Math.abs(w - seen.parts[0][k] - seen.parts[1][k]) < 1, `kind ${k}`));
  assert.ok(seen.whole.filter((w) => w > 0).length >= 3); // interpreted, C2 and inlined
  await close(page);
});

/** A sample a minute for days, of stacks that are all different: what a page can hold in slices of 20 ms is five hours. */
function writeLong(path, { minutes }) {
  const weights = [];
  const lines = [];
  for (let m = 0; m < minutes; m++) {
    weights.push(1000000 * (1 + (m % 7)));
    lines.push(`worker 77/78 [000] ${1000 + m * 60}.250000:    ${weights[m]} cpu-clock:u: \n\t    7f0000001000 shop.Job${m}.run (/tmp/perf-77.map)\n`);
  }
  writeFileSync(path, `${lines.join('\n')}\n`);
  return weights;
}

test('heatmap: a recording too long for 20 ms says how exact its times are, and loses no weight', async () => {
  const weights = writeLong(file('long.perf'), { minutes: 3 * 24 * 60 });
  wick('heatmap', file('long.perf'), '-o', file('long.html'));
  const page = await open('long.html');
  const sliceNs = await page.evaluate(() => window.wickHeat.slices.sliceNs);
  assert.ok(sliceNs > 20e6, String(sliceNs));
  assert.match(await page.textContent('#heat-note'), new RegExp(`^Times are known to ${sliceNs / 1e6} ms: `));
  assert.equal(await page.isVisible('#heat-note'), true);
  const all = weights.reduce((sum, w) => sum + w, 0);
  const seen = await page.evaluate(() => ({ cells: window.wickHeat.layout.values.reduce((a, b) => a + b, 0), tree: window.wickFlame.profile.total[0] }));
  assert.deepEqual(seen, { cells: all, tree: all });
  // Half a day from the first sample on, by the fields: as many samples as it has minutes, the last of which is outside.
  await page.fill('#heat-from', '0');
  await page.fill('#heat-to', String(720 * 60));
  await page.keyboard.press('Tab');
  assert.equal((await shown(page)).all, weights.slice(0, 720).reduce((sum, w) => sum + w, 0));
  assert.match(await page.textContent('#heat-said'), /^day 0 00:16:40\.000 to day 0 12:16:40\.000 .* 720 samples$/);
  await page.screenshot({ path: join(SHOTS, 'heat-long.png') });
  await close(page);
});

test('heatmap: it stays where it is while the pointer goes over it and chooses', async () => {
  for (const name of ['t.html', 'long.html'])
    for (const width of [1280, 1000, 700, 400]) {
      const page = await open(name, { viewport: { width, height: 800 } });
      const place = async () => (await page.locator('#heat-scroll').boundingBox()).y;
      const before = await place();
      for (const x of [0.3, 0.6, 0.9]) {
        await page.mouse.move(width * x, before + 40);
        assert.equal(await place(), before, `${name}, ${width}: over a cell`);
      }
      await page.mouse.down();
      await page.mouse.move(width * 0.4, before + 60, { steps: 3 });
      assert.equal(await place(), before, `${name}, ${width}: while choosing`);
      await page.mouse.up();
      await page.keyboard.press('v');
      assert.equal(await place(), before, `${name}, ${width}: compared`);
      await close(page);
    }
});

test('heatmap: where times are as fine as they get, there is nothing to say; one sample is also a picture', async () => {
  writeLong(file('one.perf'), { minutes: 1 });
  wick('heatmap', file('one.perf'), '-o', file('one.html'));
  const page = await open('one.html');
  assert.equal(await page.isVisible('#heat-note'), false);
  assert.match(await page.textContent('#heat-said'), / 1 sample$/);
  await page.focus('#heat-scroll');
  for (const key of ['ArrowRight', 'ArrowUp', 'Shift+ArrowLeft', 'Enter', 'b', 'v', 'Escape']) await page.keyboard.press(key);
  assert.equal((await shown(page)).all, 1000000);
  await page.screenshot({ path: join(SHOTS, 'heat-one.png') });
  await close(page);
});

test('heatmap: by the keyboard alone a range is chosen, kept as the baseline and compared with another', async () => {
  const page = await open('t.html');
  await page.focus('#heat-scroll');
  for (let i = 0; i < 19; i++) await page.keyboard.press('ArrowRight');
  for (const key of ['Home', 'ArrowRight', 'Shift+PageDown', 'b']) await page.keyboard.press(key);
  const baseline = await page.evaluate(() => window.wickHeat.baseline);
  assert.deepEqual(baseline, [50, 551]);
  assert.match(await page.textContent('#live'), /^Baseline: /);
  await page.keyboard.press('Home');
  for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowRight');
  const seen = await page.evaluate(() => ({ range: window.wickHeat.range, sides: window.wickFlame.profile.sides, compares: window.wickFlame.profile.compares }));
  assert.deepEqual(seen.range, [1000, 1151]);
  assert.equal(seen.compares, true);
  assert.equal(seen.sides[0].samples, truth(1000, 11020).samples);
  assert.equal(seen.sides[1].samples, truth(20000, 23020).samples);
  const slow = await page.evaluate(() => {
    const { profile, view } = window.wickFlame;
    for (let i = 1; i < profile.count; i++) if (profile.names[profile.name[i]] === 'shop.Report.render') return view.change(i);
    return null;
  });
  assert.equal(slow.kind, 4, 'what the baseline has not is new');
  await close(page);
});

test('heatmap: the panel has names and roles, and small windows keep the page usable', async () => {
  const page = await open('t.html', { viewport: { width: 420, height: 700 } });
  const box = page.locator('#heat-scroll');
  assert.match(await box.getAttribute('aria-label'), /Arrow keys/);
  assert.equal(await box.getAttribute('role'), 'application');
  for (const b of await page.locator('#heat button').all()) assert.ok((await b.textContent()).trim(), 'a button without a name');
  assert.equal(await page.locator('#heat-versus button[aria-pressed=true]').count(), 1);
  assert.equal(await page.locator('#heat-scales button[aria-pressed=true]').count(), 1);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await page.screenshot({ path: join(SHOTS, 'heat-narrow.png') });
  await close(page);
});
