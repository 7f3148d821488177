// SPDX-License-Identifier: Apache-2.0
// What the pages of `wick ui` are drawn from, as CSV files: in the menu Export of each, with what the page shows.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { leakyHeap } from './hprof.mjs';
import { describe, describeHeap } from './ui-fixture.mjs';
import { stage, table, WICK } from './ui-page.mjs';

const { pages } = await stage((dir, story) => {
  const heap = join(dir, 'leak.hprof');
  writeFileSync(heap, leakyHeap({ session: 'session' }));
  const time = (s) => ({ start_ns: 1700000000e9, end_ns: 1700000000e9 + s * 1e9 });
  return { recordings: [describe(WICK, 'r1', story('owners')), describe(WICK, 'locks', story('locks'), time(6)), describe(WICK, 'memory', story('memory'), time(300)), describe(WICK, 'live', story('live'), time(61)),
    describe(WICK, 'minute', story('disturbances'), time(60)), describeHeap('heap', heap)] };
});

/** The cells of a CSV file. */
function parse(text) {
  const rows = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/g)) {
    rows[rows.length - 1].push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  rows.pop();
  const [heads, ...lines] = rows;
  return lines.map((cells) => Object.fromEntries(heads.map((head, i) => [head, cells[i]])));
}

/** Opens the menu, and gives the names of the tables in it. */
async function offeredOn(page) {
  await pages.settled(page);
  await page.$$eval('.export-box button[aria-label*=" as CSV, "]', (all) => all.forEach((b) => b.remove())); // of the last time that it was open
  await page.click('.export summary');
  await page.waitForSelector('.export-box button[aria-label*=" as CSV, "]');
  return page.$$eval('.export-box button[aria-label*=" as CSV, "]', (all) => all.map((b) => b.textContent));
}

/** Opens the menu, saves the tables of these names, and gives what is in them. */
async function saved(page, names) {
  const offered = await offeredOn(page);
  const out = {};
  for (const name of names) {
    assert.ok(offered.includes(name), `${name} is among ${offered.join('; ')}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.export-box button[aria-label^="${name} as CSV"]`)]);
    assert.match(download.suggestedFilename(), /\.csv$/);
    out[name] = parse(readFileSync(await download.path(), 'utf8'));
  }
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  return out;
}

