// SPDX-License-Identifier: Apache-2.0
// The chosen time on all pages of `wick ui`: sentences, tables and commands are of it, and sentences lead to when and where they are seen.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, MODES, SHOTS, stage, table, WICK, WIDE } from './ui-page.mjs';

const STORY_NS = 1700000000e9; // of tests/jfr/halves.h and memory_story.h
const at = (second) => STORY_NS + second * 1e9;
const range = (from, to) => `from=${at(from)}&to=${at(to)}`;

const { dir, fixture, pages } = await stage((dir, story) => ({ recordings: [
  describe(WICK, 'r1', story('halves'), { start_ns: STORY_NS, end_ns: at(10) }),
  describe(WICK, 'r2', story('memory'), { start_ns: STORY_NS, end_ns: at(305) }),
  describe(WICK, 'r3', story('halves', 'again.jfr'), { start_ns: STORY_NS, end_ns: at(10) }),
  describe(WICK, 'r4', story('owners'), { start_ns: STORY_NS, end_ns: at(2) })] }));

/** The words of a command, as a shell reads them. */
const wordsOf = (text) => execFileSync('sh', ['-c', `printf '%s\\n' ${text}`], { encoding: 'utf8' }).trim().split('\n');
const command = async (page) => wordsOf(await page.textContent('.export-command code'));

