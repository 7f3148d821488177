// SPDX-License-Identifier: Apache-2.0
// The flame graph page and picture in a real browser, opened from file: as a user does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { kindGroup } from '../../web/flame/kinds.js';
import { formatPercent } from '../../web/flame/text.js';
import { launch } from './browser.mjs';
import { HOSTILE, writeProfile } from './profile.mjs';
import { parseStacks } from './stacks.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const SHOTS = process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
const dir = mkdtempSync(join(tmpdir(), 'wick-web-'));
let browser;
let stacks;
let total;
let trouble = [];

before(async () => {
  const text = join(dir, 'p.collapsed');
  mkdirSync(SHOTS, { recursive: true });
  await writeProfile(text, { stacks: 5000, hostile: true });
  const args = [text, '-u', 'ns', '--title', HOSTILE[0], '--subtitle', 'CPU time, 30 s'];
  execFileSync(WICK, ['flame', ...args, '-o', join(dir, 'p.html')]);
  execFileSync(WICK, ['flame', ...args, '-o', join(dir, 'p.svg')]);
  stacks = parseStacks(readFileSync(text, 'utf8'));
  total = stacks.reduce((sum, s) => sum + s.weight, 0);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

/** A fresh page; everything it complains about or asks the network for fails the test. */
async function open(file, { hash = '', ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  trouble = [];
  page.on('console', (m) => {
    if (!/getImageData/.test(m.text())) trouble.push(`console ${m.type()}: ${m.text()}`); // the tests' own reading back
  });
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack}`));
  page.on('dialog', (d) => {
    if (d.type() !== 'prompt') trouble.push(`dialog: ${d.message()}`);
  });
  page.on('request', (r) => {
    if (!r.url().startsWith(`file://${dir}/`)) trouble.push(`request: ${r.url()}`);
  });
  await page.goto(`file://${join(dir, file)}${hash}`);
  if (file.endsWith('.html')) await page.waitForSelector('html[data-ready]');
  return page;
}

async function close(page) {
  await page.waitForTimeout(100);
  await page.context().close();
  assert.deepEqual(trouble, []);
}

const matchedBy = (re) => stacks.filter((s) => s.frames.some((f) => re.test(f.name))).reduce((sum, s) => sum + s.weight, 0);

/** Where the box of a path of names (below "all") is on the screen: {node, x, y, w}. */
function boxOf(page, names) {
  return page.evaluate((path) => {
    const app = window.wickFlame;
    let node = 0;
    for (const name of path) {
      let c = app.view.first(node);
      while (c >= 0 && app.profile.names[app.view.name[c]] !== name) c = app.view.next(c);
      node = c;
    }
    const area = document.getElementById('scroll').getBoundingClientRect();
    const b = app.painter.boxOf(app.scene(), node);
    return { node, x: area.left + b.x, y: area.top + b.y, w: b.w };
  }, names);
}

async function clickBox(page, names) {
  const b = await boxOf(page, names);
  await page.mouse.click(b.x + b.w / 2, b.y + 8);
  return b;
}

/** Waits until a condition in the page holds. */
const holds = (page, condition, argument) => page.waitForFunction(condition, argument);

const state = (page) => page.evaluate(() => ({ ...window.wickFlame.state, x0: window.wickFlame.x0, x1: window.wickFlame.x1 }));
const shot = (page, name) => page.screenshot({ path: join(SHOTS, `${name}.png`) });

test('page: opens from a file without a word on the console, says what it shows', async () => {
  const page = await open('p.html');
  assert.equal(await page.title(), HOSTILE[0]);
  assert.equal(await page.textContent('#title'), HOSTILE[0]);
  assert.match(await page.textContent('#facts'), /^[\d.]+ s · CPU time, 30 s · [\d,]+ boxes$/);
  await shot(page, 'light');
  await close(page);
});