test('csv: Slow has endpoints, traces, latency and the trace, as its filters have them', async () => {
  const page = await pages.open('#/r/r1/slow?endpoint=GET+%2Fslow&trace=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01');
  await page.waitForSelector('#trace rect.monitor');
  const files = await saved(page, ['endpoints', 'traces', 'latency, columns', 'trace, traces.spans', 'trace, traces.threads.bars', 'trace, traces.threads.waits']);
  assert.deepEqual(files.endpoints.map((r) => [r.endpoint, r.count]).sort(), [['', '0'], ['GET /fast', '2'], ['GET /report', '1'], ['GET /slow', '1']]);
  assert.deepEqual(files.traces.map((r) => [r.endpoint, r.latency_ns]), [['GET /slow', '100000000']], 'only what the filter leaves');
  assert.equal(files['latency, columns'].reduce((sum, r) => sum + Number(r.count), 0), 1);
  assert.deepEqual(files['trace, traces.spans'].map((r) => r.duration_ns), ['100000000', '40000000', '50000000']);
  assert.equal(files['trace, traces.threads.bars'][0].of, '[worker-1 tid=101]');
  assert.equal(files['trace, traces.threads.waits'][0]['owner.trace'], 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01');
  assert.ok(files['trace, traces.spans'][2].operation.includes('<script>'), 'names are as they are');
  await pages.close(page);
});

test('csv: Memory, Interference, Explain, the heatmap, threads and a heap have theirs', async () => {
  const of = async (hash, selector, names) => {
    const page = await pages.open(hash);
    await page.waitForSelector(selector);
    const files = await saved(page, names);
    await pages.close(page);
    return files;
  };
  const memory = await of('#/r/memory/memory', '#place svg.series', ['memory, parts', 'memory series', 'collections', 'collections, causes']);
  assert.equal(memory['memory series'].length, 30);
  assert.equal(memory['memory series'][1]['Java heap'], String((200 + 6) * 1048576));
  assert.equal(memory.collections.length, 60, 'all, not the dozen of the table');
  const live = await of('#/r/live/memory', '[aria-label="Live objects, by growth"] tbody tr', ['collections', 'live series', 'live series, rows', 'live series of the chosen time, rows']);
  assert.deepEqual(live['live series'].map((r) => [r['char[]'], r['byte[]'], r.others]), [0, 1, 2, 3, 4, 5].map((i) => ['20971520', i === 2 ? '1048576' : '0', '0']));
  assert.deepEqual(live['live series, rows'].map((r) => [r.name, r.last]), [['app.Session<img src=x onerror=alert(1)>', '25165824'], ['char[]', '20971520'], ['byte[]', '0']]);
  const locks = await of('#/r/locks/interference', 'svg.lock-graph', ['locks, flows', 'safepoints, worst', 'safepoints, blame', 'explain, findings']);
  assert.equal(locks['safepoints, worst'].length, 6);
  assert.ok(locks['locks, flows'].some((r) => r.waiter.startsWith('<script>')));
  const minute = await of('#/r/minute/interference', '.disturbance svg', ['disturbances, series', 'disturbances, neighbours']);
  assert.equal(minute['disturbances, series'].length, 240);
  assert.equal(minute['disturbances, series'].reduce((sum, r) => sum + Number(r['steal (ns)']), 0), 2.5e9);
  const explain = await of('#/r/locks/explain', '.findings', ['explain, findings']);
  assert.ok(explain['explain, findings'].every((r) => r.rule && r.sentence && Number(r.cost_ns) >= 0));
  const cells = await of('#/r/r1/cpu?event=profiler.WallClockSample&idle=1&heat=auto', '.heat-stage canvas', ['heat, cells']);
  assert.ok(cells['heat, cells'].reduce((sum, r) => sum + Number(r.weight), 0) > 2e9);
  const heap = await of('#/r/heap', 'svg.chains', ['heap, classes', 'heap, suspects', 'heap, dominators']);
  assert.ok(heap['heap, classes'].length > 3);
  const threads = await of('#/r/r1/cpu?event=profiler.WallClockSample&idle=1&show=threads', '#place table', ['threads']);
  assert.deepEqual(threads.threads.map((r) => r.name.replace(/ <.*/, '')), ['worker-3', 'worker-1', 'worker-2']);
});

test('csv: each page has what it shows, and nothing of the one before it', async () => {
  const page = await pages.open('#/r/r1/cpu?event=profiler.WallClockSample&idle=1');
  await page.waitForSelector('section.axis:not(.heat-axis) path.area');
  const [area, cells] = [(name) => /^series/.test(name), (name) => /^heat/.test(name)];
  const found = await offeredOn(page);
  assert.deepEqual([found.some(area), found.some(cells)], [true, false], found.join('; '));
  await page.keyboard.press('Escape');
  await page.evaluate(() => { location.hash += '&heat=auto'; });
  await says(page, '.heat-axis .series-note', /all: /);
  const heated = await offeredOn(page);
  assert.deepEqual([heated.some(area), heated.some(cells)], [false, true], heated.join('; '));
  await page.keyboard.press('Escape');
  await page.evaluate(() => { location.hash = location.hash.replace('/cpu?', '/slow?'); });
  await page.waitForSelector(table('Latency by endpoint'));
  const slow = await offeredOn(page);
  assert.deepEqual([slow.includes('endpoints'), slow.some(area), slow.some(cells)], [true, false, false], slow.join('; '));
  await page.keyboard.press('Escape');
  await page.evaluate(() => { location.hash = '#/r/r1/cpu?event=profiler.WallClockSample&idle=1'; });
  await page.waitForSelector('.flame #dock .stats dd', { state: 'attached' });
  const back = await offeredOn(page);
  assert.deepEqual([back.includes('endpoints'), back.some(area), back.some(cells)], [false, true, false], back.join('; '));
  await pages.close(page);
});

test('csv: a range that is chosen on a page has its tables, and without it there are none of it', async () => {
  const range = 'from=1700000000000000000&to=1700000050000000000'; // of 300 s, with a collection in every fifth
  const page = await pages.open('#/r/memory/memory');
  await says(page, '.of-range .facts', /Collections60/);
  assert.deepEqual((await offeredOn(page)).filter((name) => /chosen/.test(name)), []);
  await page.keyboard.press('Escape');
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/memory/memory?${range}`);
  await says(page, '.of-range .facts', /Collections10/);
  const of = await saved(page, ['collections', 'collections of the chosen time', 'collections of the chosen time, causes']);
  assert.deepEqual([of.collections.length, of['collections of the chosen time'].length], [60, 10], 'the picture is of all, the tables of the range');
  await page.evaluate(() => { location.hash = '#/r/memory/memory'; });
  await says(page, '.of-range .facts', /Collections60/);
  assert.deepEqual((await offeredOn(page)).filter((name) => /chosen/.test(name)), []);
  await pages.close(page);
});
