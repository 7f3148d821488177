// SPDX-License-Identifier: Apache-2.0
// Pages of `wick ui` of a recording that is being read: what is shown of the part that has been, and what while others are being read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { MODES, SHOTS, stage, WICK } from './ui-page.mjs';

const { fixture, pages } = await stage((dir, story) => ({ recordings: [describe(WICK, 'r1', story('requests'))] }));
const first = fixture.recordings.get('r1');

const open = (hash, options) => pages.open(hash, options);
const close = (page) => pages.close(page);
const settled = (page) => pages.settled(page);
const asks = (page, good) => pages.asks(page, good);

test('a large recording: the part that has been read is shown as that, without a jump, until all of it is', async () => {
  const large = { ...first, id: 'r9', name: 'large.jfr', path: first.path, size_bytes: 1000, read_bytes: 345, partial: true };
  fixture.push(large);
  for (const [name, options] of MODES) {
    fixture.push(large);
    const page = await open('#/r/r9/cpu', options);
    await page.waitForSelector('#place .flame #dock .stats dd', { state: 'attached' });
    await settled(page);
    assert.equal(await page.textContent('.part-read'), 'Read 34 %');
    assert.ok(fixture.asked.some((q) => /r9\/flame\?.*partial=1/.test(q)), 'it asks for a part');
    assert.deepEqual(await violations(page), [], name);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than the page`);
    await page.screenshot({ path: join(SHOTS, `ui-part-${name}.png`) });
    const top = () => page.evaluate(() => document.querySelector('#place').getBoundingClientRect().top);
    const before = await top();
    await page.evaluate(() => { window.kept = window.wickFlame.profile; });
    fixture.push({ ...large, read_bytes: 999 });
    await page.waitForFunction(() => window.wickFlame.profile !== window.kept);
    assert.equal(await page.textContent('.part-read'), 'Read 99 %');
    await settled(page);
    fixture.asked.length = 0;
    fixture.push({ ...large, read_bytes: 1000, partial: false });
    await page.waitForFunction(() => document.querySelector('.part-read').hidden);
    await asks(page, (q) => /r9\/flame/.test(q) && !/partial/.test(q));
    await settled(page);
    assert.equal(await top(), before, 'nothing moves');
    await close(page);
  }
  fixture.recordings.delete('r9');
});

test('reading: what is not read yet, since others are being read, is asked for again', async () => {
  fixture.recordings.set('r8', { ...first, id: 'r8', events: [] }); // not read yet
  for (const id of ['r8', 'r1']) { // the recording itself, and a question about one
    fixture.asked.length = 0;
    fixture.crowded = Infinity;
    const page = await open('#/');
    await page.evaluate((hash) => { location.hash = hash; }, `#/r/${id}/explain`);
    await asks(page, (q) => q.startsWith(`GET recordings/${id}`));
    await page.waitForSelector('.reading');
    fixture.asked.length = 0;
    await asks(page, (q) => q.startsWith(`GET recordings/${id}`)); // again
    assert.equal(await page.locator('.error').count(), 0);
    assert.equal(await page.locator('.reading').count(), 1);
    fixture.crowded = 0;
    await page.waitForSelector('.finding, .empty');
    assert.equal(await page.locator('.error, .reading').count(), 0);
    await close(page);
  }
  fixture.recordings.delete('r8');
});

test('reading: who has left a recording that is not read yet does not go on asking about it', async () => {
  fixture.recordings.set('r8', { ...first, id: 'r8', events: [] }); // not read yet
  fixture.crowded = Infinity;
  for (const id of ['r8', 'r1']) {
    const page = await open('#/');
    await page.evaluate((hash) => { location.hash = hash; }, `#/r/${id}/cpu`);
    await page.waitForSelector('.reading');
    if (id === 'r1') await page.focus('.adder input'); // which asks for suggestions
    await asks(page, (q) => q.startsWith(`GET recordings/${id}${id === 'r1' ? '/labels' : ''}`));
    await page.evaluate(() => { location.hash = '#/'; });
    await page.waitForSelector('.recording h3');
    fixture.asked.length = 0;
    const polls = () => fixture.asked.filter((q) => q === 'GET jvms').length; // each comes later than what is tried again
    while (polls() < 3) await page.waitForTimeout(50);
    assert.deepEqual(fixture.asked.filter((q) => q.startsWith(`GET recordings/${id}`)), []);
    await close(page);
  }
  fixture.crowded = 0;
  fixture.recordings.delete('r8');
});

test('explain: what is of a part says so, and is asked for again until it is of all', async () => {
  fixture.parts = Infinity; // until the note has been read
  const page = await open('#/r/r1/explain');
  await page.waitForSelector('.part-note');
  assert.match(await page.textContent('.part-note'), /part that has been read/);
  fixture.asked.length = 0;
  fixture.parts = 1; // and then all
  await page.waitForFunction(() => !document.querySelector('.part-note') && document.querySelector('.finding, .empty'));
  assert.equal(fixture.parts, 0);
  assert.equal(fixture.asked.filter((q) => /r1\/explain\?.*partial=1/.test(q)).length, 2);
  await close(page);
});
