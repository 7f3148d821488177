// SPDX-License-Identifier: Apache-2.0
// What the pages of `wick ui` show over time: the zoom of a trace, who had the locks that its threads waited for, and what disturbed
// the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, HOSTILE, MODES, stage, WICK } from './ui-page.mjs';

const SLOW = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01';
const FAST = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb02';
const REPORT = 'cccccccccccccccccccccccccccccc03';
const { fixture, pages } = await stage((dir, story) => ({ recordings: [describe(WICK, 'owners', story('owners')), describe(WICK, 'r1', story('requests')), describe(WICK, 'minute', story('disturbances'), { start_ns: 1700000000e9, end_ns: 1700000060e9 })] }));
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

test('traces: of an endpoint, the slowest or those up to a percentile', async () => {
  const page = await pages.open('#/r/r1/slow?endpoint=GET%20%2Ffast');
  const rows = (n) => page.waitForFunction((wanted) => document.querySelectorAll('[aria-label="Traces, slowest first"] tbody tr').length === wanted, n);
  await rows(2);
  await page.click('[aria-label="Traces from"] button:has-text("Median")');
  await rows(1);
  assert.match(await page.textContent('[aria-label="Traces, slowest first"] tbody'), /10\.0 ms/);
  await says(page, '.card-head h2', /^Traces up to the median of GET \/fast$/);
  assert.deepEqual(await violations(page), []);
  await page.goBack();
  await rows(2);
  await page.click('[aria-label="Latency by endpoint"] tbody tr.picked button'); // of all endpoints there is no percentile
  await rows(3);
  assert.equal(await page.isVisible('[aria-label="Traces from"]'), false);
  await pages.close(page);
});

test('trace: what is chosen stays while the recording grows', async () => {
  const page = await pages.open(`#/r/r1/slow?trace=${SLOW}`);
  await page.click('#trace rect.bar.monitor');
  const said = await page.textContent('#detail');
  assert.match(said, /^monitor, 50\.0 ms/);
  fixture.asked.length = 0;
  await page.evaluate(() => {
    window.wickUi.generation++;
    window.wickUi.route();
  });
  await pages.asks(page, (what) => what.includes(`trace/${SLOW}`));
  await pages.settled(page);
  assert.equal(await page.textContent('#detail'), said);
  assert.equal(await page.locator('#trace rect.chosen').count(), 1);
  await page.click('button[title="Show what its threads did"] >> nth=1');
  await page.waitForFunction(() => /Click a bar/.test(document.querySelector('#detail').textContent), null);
  await pages.close(page);
});

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

test('trace: a zoom that has not come to rest is not one of the trace that is chosen next, or of none', async () => {
  const page = await pages.open(`#/r/owners/slow?trace=${SLOW}`);
  await page.waitForSelector('#trace .ruler');
  await pages.settled(page);
  // A step of the zoom and a click at once, however long the machine takes for either.
  const zoomAnd = (next) => page.evaluate((selector) => {
    const zoom = () => document.querySelector('#trace .ruler').dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }));
    zoom();
    [...document.querySelectorAll(selector)].find((e) => !e.closest('.picked')).click();
    zoom(); // the picture is there until the answer is
  }, next);
  // The timer of the zoom, which was set before this one and is shorter, has gone off then.
  const rest = () => page.evaluate(() => new Promise((done) => { setTimeout(done, 300); }));
  let letGo = null;
  const held = new Promise((done) => { letGo = done; });
  await page.route(/\/trace\//, async (route) => {
    await held;
    await route.continue();
  });
  await zoomAnd('button[title="Show what its threads did"]');
  await rest();
  const address = await page.evaluate(() => location.hash);
  assert.match(address, /trace=/);
  assert.doesNotMatch(address, new RegExp(`${SLOW}|part=`));
  letGo();
  await pages.settled(page);
  assert.match(await shown(page), /^all of/);
  await zoomAnd('#trace button[title="Close the trace"]');
  await rest();
  assert.doesNotMatch(await page.evaluate(() => location.hash), /trace=|part=/);
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

const disturbed = 'section.card:has(h2:text-is("Disturbances over time"))';
const rowsOf = (page, caption) => page.$$eval(`${disturbed} caption`, (all, text) => [...all.find((c) => c.textContent === text)?.parentNode.tBodies[0].rows ?? []].map((tr) => [...tr.cells].map((c) => c.textContent)), caption);

for (const [mode, options] of MODES) {
  test(`interference: what disturbed the program over time, ${mode}`, async () => {
    const page = await pages.open('#/r/minute/interference', options);
    await page.waitForSelector(`${disturbed} svg.series path.area`);
    await page.click(`${disturbed} summary`);
    await pages.settled(page);
    const legends = await page.$$eval('.disturbance', (all) => all.map((e) => [...e.querySelectorAll('li')].map((li) => li.textContent)));
    assert.deepEqual(legends, [['GC pauses 0.50 %', 'CPU limit 3.33 %'], ['CPU pressure 10.0 %'], ['stolen by the hypervisor 4.17 %', 'other processes 10.0 %'], ['compiling 8.33 %'], ['methods compiled 500', 'deoptimisations 25']], 'of a minute');
    assert.match(await page.textContent(disturbed), /Nothing of: memory pressure, I\/O pressure\./);
    assert.deepEqual((await rowsOf(page, 'Disturbances by time'))[40].slice(0, 4), ['22:13:30.000', '\u2013', '50.0 ms', '25.0 ms']);
    assert.deepEqual(await rowsOf(page, 'Long compilations'), [['com.example.Big.parse', '300 ms', '300 ms', '1']]);
    assert.deepEqual(await rowsOf(page, 'Deoptimisations by reason'), [['class_check', '25']]);
    assert.equal((await rowsOf(page, 'Other processes by CPU time'))[0][1], '2.00 s');
    assert.equal(await page.$$eval('#view img', (all) => all.length), 0, 'a hostile name is text');
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    await page.click(`${disturbed} summary`);
    await page.$eval('.disturbance', (e) => e.parentNode.scrollIntoView());
    await pages.looks(page, `ui-disturbances-${mode}.png`);
    await pages.close(page);
  });
}

test('interference: the range that is chosen is that of the tables, by keys as well', async () => {
  const page = await pages.open('#/r/minute/interference?from=1700000040000000000&to=1700000060000000000');
  await page.waitForSelector('.disturbance svg.series path.area');
  await pages.settled(page);
  assert.equal((await rowsOf(page, 'Other processes by CPU time'))[0][1], '1.00 s', 'half of its time lies there');
  assert.deepEqual(await rowsOf(page, 'Long compilations'), []);
  await page.focus('.disturbance svg.series >> nth=0');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.hash.includes('from='));
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+PageDown');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /from=1700000000000000000&/.test(location.hash));
  await pages.settled(page);
  assert.deepEqual(await rowsOf(page, 'Other processes by CPU time'), []);
  await pages.close(page);
});