test('page: boxes are painted in the colours of their kinds', async () => {
  const page = await open('p.html');
  const seen = await page.evaluate(() => {
    const app = window.wickFlame;
    const ctx = document.getElementById('canvas').getContext('2d');
    let checked = 0;
    for (const row of app.painter.rows.values())
      for (let i = 0; i < row.node.length; i++) {
        if (row.w[i] < 8 || row.w[i] > 24) continue; // no label inside
        const y = app.painter.rowTop(app.scene(), app.view.depth[row.node[i]]);
        const [r, g, b] = ctx.getImageData(Math.round(row.x[i] + row.w[i] / 2), Math.round(y + 9), 1, 1).data;
        const hex = `#${[r, g, b].map((v) => v.toString(16).padStart(2, '0')).join('')}`;
        const kind = app.view.kind[row.node[i]];
        const name = app.view.name[row.node[i]];
        const want = app.painter.colours[(kind * 4 + ((name * 7 + (name >> 3)) & 3)) * 3];
        if (hex !== want) return `kind ${kind}: ${hex}, not ${want}`;
        checked++;
      }
    return checked;
  });
  assert.ok(seen > 50, String(seen));
  await close(page);
});

test('zoom: a click fills the width with the box, Escape and Back undo it', async () => {
  const page = await open('p.html');
  const b = await clickBox(page, ['[http-worker-2]', 'java/lang/Thread.run']);
  let s = await state(page);
  assert.equal(s.zoom, b.node);
  const after = await boxOf(page, ['[http-worker-2]', 'java/lang/Thread.run']);
  assert.ok(Math.abs(after.w - 1280) < 1 && Math.abs(after.x) < 1);
  const want = stacks.filter((st) => st.frames[0].name === '[http-worker-2]').reduce((sum, st) => sum + st.weight, 0);
  assert.equal(s.x1 - s.x0, want);
  assert.match(await page.textContent('#dock'), new RegExp(`${formatPercent(want, total)} of all, 100 % of zoom`.replace('.', '\\.')));
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).zoom, 0);
  await page.goBack();
  await holds(page, (node) => window.wickFlame.state.zoom === node, b.node);
  await page.click('#reset');
  assert.equal((await state(page)).zoom, 0);
  await close(page);
});

test('zoom: Ctrl and wheel widen at the pointer, dragging moves', async () => {
  const page = await open('p.html');
  await page.mouse.move(640, 400);
  await page.keyboard.down('Control');
  for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -60);
  await page.keyboard.up('Control');
  let width = 0;
  await holds(page, (all) => window.wickFlame.x1 - window.wickFlame.x0 < all / 4, total);
  while (width !== (width = await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => done(window.wickFlame.x1 - window.wickFlame.x0)); })))) await page.waitForTimeout(50); // all wheel events have come
  const wide = await state(page);
  await page.mouse.down();
  await page.mouse.move(340, 400, { steps: 5 });
  await page.mouse.up();
  const moved = await state(page);
  assert.ok(moved.x0 > wide.x0);
  assert.equal(moved.zoom, 0, 'a drag is no click');
  await close(page);
});

test('search: the matched share is that of the stacks, whatever is drawn', async () => {
  const page = await open('p.html');
  for (const pattern of ['Service', 'java/util', 'run$', 'G1|Compile', 'no such thing']) {
    await page.fill('#query', pattern);
    const want = formatPercent(matchedBy(new RegExp(pattern, /[A-Z]/.test(pattern) ? '' : 'i')), total);
    assert.equal(await page.textContent('#result'), `${want} matched`);
  }
  await page.fill('#query', 'Service');
  await page.waitForTimeout(100);
  await shot(page, 'search');
  const zoomed = '[http-worker-1]';
  await clickBox(page, [zoomed]);
  const inside = stacks.filter((s) => s.frames[0].name === zoomed);
  const part = inside.filter((s) => s.frames.some((f) => /Service/.test(f.name))).reduce((sum, s) => sum + s.weight, 0);
  const whole = inside.reduce((sum, s) => sum + s.weight, 0);
  assert.equal(await page.textContent('#result'), `${formatPercent(matchedBy(/Service/), total)} matched, ${formatPercent(part, whole)} of zoom`);
  await page.click('#clear');
  assert.equal(await page.isVisible('#result'), false);
  await close(page);
});