for (const [mode, options] of [...MODES, WIDE]) {
  test(`found: the sentences that concern a page are above it, ${mode}`, async () => {
    const page = await pages.open('#/r/r1/cpu', options);
    await says(page, '.found summary', /^1 finding/);
    await page.waitForSelector('.flame #dock .stats dd', { state: 'attached' });
    await pages.settled(page);
    const top = () => page.evaluate(() => document.querySelector('#place').getBoundingClientRect().top);
    const closed = await top();
    await page.focus('.found summary');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.found .go');
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    await page.screenshot({ path: join(SHOTS, `ui-found-${mode}.png`) });
    await page.keyboard.press('Enter');
    assert.equal(await top(), closed);
    await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/interference?${range(5, 10)}&thread=late`);
    await says(page, '.filter-bar', /Tables, graph and sentences are of the chosen time.*Filters restrict the states and events over time, that by thread/);
    await page.waitForSelector('.of-range .facts');
    await pages.settled(page);
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    await page.screenshot({ path: join(SHOTS, `ui-range-${mode}.png`) });
    await pages.close(page);
  });
}

test('empty: one press removes all filters, of whatever kind', async () => {
  const page = await pages.open('#/r/r1/cpu?package=no.such&kind=none&process=9&thread=nobody&exclude=x&exclude_path=y;*&label=a:b&show=threads');
  await page.click('.empty button:has-text("Remove all filters")');
  await page.waitForFunction(() => !document.querySelector('.filter-chip') && document.querySelector('tbody button'));
  assert.match(await page.evaluate(() => location.hash), /^#\/r\/r1\/cpu\?show=threads$/);
  await pages.close(page);
});

test('found: a link sets filters and time, so that the page shows what the sentence rests on, and back undoes it', async () => {
  const page = await pages.open('#/r/r1/cpu?thread=nobody');
  await says(page, '.found summary', /^1 finding/);
  await page.click('.found summary');
  const item = '.found li:has-text("app.Main.first")';
  assert.match(await page.textContent(item), /80\.0 % of it from 22:13:20\.000 on, within 4\.00 s/);
  assert.match(await page.textContent('.found-list > .quiet'), /Of all 10\.0 s\. Filters do not restrict/);
  await page.click(`${item} .go`);
  await page.waitForFunction((ns) => location.hash.includes(`from=${ns}`), at(0));
  const state = new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]);
  assert.deepEqual(['from', 'to', 'event', 'filter', 'thread'].map((k) => state.get(k)), [String(at(0)), String(at(4)), 'jdk.ExecutionSample', '^app\\.Main\\.first$', null]);
  await page.waitForSelector('.flame #dock .stats dd', { state: 'attached' });
  await says(page, '.found summary', /finding/);
  await page.goBack();
  await page.waitForFunction(() => location.hash.includes('thread=nobody'));
  await pages.close(page);
});

test('found: sentences are of the chosen time, and a hostile name in one is text', async () => {
  const page = await pages.open(`#/r/r1/cpu?${range(5, 10)}`);
  await says(page, '.found summary', /finding/);
  await page.waitForSelector('.found li', { state: 'attached' });
  await page.click('.found summary');
  await says(page, '.found', /app\.Main\.last<img src=x onerror=alert\(1\)>/);
  assert.doesNotMatch(await page.textContent('.found'), /Main\.first/);
  assert.equal(await page.locator('.found img').count(), 0);
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/explain?${range(0, 5)}`);
  await says(page, '#place', /app\.Main\.first/);
  assert.doesNotMatch(await page.textContent('#place'), /cpu limit/i, 'the limit stopped nothing then');
  assert.match(await page.textContent('.filter-bar'), /time 5\.00 s.*The sentences are of the chosen time\./);
  await page.click('[aria-label="Remove the range of time"]');
  await says(page, '#place', /CPU limit/);
  assert.equal(await page.isVisible('.filter-bar'), false);
  await pages.close(page);
});

test('found: a large recording is explained when the line is unfolded, since other answers would wait for it', async () => {
  fixture.recordings.set('r9', { ...fixture.recordings.get('r1'), id: 'r9', size_bytes: 1 << 30 });
  fixture.asked.length = 0;
  const page = await pages.open('#/r/r9/cpu');
  await page.waitForSelector('.flame #dock .stats dd', { state: 'attached' });
  await says(page, '.found summary', /Unfold to have this large recording explained/);
  await pages.settled(page);
  assert.ok(!fixture.asked.some((q) => /r9\/explain/.test(q)));
  await page.click('.found summary');
  await says(page, '.found', /app\.Main\.first/);
  const folded = async (hash) => {
    await page.click('.found summary');
    assert.equal(await page.$eval('.found details', (e) => e.open), false);
    await page.evaluate((to) => { location.hash = to; }, hash);
    await pages.settled(page);
  };
  await folded('#/r/r9/slow');
  assert.match(await page.textContent('.found summary'), /^2 findings.*Threads wait for a CPU/, 'those that concern that page');
  await page.click('.found summary');
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r9/cpu?${range(0, 10)}`);
  await says(page, '.found .found-list', /app\.Main\.first/);
  await pages.settled(page);
  const asked = fixture.asked.filter((q) => /r9\/explain/.test(q)).length;
  await folded(`#/r/r9/cpu?${range(5, 10)}`);
  assert.match(await page.textContent('.found'), /Unfold to have this large recording explained\.$/, 'nothing of another time');
  assert.equal(fixture.asked.filter((q) => /r9\/explain/.test(q)).length, asked);
  await page.click('.found summary');
  await says(page, '.found', /app\.Main\.last/);
  assert.doesNotMatch(await page.textContent('.found'), /Main\.first/);
  await pages.close(page);
  fixture.recordings.delete('r9');
});

test('interference: tables, graph and figures are of the chosen time, and a time without any says so', async () => {
  const page = await pages.open('#/r/r1/interference');
  await says(page, '.of-range', /late/);
  await says(page, '.card:has(.lock-graph)', /2\.00 s of waiting/);
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/interference?${range(7.75, 9)}`);
  await says(page, '.card:has(.lock-graph)', /500 ms of waiting/);
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/interference?${range(7.75, 9)}&thread=early`);
  await says(page, '#place', /No such thread waited for another in the chosen time/);
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/interference?${range(7.75, 9)}&thread=late`);
  await says(page, '.card:has(.lock-graph)', /500 ms of waiting/);
  await says(page, '.card:has(.series)', /No safepoint was slow to reach in the chosen time; there were/);
  assert.equal(await page.locator('rect.pause').count(), 1, 'the picture is of all of the time');
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/interference?${range(0, 5)}`);
  await says(page, '#place', /No thread waited for another in the chosen time/);
  await page.evaluate(() => { location.hash = '#/r/r1/interference'; });
  await says(page, '.of-range', /late/);
  await pages.close(page);
});

