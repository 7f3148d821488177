// SPDX-License-Identifier: Apache-2.0
// The search of `wick ui` on pages without a flame graph: what matches is marked in tables, stacks and sentences, and the address has it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placesIn } from '../../web/ui/find.js';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, MODES, SHOTS, stage, WICK } from './ui-page.mjs';

const { pages } = await stage((dir, story) => ({ recordings: [describe(WICK, 'r1', story('requests')), describe(WICK, 'r2', story('locks'), { start_ns: 1700000000e9, end_ns: 1700000006e9 })] }));
const WALL = 'profiler.WallClockSample';

/** What is marked, in the order of the page. */
const marked = (page, name = 'found') => page.evaluate((key) => [...CSS.highlights.get(key) ?? []].map(String), name);
/** Waits until at least so much is marked, and nothing else than that; least 0: nothing. */
const marks = (page, least, like = /^$/) => page.waitForFunction(([n, source]) => {
  const found = [...CSS.highlights.get('found') ?? []].map(String);
  return found.length >= n && found.every((text) => new RegExp(source).test(text));
}, [least, like.source]);

test('places: a match may go over several texts, and nothing is no match', () => {
  assert.deepEqual(placesIn(['com.acme.', 'Shop.buy', ''], /acme\.Shop/i), [[[0, 4], [1, 4]]]);
  assert.deepEqual(placesIn(['ab', 'ab'], /ab/), [[[0, 0], [0, 2]], [[1, 0], [1, 2]]]);
  assert.deepEqual(placesIn(['abc'], /x*/), []);
  assert.deepEqual(placesIn([], /a/), []);
  assert.deepEqual(placesIn(['a'], /a$/u), [[[0, 0], [0, 1]]]);
});

for (const [mode, options] of MODES) {
  test(`search: methods that match are left in the table and marked, with the field in sight, ${mode}`, async () => {
    const page = await pages.open(`#/r/r1/cpu?event=${WALL}&idle=1&show=methods&search=Service.method[12]`, options);
    await page.waitForSelector('.find.on');
    await marks(page, 2, /^Service.method[12]$/);
    assert.equal(await page.inputValue('#find'), 'Service.method[12]');
    await pages.settled(page);
    assert.equal(await page.textContent('.find output'), String((await marked(page)).length));
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    await page.screenshot({ path: `${SHOTS}/ui-find-${mode}.png` });
    const some = await page.locator('tbody tr').count();
    await page.focus('#find');
    await page.keyboard.press('Escape');
    await marks(page, 0);
    await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length > n && !location.hash.includes('search='), some);
    await pages.close(page);
  });
}

test('search: a key reaches it, Enter goes from hit to hit, and the next page and a new answer are searched as well', async () => {
  const page = await pages.open('#/r/r1/slow?trace=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01');
  await page.waitForSelector('#trace rect.bar');
  await pages.settled(page);
  await page.keyboard.press('/');
  await page.keyboard.type('get /');
  await marks(page, 3, /^GET \/$/);
  const n = (await marked(page)).length;
  await page.keyboard.press('Enter');
  await says(page, '#live', new RegExp(`^1 of ${n}: GET /`));
  assert.deepEqual(await marked(page, 'hit'), ['GET /']);
  await page.keyboard.press('Shift+Enter');
  await says(page, '#live', new RegExp(`^${n} of ${n}: `));
  await page.fill('#find', 'method5');
  await page.click('#trace rect.bar.monitor'); // its stack comes into the page
  await marks(page, 2, /^method5$/);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('2');
  await page.keyboard.press('n');
  await says(page, '#live', /^1 of \d+: method5/);
  await page.click('.tabs a:has-text("CPU")');
  await page.waitForFunction(() => document.querySelector('#query')?.value === 'method5');
  assert.equal(await page.isVisible('#find'), false, 'the flame graph has a field of its own');
  await pages.close(page);
});

test('search: what is no regular expression is searched as text, and pictures of small multiples follow', async () => {
  const page = await pages.open(`#/r/r1/cpu?event=${WALL}&idle=1&show=groups`);
  await page.waitForSelector('.group canvas');
  await page.fill('#find', 'method2(');
  await says(page, '.find output', /^0$/);
  await marks(page, 0);
  await page.fill('#find', 'worker');
  await marks(page, 3, /^worker$/);
  await pages.close(page);
});

