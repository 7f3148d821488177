// SPDX-License-Identifier: Apache-2.0
// What the pages of `wick ui` show over time: the zoom of a trace, and who had the locks that its threads waited for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, HOSTILE, MODES, stage, WICK } from './ui-page.mjs';

const SLOW = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01';
const FAST = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb02';
const REPORT = 'cccccccccccccccccccccccccccccc03';
const { fixture, pages } = await stage((dir, story) => ({ recordings: [describe(WICK, 'owners', story('owners'))] }));
void fixture;
const shown = (page) => page.textContent('#trace .zoom-tools output');
const locks = (page, n) => page.click(`#trace svg[aria-label^="locks"] rect >> nth=${n}`);

for (const [mode, options] of MODES) {
  test(`trace: the zoom and a lock\u2019s owner, ${mode}`, async () => {
    const page = await pages.open(`#/r/owners/slow?trace=${SLOW}&part=10000000-60000000`, options);
    await page.waitForSelector('#trace svg[aria-label^="locks"]');
    assert.equal(await shown(page), '10.0 ms to 60.0 ms of 100 ms', 'the address holds it');
    await locks(page, 0);
    assert.match(await page.textContent('#detail'), /held by \[worker-2/);
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    assert.equal(await page.$$eval('#trace img, #trace script', (all) => all.length), 0);
    assert.ok((await page.textContent('#trace')).includes(HOSTILE.slice(4, 20)), 'a hostile name is text');
    await pages.looks(page, `ui-trace-owner-${mode}.png`);
    await pages.close(page);
  });
}

test('trace: each zoom is a step that back undoes', async () => {
  const page = await pages.open(`#/r/owners/slow?trace=${SLOW}`);
  await page.waitForSelector('#trace .ruler');
  await page.focus('#trace .ruler');
  await page.keyboard.press('+');
  const zoomed = await shown(page);
  await page.waitForFunction(() => location.hash.includes('part='));
  await page.goBack();
  await page.waitForFunction(() => /^all of/.test(document.querySelector('#trace .zoom-tools output').textContent));
  await page.goForward();
  await page.waitForFunction((text) => document.querySelector('#trace .zoom-tools output').textContent === text, zoomed);
  await page.click('text=Take its time range');
  const [, from, to] = /from=(\d+)&to=(\d+)/.exec(await page.evaluate(() => location.hash));
  assert.ok(Math.abs(Number(to) - Number(from) - 62.5e6) < 1e3, 'what is in sight');
  await pages.close(page);
});

test('trace: the owner of a lock is another request, or works in the background', async () => {
  const page = await pages.open(`#/r/owners/slow?trace=${FAST}`);
  await page.waitForSelector('#trace svg[aria-label^="locks"]');
  await locks(page, 0);
  await page.click('#detail button:has-text("Show its trace: GET /report")');
  await page.waitForFunction((id) => location.hash.includes(`trace=${id}`), REPORT);
  await page.waitForFunction(() => document.querySelector('#trace h2')?.textContent === 'GET /report');
  await page.evaluate((id) => { location.hash = location.hash.replace(/trace=\w+/, `trace=${id}`); }, SLOW);
  await page.waitForSelector('#trace svg[aria-label*="worker-2"]');
  await locks(page, 1);
  await page.click('#detail button:has-text("Show its stacks then")');
  await page.waitForFunction(() => location.hash.includes('/cpu?'));
  const q = new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]);
  assert.deepEqual([q.get('thread'), q.get('event')], ['^worker-3$', 'profiler.WallClockSample']);
  assert.ok(Math.abs(Number(q.get('to')) - Number(q.get('from')) - 5e6) < 1e3, 'the time of the wait');
  await pages.settled(page);
  await pages.close(page);
});