test('search: a box of a fraction of a pixel is found, and n goes there', async () => {
  const page = await open('p.html');
  const counts = new Map();
  for (const s of stacks) for (const f of new Set(s.frames.map((g) => g.name))) counts.set(f, (counts.get(f) ?? 0) + 1);
  const [rare] = [...counts].find(([name, n]) => n === 1 && /^com/.test(name) && /Impl\./.test(name) && !name.includes('$'));
  await page.fill('#query', `^${rare}$`);
  const want = stacks.find((s) => s.frames.some((f) => f.name === rare)).weight;
  assert.equal(await page.textContent('#result'), `${formatPercent(want, total)} matched`);
  await page.keyboard.press('Enter');
  const found = await page.evaluate(() => {
    const app = window.wickFlame;
    const b = app.painter.boxOf(app.scene(), app.state.selected);
    return { name: app.profile.names[app.view.name[app.state.selected]], w: b.w, y: b.y };
  });
  assert.equal(found.name, rare);
  assert.ok(found.w >= 3 && found.y >= 0 && found.y < 700, JSON.stringify(found));
  await close(page);
});

test('leaf-up: the first level is the methods by self weight, the searched share stays', async () => {
  const page = await open('p.html');
  await page.fill('#query', 'Service');
  const before = await page.textContent('#result');
  await page.click('#view-leaf');
  assert.equal(await page.textContent('#result'), before);
  const self = new Map();
  for (const s of stacks) {
    const leaf = s.frames[s.frames.length - 1];
    const key = `${leaf.name} ${kindGroup(leaf.kind)}`;
    self.set(key, (self.get(key) ?? 0) + s.weight);
  }
  const have = await page.evaluate(() => {
    const { view, profile } = window.wickFlame;
    const out = [];
    for (let c = view.first(0); c >= 0; c = view.next(c)) out.push([profile.names[view.name[c]], view.kind[c], view.total[c]]);
    return out;
  });
  assert.equal(have.length, self.size);
  for (const [name, kind, weight] of have) assert.equal(self.get(`${name} ${kindGroup(kind)}`), weight);
  await page.keyboard.press('n');
  assert.match(await page.textContent('#toast'), /top-down/);
  await page.click('#clear');
  await clickBox(page, [have[0][0]]);
  assert.equal((await state(page)).x1 - (await state(page)).x0, have[0][2]);
  await page.waitForTimeout(100);
  await shot(page, 'leaf-up');
  await close(page);
});

test('keyboard: everything can be done without a mouse', async () => {
  const page = await open('p.html');
  const selected = () => page.evaluate(() => window.wickFlame.state.selected);
  await page.focus('#tree');
  assert.equal(await selected(), 0);
  await page.keyboard.press('ArrowUp');
  const first = await selected();
  assert.equal(await page.evaluate((n) => window.wickFlame.view.depth[n], first), 1);
  await page.keyboard.press('ArrowLeft');
  const left = await selected();
  assert.ok(await page.evaluate(([a, b]) => window.wickFlame.view.start[a] < window.wickFlame.view.start[b], [left, first]));
  await page.keyboard.press('ArrowRight');
  assert.equal(await selected(), first);
  await page.keyboard.press('ArrowUp');
  const child = await selected();
  await page.keyboard.press('Enter');
  assert.equal((await state(page)).zoom, child);
  await page.keyboard.press('Backspace');
  assert.equal((await state(page)).zoom, first);
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).zoom, 0);
  await page.keyboard.press('/');
  await page.keyboard.type('run');
  assert.equal((await state(page)).query, 'run', 'letters typed into the search are no commands');
  await page.keyboard.press('Escape');
  assert.equal((await state(page)).query, '');
  await page.keyboard.press('i');
  assert.equal((await state(page)).leafUp, true);
  assert.equal((await state(page)).icicle, true);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate((n) => window.wickFlame.view.depth[n], await selected()), 1);
  await page.keyboard.press('o');
  assert.equal((await state(page)).icicle, false);
  await page.keyboard.press('?');
  assert.equal(await page.isVisible('#help-box'), true);
  await page.keyboard.press('Escape');
  assert.equal(await page.isVisible('#help-box'), false);
  await close(page);
});

