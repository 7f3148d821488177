// SPDX-License-Identifier: Apache-2.0
// The page Slow of `wick ui`: what it shows after an error, and what the list of traces says of itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { describe } from './ui-fixture.mjs';
import { stage, WICK } from './ui-page.mjs';

const { fixture, pages } = await stage((dir, story) => ({ recordings: [describe(WICK, 'r1', story('requests'))] }));
const first = fixture.recordings.get('r1');

const LIST = 'section.card:nth-of-type(3)';

test('traces: the heading says from where on they are listed only if that is so', async () => {
  const at = (around) => `#/r/r1/slow?endpoint=${encodeURIComponent('GET /slow')}&around=${around}`;
  const { query } = fixture;
  fixture.query = (recording, what, ...more) => {
    if (what === 'endpoints') throw new Error('no endpoints now');
    return query.call(fixture, recording, what, ...more);
  };
  const page = await pages.open(at('p99'));
  await page.waitForSelector(`${LIST} tbody tr`);
  await pages.settled(page);
  assert.match(await page.textContent(`${LIST} h2`), /^Slowest traces of GET \/slow/, 'the percentile is not known');
  delete fixture.query;
  fixture.push({ ...first, size_bytes: first.size_bytes + 2 });
  await says(page, `${LIST} h2`, /^Traces up to the 99th percentile of GET \/slow/);
  await page.evaluate((hash) => { location.hash = hash; }, at('foo'));
  await says(page, `${LIST} h2`, /^Slowest traces of GET \/slow/);
  assert.equal(await page.textContent(`${LIST} [aria-pressed="true"]`), 'Slowest');
  fixture.push(first);
  await pages.settled(page);
  await pages.close(page);
});

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
