// SPDX-License-Identifier: Apache-2.0
// The page Slow of `wick ui`: what it shows after an error, and what the list of traces says of itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { describe } from './ui-fixture.mjs';
import { stage, WICK } from './ui-page.mjs';

const { fixture, pages } = await stage((dir, story) => ({ recordings: [describe(WICK, 'r1', story('requests'))] }));
const first = fixture.recordings.get('r1');

test('trace: after an answer that failed the same trace is shown again', async () => {
  const page = await pages.open('#/r/r1/slow?trace=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01');
  await page.waitForSelector('#trace rect.bar');
  await pages.settled(page);
  const { query } = fixture;
  fixture.query = (recording, what, ...more) => {
    if (what === 'trace') throw new Error('no trace now');
    return query.call(fixture, recording, what, ...more);
  };
  fixture.push({ ...first, size_bytes: first.size_bytes + 1 });
  await says(page, '#trace', /No trace now/);
  delete fixture.query;
  fixture.push(first);
  await page.waitForSelector('#trace rect.bar');
  await page.waitForSelector('#trace .card-head button:has-text("Close")');
  await pages.close(page);
});