test('screen reader: a tree with levels, names and weights, and a spoken detail', async () => {
  const page = await open('p.html');
  await holds(page, () => document.querySelectorAll('[role=tree] [role=treeitem]').length > 20);
  const items = await page.locator('[role=tree] [role=treeitem]').all();
  assert.ok(items.length > 20 && items.length <= 250, String(items.length));
  assert.match(await items[0].textContent(), /^all, 100 % total, 0 % self$/);
  const thread = page.getByRole('treeitem', { name: /^\[http-worker-1\], [\d.]+ % total, 0 % self, Boundary$/ });
  assert.equal(await thread.getAttribute('aria-level'), '2');
  assert.equal(await thread.getAttribute('aria-expanded'), 'true');
  assert.ok(Number(await thread.getAttribute('aria-setsize')) >= 8);
  await page.focus('#tree');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await holds(page, () => /^java\/lang\/Thread\.run;/.test(document.getElementById('live').textContent));
  await holds(page, () => document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant'))?.getAttribute('aria-selected') === 'true');
  assert.match(await page.textContent('#live'), /^java\/lang\/Thread\.run; total .* of all; self .*; .*(C2|C1|Inlined).*; line/);
  await close(page);
});

test('dark: follows the system, the button overrides, the painted page is dark', async () => {
  const corner = () => Array.from(document.getElementById('canvas').getContext('2d').getImageData(4, 4, 1, 1).data.slice(0, 3));
  const light = () => Math.min(...document.getElementById('canvas').getContext('2d').getImageData(4, 4, 1, 1).data.slice(0, 3)) > 200;
  const page = await open('p.html', { colorScheme: 'dark' });
  assert.ok(Math.max(...(await page.evaluate(corner))) < 60);
  await shot(page, 'dark');
  await page.click('#theme');
  await holds(page, light);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.keyboard.press('d');
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  await close(page);
});

test('hostile names: nothing runs, nothing is injected, nothing turns the text round', async () => {
  const page = await open('p.html');
  const fixed = await page.evaluate(() => document.querySelectorAll('script').length);
  for (const name of HOSTILE) {
    const shown = name.replace(/\0/g, '\ufffd');
    const b = await boxOf(page, ['[hostile]', shown]);
    assert.ok(b.node > 0, name);
    await page.mouse.move(b.x + b.w / 2, b.y + 8);
    await page.evaluate((n) => window.wickFlame.select(n), b.node);
    await holds(page, (end) => ['#dock .name', '#live', '#tree'].every((part) => document.querySelector(part).textContent.includes(end)), name.slice(-4));
    const parts = ['#dock .name', '#tooltip', '#live', '#tree'];
    const text = await page.evaluate((list) => list.map((part) => document.querySelector(part).textContent).join(' '), parts);
    assert.equal(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/u.exec(text)?.[0].codePointAt(0), undefined, name);
    assert.ok(text.includes(name.slice(-4)), name);
  }
  assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), fixed);
  assert.equal(await page.locator('img, iframe, object, embed').count(), 0);
  assert.equal(await page.locator('main svg').count(), 0);
  await close(page);
});

test('security policy: a script that got into the page does not run', async () => {
  const page = await open('p.html');
  await page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src="x:" onerror="window.pwned = 1">');
    const s = document.createElement('script');
    s.textContent = 'window.pwned = 2';
    document.body.append(s);
  });
  for (let tries = 0; trouble.length < 2 && tries < 3000; tries++) await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.ok(trouble.length >= 2 && trouble.every((t) => /Content Security Policy|^request: x:/.test(t)), trouble.join('\n'));
  trouble = [];
  await close(page);
});

test('address: the fragment brings back view, zoom and search', async () => {
  const page = await open('p.html');
  await page.fill('#query', 'Service');
  await clickBox(page, ['[http-worker-1]', 'java/lang/Thread.run']);
  await page.click('#legend button:has-text("C2")');
  const url = await page.evaluate(() => location.href);
  const s = await state(page);
  assert.equal(s.kinds, 2);
  await close(page);
  const again = await open('p.html', { hash: url.slice(url.indexOf('#')) });
  const t = await state(again);
  assert.deepEqual([t.zoom, t.query, t.kinds, t.leafUp, t.x0, t.x1], [s.zoom, 'Service', 2, false, s.x0, s.x1]);
  await again.click('#view-leaf');
  const b = await again.evaluate(() => window.wickFlame.heaviestChild(0));
  await again.evaluate((n) => window.wickFlame.zoomTo(n), b);
  const leafUrl = await again.evaluate(() => location.href);
  const name = await again.evaluate((n) => window.wickFlame.profile.names[window.wickFlame.view.name[n]], b);
  await close(again);
  const leaf = await open('p.html', { hash: leafUrl.slice(leafUrl.indexOf('#')) });
  const u = await state(leaf);
  assert.equal(u.leafUp, true);
  assert.equal(await leaf.evaluate(() => window.wickFlame.profile.names[window.wickFlame.view.name[window.wickFlame.state.zoom]]), name);
  await close(leaf);
  const nonsense = await open('p.html', { hash: '#zoom=zz-9.%00&kinds=-~&view=&search=(((&root=x' });
  assert.equal((await state(nonsense)).zoom, 0);
  await close(nonsense);
});

