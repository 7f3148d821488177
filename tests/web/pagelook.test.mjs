// SPDX-License-Identifier: Apache-2.0
// The look of every page, and whether everybody can use it: the rules of axe-core, light and dark, on a desk and on a phone, with
// pictures of each kept in WICK_WEB_OUT; and inputs that are hard to draw: one sample, names of thousands of characters, 200
// frames on top of each other, thousands of threads.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { violations } from './axe.mjs';
import { launch } from './browser.mjs';
import { writeTimed } from './timed.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const SYNTH = join(dirname(WICK), 'tests', 'jfr', 'jfr_synth');
const SHOTS = process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 400, height: 800 };
const dir = mkdtempSync(join(tmpdir(), 'wick-look-'));
const file = (name) => join(dir, name);
const wick = (...args) => execFileSync(WICK, args, { maxBuffer: 1 << 28 }).toString();
let browser;
let trouble = [];

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  execFileSync(SYNTH, ['load', file('a.jfr'), '250', '6000']);
  execFileSync(SYNTH, ['load', file('b.jfr'), '400', '9000']);
  execFileSync(SYNTH, ['requests', file('r.jfr')]);
  writeTimed(file('t.perf'));
  wick('flame', file('a.jfr'), '-o', file('flame.html'));
  wick('flame', file('a.jfr'), '-o', file('flame.svg'));
  wick('diff', file('a.jfr'), file('b.jfr'), '-o', file('diff.html'));
  wick('heatmap', file('t.perf'), '-o', file('heatmap.html'));
  wick('trace', file('r.jfr'), '-o', file('trace.html'));
  wick('endpoints', file('r.jfr'), '-o', file('endpoints.html'));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

async function open(name, hash = '') {
  const context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce', colorScheme: 'light' });
  const page = await context.newPage();
  trouble = [];
  page.on('console', (m) => trouble.push(`console ${m.type()}: ${m.text()}`));
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack}`));
  await page.goto(`file://${file(name)}${hash}`);
  if (name.endsWith('.html')) await page.waitForSelector('html[data-ready]');
  return page;
}

async function close(page) {
  await page.context().close();
  assert.deepEqual(trouble, []);
}

/** The page as it is drawn after a change of size or colours. */
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Light and dark, on a desk and on a phone: pictures, nothing that sticks out, and in two of the four the rules: both
 *  sizes, both colours. */
