// SPDX-License-Identifier: Apache-2.0
// Live objects over time on the page Memory of `wick ui`, of a recording that is known to the byte (tests/jfr/live_story.h), and the heap
// before and after its collections.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, MODES, SHOTS, stage, WICK, WIDE } from './ui-page.mjs';

const STORY_NS = 1700000000e9;
const at = (second) => STORY_NS + second * 1e9;
const LIVE = 'section.growth';
const ROWS = '[aria-label="Live objects, by growth"] tbody tr';

const { fixture, pages } = await stage((dir, story) => ({ recordings: [
  describe(WICK, 'r1', story('live'), { start_ns: STORY_NS, end_ns: at(61) }),
  describe(WICK, 'r2', story('memory'), { start_ns: STORY_NS, end_ns: at(305) }),
  { ...describe(WICK, 'r3', story('live'), { start_ns: STORY_NS, end_ns: at(61) }), live: true, events: [] }] }));

const cells = (page) => page.locator(ROWS).evaluateAll((rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));

for (const [mode, options] of [...MODES, WIDE]) {
  test(`growth: classes over time, with a table that says the same, ${mode}`, async () => {
    const page = await pages.open('#/r/r1/memory', options);
    await says(page, LIVE, /Bytes alive at 6 moments, estimated/);
    await page.waitForSelector(ROWS);
    assert.deepEqual((await cells(page)).map(([name, first, last, , samples]) => [name, first, last, samples]), [
      ['app.Session<img src=x onerror=alert(1)>', '4.00 MiB', '24.0 MiB', '24'], ['char[]', '20.0 MiB', '20.0 MiB', '20'], ['byte[]', '\u2013', '\u2013', '1']]);
    const growth = (await cells(page)).map((row) => row[3]);
    assert.match(growth[0], /^\+410 KiB\/s \u00b1 18\d KiB$/);
    assert.deepEqual(growth.slice(1), ['steady', 'steady']);
    assert.deepEqual(await page.locator(`${LIVE} path.area`).count(), 4, 'three classes and the others');
    await says(page, `${LIVE} .series-legend`, /app\.Session<img src=x onerror=alert\(1\)> 5[45](\.\d)? ?%char\[\] 4[56](\.\d)? ?%/);
    await page.locator(LIVE).scrollIntoViewIfNeeded();
    await pages.settled(page);
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    await page.locator(LIVE).screenshot({ path: join(SHOTS, `ui-growth-${mode}.png`) });
    await page.locator('section.card:has([aria-label="Collections over time"])').screenshot({ path: join(SHOTS, `ui-heaps-${mode}.png`) });
    await pages.close(page);
  });
}