test('hover: the tooltip stays off the box and inside the window', async () => {
  const page = await open('p.html');
  for (const path of [['[http-worker-1]'], ['[order-pool-1]', 'java/lang/Thread.run'], []]) {
    const b = await boxOf(page, path);
    await page.mouse.move(b.x + b.w - 5, b.y + 8);
    await holds(page, (name) => document.querySelector('#tooltip strong')?.textContent === name, path.length ? path[path.length - 1].replace('java/lang/', '') : 'all');
    const t = await page.locator('#tooltip').boundingBox();
    assert.ok(t.y >= b.y + 18 || t.y + t.height <= b.y, `${JSON.stringify(t)} covers ${JSON.stringify(b)}`);
    assert.ok(t.x >= 0 && t.x + t.width <= 1280 && t.y >= 0 && t.y + t.height <= 800);
  }
  await close(page);
});

test('legend: shares add up to all, a click highlights the kind', async () => {
  const page = await open('p.html');
  const shares = await page.locator('#legend .quiet').allTextContents();
  const sum = shares.reduce((n, t) => n + parseFloat(t), 0);
  assert.ok(Math.abs(sum - 100) < 0.3, shares.join());
  for (const [label, kind] of [['Kernel', 5], ['Not sampled', 11]]) {
    const weight = stacks.filter((s) => s.frames.some((f) => f.kind === kind)).reduce((n, s) => n + s.weight, 0);
    assert.ok(weight > 0);
    await page.click(`#legend button:has-text("${label}")`);
    assert.equal(await page.textContent('#result'), `${formatPercent(weight, total)} matched`);
    await page.click(`#legend button:has-text("${label}")`);
  }
  await close(page);
});

test('narrow: nothing sticks out of a phone', async () => {
  const page = await open('p.html', { viewport: { width: 390, height: 760 } });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  for (const id of ['query', 'view-leaf', 'theme', 'help']) assert.ok((await page.locator(`#${id}`).boundingBox()).x < 380, id);
  await shot(page, 'narrow');
  await close(page);
});

test('print: white paper, no controls, and back again', async () => {
  const page = await open('p.html', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.isVisible('#query'), false);
  assert.equal(await page.isVisible('#legend'), true);
  assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
  await shot(page, 'print');
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  await close(page);
});

test('picture: the SVG zooms, searches, and holds hostile names as text', async () => {
  const page = await open('p.svg');
  await shot(page, 'svg');
  const boxes = await page.evaluate(() => document.documentElement.wickSvg.boxes.length);
  assert.ok(boxes > 200);
  assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 1);
  const titles = await page.evaluate(() => document.documentElement.wickSvg.boxes.map((b) => b.name));
  for (const name of HOSTILE.slice(0, 4).concat(HOSTILE[6], HOSTILE[7])) assert.ok(titles.includes(name), name);
  assert.ok(titles.every((t) => !/[\u0000-\u001f\u202e\u2066]/.test(t)));
  const i = titles.indexOf('[http-worker-1]');
  await page.locator('#frames > g').nth(i).click();
  assert.equal(await page.evaluate((n) => Number(document.documentElement.wickSvg.boxes[n].rect.getAttribute('width')), i), 1176);
  await page.locator('#reset').click();
  page.once('dialog', (d) => d.accept('Thread\\.run'));
  await page.locator('#search').click();
  const want = matchedBy(/Thread\.run/);
  assert.equal(await page.textContent('#matched'), `Matched: ${((100 * want) / total).toFixed(2)} % of what is drawn`);
  await close(page);
});