test('memory: the reading and the collections are those of the chosen time, and a time without a reading has the one before', async () => {
  const page = await pages.open('#/r/r2/memory');
  await says(page, '#place', /Resident memory at the last reading, /);
  const row = (part) => page.textContent(`${table('Resident memory by part')} tr:has-text("${part}")`);
  assert.match(await row('malloc'), /370 MiB/);
  const rows = page.locator(`${table('The longest pauses')} tbody tr`), pauses = () => rows.count();
  await rows.nth(11).waitFor(); // asked for apart from the readings
  assert.equal(await pauses(), 12);
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r2/memory?${range(0, 50)}`);
  await says(page, '#place h2', /at the last reading of the chosen time, 22:14:05/);
  assert.match(await row('malloc'), /120 MiB/);
  await says(page, '.of-range .facts', /Collections10Total pause40\.0 ms/);
  assert.equal(await pauses(), 10);
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r2/memory?${range(47.5, 48)}`);
  await says(page, '#place h2', /at the last reading before the chosen time, 22:14:05/);
  await says(page, '.of-range', /No collection in the chosen time/);
  assert.deepEqual(await violations(page), []);
  await pages.close(page);
});

test('compare: what changed, in sentences, is of the chosen times, and leads to the difference', async () => {
  const page = await pages.open(`#/r/r1/compare?base=r3&${range(5, 10)}&base_from=${at(0)}&base_to=${at(5)}`);
  await says(page, '.changed-findings', /new: .*app\.Main\.last<img/);
  assert.match(await page.textContent('.changed-findings'), /gone: .*app\.Main\.first/);
  assert.match(await page.textContent('.changed-findings'), /Of the chosen time of each side/);
  assert.deepEqual(await violations(page), []);
  await page.click('.changed-findings li:has-text("app.Main.first") .go');
  await page.waitForFunction(() => /\/compare\?.*filter=/.test(location.hash));
  const state = new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]);
  assert.deepEqual(['base', 'from', 'to', 'base_from', 'filter'].map((k) => state.get(k)), ['r3', String(at(5)), String(at(10)), String(at(0)), '^app\\.Main\\.first$']);
  await pages.close(page);
});

test('export: the command of each page prints the same as the page shows of the chosen time', async () => {
  for (const [hash, cli, good, seen = good] of [
    [`#/r/r4/slow?${range(0, 1)}`, 'endpoints', /^ +1 +10\.000 .* GET \/fast$/m, /GET \/fast110\.0 ms10\.0 ms/],
    [`#/r/r1/explain?${range(5, 10)}`, 'explain', /app\.Main\.last/],
    [`#/r/r2/memory?${range(0, 50)}`, 'memory', /malloc +120 MiB/, /malloc120 MiB/],
    [`#/r/r1/compare?base=r3&event=jdk.ExecutionSample&${range(5, 10)}&base_from=${at(0)}&base_to=${at(5)}`, 'diff', /app\.Main\.last/],
    [`#/r/r1/compare?base=r3&event=jdk.ExecutionSample&${range(5, 10)}`, 'diff', /app\.Main\.last/],
  ]) {
    const page = await pages.open(hash);
    await page.waitForSelector('.export summary');
    await says(page, '#place', seen);
    const words = await command(page);
    assert.deepEqual([words.slice(0, 2), words.includes('--from')], [['wick', cli], true], hash);
    assert.match(execFileSync(WICK, words.at(-2) === '-o' ? words.slice(1, -2) : words.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }), good);
    await pages.close(page);
  }
});