test('growth: methods, and a range from the picture', async () => {
  const page = await pages.open('#/r/r1/memory');
  await page.click(`${LIVE} .segment button:has-text("Method")`);
  await says(page, ROWS, /app\.Main\.put/);
  assert.match(await page.evaluate(() => location.hash), /live_by=method/);
  assert.deepEqual((await cells(page)).map((row) => row[0]), ['app.Main.put', 'app.Main.load']);
  await page.locator(`${LIVE} svg.series`).scrollIntoViewIfNeeded();
  await pages.settled(page);
  const box = await page.locator(`${LIVE} svg.series`).boundingBox();
  const x = (second) => box.x + 64 + ((box.width - 76) * second) / 61;
  await page.mouse.move(x(15), box.y + 60);
  await page.mouse.down();
  await page.mouse.move(x(45), box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => /[?&]from=\d+&to=\d+/.test(location.hash));
  await page.waitForFunction((rows) => /16\.0 MiB/.test(document.querySelector(rows)?.textContent), ROWS);
  assert.deepEqual((await cells(page))[0].slice(0, 3), ['app.Main.put', '8.00 MiB', '16.0 MiB'], 'of the moments at seconds 20, 30 and 40');
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/memory?from=${at(15)}&to=${at(25)}`);
  await says(page, LIVE, /growth needs the live objects of two moments, and the chosen time has those of 1/i);
  await pages.close(page);
});

test('growth: a row leads to the stacks that allocated, also from a chosen time; one of which nothing is left leads nowhere', async () => {
  const page = await pages.open(`#/r/r1/memory?from=${at(15)}&to=${at(45)}`);
  await page.waitForFunction((rows) => /16\.0 MiB/.test(document.querySelector(rows)?.textContent), ROWS);
  assert.equal(await page.locator(`${ROWS} button`).count(), 2);
  assert.equal(await page.locator(`${ROWS}:has-text("byte[]") button`).count(), 0);
  await page.click(`${ROWS}:has-text("byte[]")`);
  assert.match(await page.evaluate(() => location.hash), /\/memory\?/);
  await page.click(`${ROWS} button:has-text("app.Session")`);
  await page.waitForFunction(() => /\/cpu\?/.test(location.hash));
  const q = new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]);
  assert.equal(q.get('event'), 'profiler.LiveObject');
  assert.equal(q.get('from'), null, 'they are of the end of the recording');
  assert.equal(q.get('filter'), '^app\\.Session<img src=x onerror=alert\\(1\\)>$');
  await says(page, '#place', /24\.0 MiB/);
  await pages.close(page);
});

test('growth: without live objects the page says how to record them', async () => {
  const page = await pages.open('#/r/r2/memory');
  await says(page, LIVE, /No live objects over time.*has no samples of live objects.*wick record -e cpu,live -d 60 PID/s);
  assert.deepEqual(fixture.asked.filter((q) => /r2\/live/.test(q)), [], 'all of the file would be read for it');
  assert.deepEqual(await violations(page), []);
  await pages.close(page);
});

test('growth: while it is recorded no row leads to samples, which are written at the end', async () => {
  const page = await pages.open('#/r/r3/memory');
  await page.waitForSelector(ROWS);
  assert.equal((await cells(page)).length, 3);
  assert.equal(await page.locator(`${ROWS} button`).count(), 0);
  await page.click(`${ROWS}:has-text("app.Session")`);
  assert.match(await page.evaluate(() => location.hash), /\/memory/);
  await pages.close(page);
});

test('growth: a choice by method is no choice of the page CPU', async () => {
  const page = await pages.open('#/r/r1/memory');
  await page.click(`${LIVE} .segment button:has-text("Method")`);
  await says(page, ROWS, /app\.Main\.put/);
  await page.click('nav.tabs a:has-text("CPU")');
  await page.waitForSelector('#place .flame canvas');
  assert.equal(await page.locator('[aria-label="Show as"] [aria-pressed="true"]').textContent(), 'Flame graph');
  await pages.close(page);
});

test('growth: the table says where there are more rows than it has, shares are of all that is alive, and each command is copied by its name', async () => {
  const page = await pages.open('#/r/r1/memory');
  await page.route('**/live/series?*', async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, total: 900, rows: answer.rows.slice(0, 1), others: answer.others.map(() => 72 * 1048576) } });
  });
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/memory?from=${at(5)}&to=${at(61)}`);
  await says(page, LIVE, /1 of 900 rows/);
  assert.equal(await page.locator(`${ROWS} .cell-bar`).evaluate((bar) => bar.style.width), '25%');
  await page.click('.export summary');
  assert.deepEqual(await page.locator('.export-command').evaluateAll((all) => all.map((c) => [c.querySelector('button').getAttribute('aria-label'), c.textContent.replace(/\/\S*\//, '').replace(/Copy$/, '')])), [
    ['Copy: wick memory', 'wick memory --from @1700000005.000000000 --to @1700000061.000000000 live.jfr'],
    ['Copy: wick top', 'wick top --growth --by object --from @1700000005.000000000 --to @1700000061.000000000 live.jfr']]);
  await pages.close(page);
});