test('search: Escape leaves neither the mark of a hit nor the number of none', async () => {
  const page = await pages.open('#/r/r1/slow');
  await page.waitForSelector('.density .cell', { state: 'attached' });
  await pages.settled(page);
  await page.focus('#find');
  await page.keyboard.type('GET');
  await marks(page, 3, /^GET$/);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => CSS.highlights.get('hit')?.size === 1);
  await page.keyboard.press('Escape');
  await says(page, '.find output', /^$/);
  await page.waitForFunction(() => !CSS.highlights.get('hit')?.size && !CSS.highlights.get('found')?.size);
  await page.keyboard.type('no such text');
  await says(page, '.find output', /^0$/);
  await page.keyboard.press('Escape');
  await says(page, '.find output', /^$/);
  await pages.close(page);
});

test('search: where there is little room a button and a key open it, and it stays while it is used', async () => {
  const page = await pages.open('#/r/r1/slow', MODES.find(([mode]) => mode === 'phone')[1]);
  await page.waitForSelector('.density .cell', { state: 'attached' });
  await pages.settled(page);
  assert.equal(await page.isVisible('#find'), false);
  assert.ok(await page.evaluate(() => document.querySelector('.find').clientWidth) < 40);
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: `${SHOTS}/ui-find-closed-phone.png` });
  await page.click('.find-open');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'find');
  await page.keyboard.type('GET');
  await marks(page, 3, /^GET$/);
  for (let i = 0; i < 3; i++) await page.keyboard.press('Backspace');
  await page.waitForFunction(() => !location.hash.includes('search='));
  await page.keyboard.type('GET /s');
  await marks(page, 1, /^GET \/s$/);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.hash.includes('search='));
  await page.evaluate(() => document.activeElement.blur());
  await page.waitForSelector('.find-open', { state: 'visible' });
  await page.keyboard.press('/');
  await page.keyboard.type('GET');
  await marks(page, 3, /^GET$/);
  await pages.settled(page);
  assert.ok(await fits(page));
  assert.deepEqual(await violations(page), []);
  await pages.close(page);
});

test('search: what is brought into sight moves the page and not what stands above it', async () => {
  const page = await pages.open('#/r/r2/interference', { viewport: { width: 1280, height: 400 } });
  await page.waitForSelector('svg.lock-graph');
  await pages.settled(page);
  await page.fill('#find', 'writer-');
  await marks(page, 3, /^writer-$/);
  const scrolled = () => page.evaluate(() => [...document.querySelectorAll('*')].filter((e) => e.scrollTop > 0).map((e) => e.className || e.tagName));
  await page.keyboard.press('Shift+Enter');
  await page.waitForFunction(() => document.querySelector('.page.scrolls').scrollTop > 0);
  assert.deepEqual(await scrolled(), ['page scrolls stack']);
  await page.evaluate(() => document.querySelector('.page.scrolls').lastElementChild.scrollIntoView({ block: 'end' }));
  assert.deepEqual(await scrolled(), ['page scrolls stack']);
  await pages.close(page);
});

test('search: the field of a flame graph takes what is typed, Delete included, and what the graph has no use for is the browser\u2019s', async () => {
  const page = await pages.open(`#/r/r1/cpu?event=${WALL}&idle=1`);
  await page.waitForFunction(() => window.wickFlame?.started);
  await pages.settled(page);
  await page.evaluate(() => window.wickFlame.select(1));
  await page.keyboard.press('/');
  await page.keyboard.type('methodd1x');
  await page.keyboard.press('Backspace');
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Delete', 'End', '2', 'Home', 'Delete', 'm']) await page.keyboard.press(key);
  assert.equal(await page.inputValue('#query'), 'method12');
  await page.waitForFunction(() => location.hash.includes('search=method12'));
  assert.equal(await page.evaluate(() => location.hash.includes('exclude_path')), false);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'clear');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'query');
  for (const id of ['tree', 'view']) {
    await page.focus(`#${id}`);
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => document.activeElement.id), id);
  }
  const prevented = (where, key) => page.evaluate(([id, name]) => !document.getElementById(id).dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true })), [where, key]);
  await page.focus('#tree');
  assert.deepEqual([await prevented('tree', 'F5'), await prevented('tree', 'ArrowUp'), await prevented('tree', 'Delete')], [false, true, true]);
  await pages.settled(page);
  await pages.close(page);
});
