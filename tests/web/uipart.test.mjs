// SPDX-License-Identifier: Apache-2.0
// Pages of `wick ui` of a recording that is being read: what is shown of the part that has been, and what while others are being read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, MODES, SHOTS, stage, WICK } from './ui-page.mjs';

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

test('compare: parts of both sides, each says how much of it is compared, until all of both is', async () => {
  const side = (name) => `section[aria-label="${name}"] .part-read`;
  for (const [name, options] of MODES) {
    fixture.ofParts = { partial: true, base_read_bytes: 340, base_size_bytes: 1000, read_bytes: 1000, size_bytes: 1000 };
    const page = await open('#/r/r1/compare?base=r1', options);
    await page.waitForSelector('.flame #dock .stats dd', { state: 'attached' });
    await says(page, side('Before'), /^Read 34 %$/);
    await says(page, '.changes-head', /after .* so far;/);
    assert.deepEqual([await page.isHidden(side('After')), await page.locator('.part-note').count()], [true, 0], 'all of that side has been read');
    assert.deepEqual(await violations(page), [], name);
    assert.ok(await fits(page), `${name} is wider than the page`);
    await page.screenshot({ path: join(SHOTS, `ui-compare-part-${name}.png`) });
    fixture.ofParts = { ...fixture.ofParts, read_bytes: 560 };
    await says(page, side('After'), /^Read 56 %$/);
    const top = () => page.evaluate(() => document.querySelector('.compared').getBoundingClientRect().top);
    const before = await top();
    fixture.ofParts = null;
    await page.waitForSelector(side('Before'), { state: 'hidden' });
    await page.waitForSelector(side('After'), { state: 'hidden' });
    await page.waitForFunction(() => !/so far/.test(document.querySelector('.changes-head').textContent));
    await settled(page);
    assert.equal(await top(), before, 'nothing moves');
    await close(page);
  }
});

test('compare: a base that is read or recorded in the meantime is followed, and what it has none of yet is not called missing', async () => {
  const base = { ...first, id: 'r9', name: 'before.jfr', size_bytes: 1000, read_bytes: 345, partial: true };
  fixture.push(base);
  const page = await open('#/r/r1/compare?base=r9&split=1&base_thread=nobody');
  await says(page, '.compared .empty h2', /^Before, no samples yet$/);
  assert.deepEqual(await violations(page), []);
  fixture.push({ ...base, read_bytes: 1000, partial: false });
  await says(page, '.compared .empty h2', /^Before, no samples fit$/);
  await settled(page);
  fixture.asked.length = 0;
  fixture.push({ ...base, read_bytes: 1001, size_bytes: 1001, partial: false });
  await asks(page, (q) => /r1\/diff\?/.test(q));
  await close(page);
  fixture.recordings.set('r9', base);
  const other = await open('#/r/r9/cpu?show=threads&thread=nobody');
  await says(other, '#place .empty h2', /^No samples yet$/);
  fixture.push({ ...base, read_bytes: 1000, partial: false });
  await says(other, '#place .empty h2', /^No samples fit$/);
  await close(other);
  fixture.recordings.delete('r9');
});