test('export: files and the command have the stacks as the page CPU shows them, with its filters and time', async () => {
  const lines = (text) => text.trim().split('\n').sort();
  for (const state of ['', 'leaf=1', 'whole=1', 'thread=early', 'show=groups', 'show=groups&group=thread', 'show=sandwich&focus=app.Main.first', 'show=sandwich&callers=1&focus=app.Main.first', range(2, 5)]) {
    const page = await pages.open(`#/r/r1/cpu?event=jdk.ExecutionSample&${state}`);
    await page.waitForSelector('.export a:has-text("Collapsed stacks")', { state: 'attached' });
    const file = await page.evaluate(async () => (await fetch([...document.querySelectorAll('.export a')].find((a) => a.textContent === 'Collapsed stacks').href)).text());
    const words = await command(page);
    const out = join(dir, 'shown.collapsed');
    assert.equal(words[1], 'flame');
    execFileSync(WICK, ['convert', ...words.slice(2, -1), out], { stdio: ['ignore', 'ignore', 'pipe'] }); // whose collapsed stacks are not annotated
    assert.ok(file.length > 0);
    assert.deepEqual(lines(file), lines(readFileSync(out, 'utf8')), state);
    await pages.close(page);
  }
});

test('export: the pages in the menu are, byte for byte, what the commands in it write', async () => {
  const slow = { Endpoints: 'endpoints' };
  for (const [hash, pagesOf] of [
    ['r4/slow', slow], [`r4/slow?${range(0, 1)}`, slow], ['r4/slow?trace=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01', { Trace: 'trace', ...slow }],
    ['r1/cpu?event=jdk.ExecutionSample', { Page: 'flame' }], ['r1/cpu?event=jdk.ExecutionSample&leaf=1', { Page: 'flame' }],
    ...['', '&leaf=1', '&whole=1&thread=early', '&show=groups', `&${range(2, 5)}`].map((more) => [`r1/cpu?event=jdk.ExecutionSample&heat=auto${more}`, { Page: 'flame', Heatmap: 'heatmap' }]),
    [`r1/compare?base=r3&event=jdk.ExecutionSample&${range(5, 10)}&base_from=${at(0)}&base_to=${at(5)}`, { Page: 'diff' }], ['r1/compare?base=r3&event=jdk.ExecutionSample&absolute=1&whole=1', { Page: 'diff' }],
  ]) {
    const page = await pages.open(`#/r/${hash}`);
    await page.waitForSelector('.export-files a', { state: 'attached' });
    const commands = (await page.$$eval('.export-command code', (all) => all.map((c) => c.textContent))).map(wordsOf);
    for (const [name, cli] of Object.entries(pagesOf)) {
      const words = commands.find((w) => w[1] === cli);
      assert.ok(words, `${hash} has wick ${cli}`);
      const out = join(dir, 'same.html');
      execFileSync(WICK, [...words.slice(1, -1), out], { stdio: ['ignore', 'ignore', 'pipe'] });
      const file = await page.evaluate(async (n) => (await fetch([...document.querySelectorAll('.export-files a')].find((a) => a.textContent === n).href)).text(), name);
      assert.ok(file.length > 10000, `${hash}: ${file.slice(0, 300)}`);
      assert.ok(file === readFileSync(out, 'utf8'), `${hash}: ${name} is what ${words.join(' ')} writes`);
    }
    await pages.close(page);
  }
});

test('export: what interferes is shown by three commands', async () => {
  const page = await pages.open(`#/r/r1/interference?${range(0, 5)}`);
  await page.waitForSelector('.export-command', { state: 'attached' });
  const commands = (await page.$$eval('.export-command code', (all) => all.map((c) => c.textContent))).map(wordsOf);
  assert.deepEqual(commands.map((w) => w[1]), ['explain', 'ttsp', 'locks']);
  for (const words of commands.slice(1)) assert.ok(words.includes('--from') && words.includes('--to'), words.join(' '));
  await pages.close(page);
});