async function lookAt(page, name) {
  for (const colorScheme of ['light', 'dark'])
    for (const [device, size] of Object.entries({ desk: DESK, phone: PHONE })) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(size);
      await settled(page);
      await page.screenshot({ path: join(SHOTS, `look-${name}-${device}-${colorScheme}.png`) });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name} sticks out of a ${device}`);
      if ((size === DESK) === (colorScheme === 'light')) assert.deepEqual(await violations(page), [], `${name}, ${device}, ${colorScheme}`);
    }
  await page.setViewportSize(DESK);
}

test('axe: it finds what is wrong', async () => {
  const page = await open('flame.html');
  await page.evaluate(() => document.getElementById('theme').removeAttribute('aria-label'));
  await page.evaluate(() => document.getElementById('theme').removeAttribute('title'));
  const found = await violations(page);
  assert.ok(found.some((v) => /^critical button-name: .*theme/.test(v)), found.join('\n'));
  await close(page);
});

for (const name of ['flame', 'diff', 'heatmap', 'trace', 'endpoints'])
  test(`${name}: usable by everybody, light and dark, wide and narrow`, async () => {
    const page = await open(`${name}.html`);
    await lookAt(page, name);
    await close(page);
  });

test('flame: usable by everybody with a zoom, a search, a highlighted kind, and the help open', async () => {
  const page = await open('flame.html', '#search=Service&kinds=2');
  await page.evaluate(() => window.wickFlame.zoomTo(window.wickFlame.heaviestChild(0)));
  await lookAt(page, 'flame-search');
  await page.click('#help');
  await lookAt(page, 'flame-help');
  await close(page);
});

test('heatmap: usable by everybody with a range compared with a baseline', async () => {
  const page = await open('heatmap.html', '#range=1000-1200&versus=baseline&baseline=250-1000');
  assert.equal(await page.evaluate(() => window.wickFlame.profile.compares), true);
  await lookAt(page, 'heatmap-range');
  await close(page);
});

test('trace: usable by everybody with a stack shown', async () => {
  const page = await open('trace.html');
  await page.click('#threads rect.monitor');
  await lookAt(page, 'trace-stack');
  await close(page);
});

test('picture: the SVG breaks no rule, is searched and reset by keyboard, and a long title leaves room', async () => {
  wick('flame', file('a.jfr'), '--title', 'A very long title '.repeat(40), '-o', file('long.svg'));
  const page = await open('long.svg');
  assert.deepEqual(await violations(page), []);
  const [title, search] = await Promise.all(['#title', '#search'].map((id) => page.locator(id).boundingBox()));
  assert.ok(title.x + title.width < search.x, JSON.stringify([title, search]));
  page.once('dialog', (d) => d.accept('Service'));
  await page.focus('#search');
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('#matched'), /^Matched: \d/);
  await page.locator('#frames > g').nth(3).click();
  assert.equal(await page.getAttribute('#reset', 'visibility'), 'visible');
  await page.focus('#reset');
  await page.keyboard.press('Enter');
  assert.equal(await page.getAttribute('#reset', 'visibility'), 'hidden');
  await page.screenshot({ path: join(SHOTS, 'look-svg.png') });
  await close(page);
});

/** A page of stacks in collapsed text. */
function draw(name, lines) {
  writeFileSync(file(`${name}.collapsed`), `${lines.join('\n')}\n`);
  wick('flame', file(`${name}.collapsed`), '-o', file(`${name}.html`));
  return open(`${name}.html`);
}

/** The label that the box of the node has, and how wide the box is. */
const labelOf = (page, node) =>
  page.evaluate((n) => {
    const { view, painter, profile } = window.wickFlame;
    const { w } = painter.boxOf(window.wickFlame.scene(), n);
    return { text: painter.labels.fit(view.name[n] * 2 + 1, profile.names[view.name[n]], true, w - 9), w };
  }, node);

test('one sample: a picture, in words that fit one', async () => {
  const page = await draw('one', ['main_[j];work_[j] 1']);
  assert.equal(await page.textContent('#facts'), '1 sample \u00b7 2 boxes');
  await page.focus('#tree');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  assert.match(await page.textContent('#live'), /^work; total 1 sample, 100 % of all; self 1 sample, 100 %;/);
  await lookAt(page, 'one');
  await close(page);
});

test('long names: the method is what is shown of them, and nothing sticks out', async () => {
  const long = `com/acme/${'VeryLong'.repeat(200)}.${'handleThe'.repeat(60)}`;
  const page = await draw('long', [`main_[j];${long}_[j];${'a'.repeat(5000)}_[p] 90`,
    'main_[j];\u65e5\u672c\u8a9e.\u5b9f\u884c_[j];\u043f\u0440\u0438\u0432\u0435\u0442.\u043c\u0438\u0440_[j];e\u0301\u0301.\u05e9\u05dc\u05d5\u05dd_[j] 60']);
  const node = await page.evaluate(() => window.wickFlame.heaviestChild(window.wickFlame.heaviestChild(0)));
  const label = await labelOf(page, node);
  assert.ok(label.text.startsWith('handleThe') && label.text.endsWith('\u2026'), label.text);
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size);
    await settled(page);
    const { box, area } = await page.evaluate((n) => {
      const r = document.getElementById('scroll').getBoundingClientRect();
      return { box: window.wickFlame.painter.boxOf(window.wickFlame.scene(), n), area: { x: r.left, y: r.top } };
    }, node);
    await page.mouse.move(area.x + box.x + box.w / 2, area.y + box.y + 8);
    await page.locator('#tooltip').waitFor();
    const tip = await page.locator('#tooltip').boundingBox();
    assert.ok(tip.x >= 0 && tip.x + tip.width <= size.width && tip.y >= 0 && tip.y + tip.height <= size.height, JSON.stringify(tip));
    await page.mouse.move(2, 2);
  }
  await page.evaluate((n) => window.wickFlame.zoomTo(n), node);
  await lookAt(page, 'long');
  await close(page);
});

test('deep stacks: the keyboard reaches the top of 200 frames, and what is selected is in sight', async () => {
  const deep = Array.from({ length: 200 }, (_, i) => `com/acme/Deep${i}.recurse_[j]`);
  const page = await draw('deep', [`${deep.join(';')} 100`, `${deep.slice(0, 90).join(';')} 30`]);
  await page.focus('#tree');
  await page.evaluate(() => {
    for (let i = 0; i < 201; i++) window.wickFlame.move('ArrowUp');
  });
  const inSight = () => page.evaluate(() => {
    const { view, state, painter } = window.wickFlame;
    const y = painter.rowTop(window.wickFlame.scene(), view.depth[state.selected]);
    return { depth: view.depth[state.selected], seen: y >= 0 && y < painter.height };
  });
  assert.deepEqual(await inSight(), { depth: 200, seen: true });
  await page.waitForFunction(() => document.querySelector('[role=treeitem][aria-selected=true]')?.getAttribute('aria-level') === '201');
  assert.match(await page.textContent('[role=treeitem][aria-selected=true]'), /^com\/acme\/Deep199\.recurse, 76\.9 % total/);
  await page.keyboard.press('o');
  assert.deepEqual(await inSight(), { depth: 200, seen: true }, 'upside down');
  await lookAt(page, 'deep');
  await close(page);
});

test('thousands of threads: all are there, the tree for screen readers stays small', async () => {
  const lines = Array.from({ length: 4000 }, (_, i) => `[pool-${i} tid=${i}]_[x];java/lang/Thread.run_[j];com/acme/Work${i % 30}.go_[j] ${1 + (i % 9)}`);
  const page = await draw('threads', lines);
  const seen = await page.evaluate(() => {
    const { view } = window.wickFlame;
    let n = 0;
    for (let c = view.first(0); c >= 0; c = view.next(c)) n++;
    return n;
  });
  assert.equal(seen, 4000);
  await page.fill('#query', '^\\[pool-3999 ');
  await page.keyboard.press('Enter');
  const found = await page.evaluate(() => {
    const { view, state, profile, painter } = window.wickFlame;
    return { name: profile.names[view.name[state.selected]], w: painter.boxOf(window.wickFlame.scene(), state.selected).w };
  });
  assert.equal(found.name, '[pool-3999 tid=3999]');
  await page.waitForFunction(() => document.querySelector('[role=treeitem][aria-selected=true]')?.textContent.includes('pool-3999'));
  assert.ok((await page.locator('[role=treeitem]').count()) <= 250);
  await page.click('#clear');
  await page.click('#view-leaf');
  await lookAt(page, 'threads');
  await close(page);
});

test('nothing to draw: said in words, and no file is left', () => {
  writeFileSync(file('none.collapsed'), '');
  writeFileSync(file('none.perf'), '\n');
  for (const args of [['flame', file('none.collapsed')], ['heatmap', file('none.perf')], ['diff', file('none.collapsed'), file('a.jfr')]]) {
    const out = file(`none-${args[0]}.html`);
    assert.throws(() => execFileSync(WICK, [...args, '-o', out], { stdio: 'pipe' }), (e) => /^wick: .{20}/.test(e.stderr.toString()));
    assert.throws(() => execFileSync('test', ['-e', out]));
  }
});
