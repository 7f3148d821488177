// SPDX-License-Identifier: Apache-2.0
// The page Compare of `wick ui`: its figures are those of `wick diff`, each side has a selection of its own, and the page has them all
// in its address.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { addressOf, says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, HOSTILE, MODES, stage, table, WEB, WICK, WIDE } from './ui-page.mjs';

const WALL = 'profiler.WallClockSample';
const FORMULA = '=cmd|calc!A1';

/** Stacks with so many samples each: grown, shrunk, new, gone, and two that differ by chance. */
const STACKS = {
  'main;com.example.Shop.order;com.example.Stock.find': [300, 900], 'main;com.example.Shop.order;com.example.Price.sum': [800, 300], 'main;com.example.Shop.mail': [0, 150],
  'main;com.example.Shop.fax': [140, 0], 'main;com.example.Shop.log': [100, 104], [`main;com.example.Shop.order;${FORMULA}`]: [60, 63], [`main;com.example.Shop.order;${HOSTILE.replaceAll('/', '|')}`]: [80, 250],
};
const collapsed = (side) => Object.entries(STACKS).flatMap(([stack, n]) => (n[side] ? [`${stack} ${n[side]}\n`] : [])).join('');

const plain = (id, path) => ({ id, name: path.split('/').pop(), path, size_bytes: 1, start_ns: 0, end_ns: 0, live: false, unfinished: false, here: false, pid: null, problem: null, marks: [],
  events: [{ name: 'samples', kind: 'other', unit: 'count', samples: 1, total: 1 }] });

const { dir, fixture, pages } = await stage((folder, story) => {
  const file = (name, content) => {
    writeFileSync(join(folder, name), content);
    return plain(name.split('.')[0], join(folder, name));
  };
  return { recordings: [describe(WICK, 'r1', story('requests'), { name: HOSTILE }), file('monday.collapsed', collapsed(0)), file('friday.collapsed', collapsed(1)),
    file('labels.jfr', gunzipSync(readFileSync(join(WEB, '..', 'tests', 'golden', 'jfr', 'wick.jfr.gz'))))] };
});
for (const r of fixture.recordings.values()) r.events = (await api(r.id, '')).events; // as the server names them
const [monday, friday] = ['monday', 'friday'].map((id) => fixture.recordings.get(id).path);

/** What the real server answers about a recording. */
async function ask(id, what, query) {
  const given = query.map(([key, value]) => [key, key === 'base' ? fixture.realIds.get(fixture.recordings.get(value).path) : value]);
  return fixture.ask(`recordings/${fixture.realIds.get(fixture.recordings.get(id).path)}${what && `/${what}`}?${new URLSearchParams(given)}`);
}

async function api(id, what, query = []) {
  const answer = await ask(id, what, query);
  const body = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  return body;
}

const cli = (...args) => execFileSync(WICK, args, { maxBuffer: 1 << 26 }).toString();
const compare = (more = []) => api('friday', 'diff/table', [['base', 'monday'], ['rows', '0'], ...more]);

test('figures: those of wick diff, in each order, and as the same CSV', async () => {
  const answer = await compare();
  const said = JSON.parse(cli('diff', '--json', '-n', '0', monday, friday));
  assert.deepEqual(answer.rows, said.rows);
  assert.deepEqual([answer.before, answer.after, answer.mode, answer.total_rows], [said.before, said.after, 'normalised', said.rows.length]);
  const of = (name) => answer.rows.find((r) => r.name === name);
  assert.deepEqual(['Stock.find', 'Price.sum', 'Shop.mail', 'Shop.fax', 'Shop.log'].map((n) => [of(`com.example.${n}`).self.real, Math.sign(of(`com.example.${n}`).self.change)]), [[true, 1], [true, -1], [true, 1], [true, -1], [false, -1]]);
  const real = answer.rows.map((r) => r.self.real);
  assert.equal(real.lastIndexOf(true) < real.indexOf(false), true, 'what is more than sampling error comes first');
  for (const [sort, value] of [['self_change', (r) => r.self.change], ['total_after', (r) => r.total.after], ['self_before', (r) => r.self.before]]) {
    const sorted = (await compare([['sort', sort]])).rows.map(value);
    assert.deepEqual(sorted, sorted.slice().sort((a, b) => b - a), sort);
    const turned = (await compare([['sort', sort], ['turned', '1']])).rows.map(value);
    assert.deepEqual(turned, sorted.slice().reverse(), `${sort} turned`);
  }
  const csv = await ask('friday', 'diff/table', [['base', 'monday'], ['rows', '0'], ['format', 'csv']]);
  cli('diff', '-n', '0', monday, friday, '-o', join(dir, 'diff.csv'));
  const text = await csv.text();
  assert.equal(text, readFileSync(join(dir, 'diff.csv'), 'utf8'));
  assert.match(csv.headers.get('content-disposition'), /^attachment; filename="friday\.csv"$/);
  assert.ok(text.includes(`"'${FORMULA}"`), 'no cell is a formula');
  const absolute = await compare([['absolute', '1']]);
  assert.deepEqual(absolute.rows, JSON.parse(cli('diff', '--json', '--absolute', '-n', '0', monday, friday)).rows);
  for (const bad of [['sort', 'x'], ['format', 'x'], ['turned', '2']]) assert.equal((await ask('friday', 'diff/table', [['base', 'monday'], bad])).status, 400);
});

test('sides: each has its time and conditions; what the base has not of its own is that of both', async () => {
  const weightOf = async (query) => (await api('r1', 'table', [['event', WALL], ...query])).weight;
  const sides = async (query) => {
    const { before: a, after: b } = await api('r1', 'diff/table', [['base', 'r1'], ['event', WALL], ...query]);
    return [a.weight, b.weight];
  };
  const [all, one, three] = [await weightOf([]), await weightOf([['thread', 'worker-1']]), await weightOf([['thread', 'worker-3']])];
  assert.equal(new Set([all, one, three]).size, 3);
  assert.deepEqual(await sides([['thread', 'worker-1']]), [one, one]);
  assert.deepEqual(await sides([['thread', 'worker-1'], ['base_thread', 'worker-3']]), [three, one]);
  assert.deepEqual(await sides([['thread', 'worker-1'], ['base_thread', '']]), [all, one]);
  assert.deepEqual(await sides([['base_thread', 'worker-1']]), [one, all]);
  const { start_ns: start, end_ns: end } = await api('r1', 'flame', [['event', WALL]]);
  const middle = start + Math.round((end - start) / 2);
  const [early, late] = [await weightOf([['to', middle]]), await weightOf([['from', middle]])];
  assert.notEqual(early, late);
  assert.deepEqual(await sides([['base_to', middle], ['from', middle]]), [early, late]);
  const [labelled, rest] = await Promise.all([[['label', 'endpoint:GET /a']], []].map(async (query) => (await api('labels', 'table', query)).weight));
  assert.ok(labelled < rest);
  for (const [query, weights] of [[[['base_label', '']], [rest, labelled]], [[['base_label', 'endpoint:GET /a'], ['base_from', '1']], [labelled, labelled]], [[['base_endpoint', 'GET /b']], null]]) {
    const answer = await ask('labels', 'diff/table', [['base', 'labels'], ['label', 'endpoint:GET /a'], ...query]);
    if (!weights) assert.equal(answer.status, 404, 'its label still holds: none is of both endpoints');
    else assert.deepEqual(await answer.json().then(({ before: x, after: y }) => [x.weight, y.weight]), weights);
  }
  const refused = await ask('r1', 'diff/table', [['base', 'r1'], ['base_thread', '(']]);
  assert.equal(refused.status, 400);
  const empty = await ask('r1', 'diff', [['base', 'r1'], ['event', WALL], ['base_thread', 'nobody']]);
  assert.deepEqual([empty.status, /^before: /.test((await empty.json()).why)], [404, true]);
});

test('page: the two sides by mouse and keyboard; the address holds all of it, and back undoes', async () => {
  const page = await pages.open(`#/r/r1/compare?event=${WALL}&idle=1`);
  await says(page, '.empty h2', /Choose what to compare with/);
  await page.selectOption('#base', 'r1');
  await page.waitForSelector(`${table('before and after')} tbody tr`);
  await page.click('text=Own filters');
  await page.waitForSelector('[aria-label="Before: filter"]');
  await page.selectOption('[aria-label="Before: filter by"]', 'thread');
  await page.fill('[aria-label="Before: filter"]', 'worker-1');
  await page.keyboard.press('Enter');
  await says(page, '[aria-label="Filters before"]', /thread worker-1/);
  await page.selectOption('[aria-label="After: filter by"]', 'thread');
  await page.fill('[aria-label="After: filter"]', 'worker-3');
  await page.keyboard.press('Enter');
  await says(page, '[aria-label="Filters after"]', /thread worker-3/);
  await page.focus('svg[aria-label="Before: weight over time"]');
  await page.keyboard.press('Home');
  for (let i = 0; i < 6; i++) await page.keyboard.press('Shift+PageDown');
  await page.keyboard.press('Enter');
  await says(page, '[aria-label="Filters before"]', /time/);
  await pages.settled(page);
  const asked = new URLSearchParams(fixture.asked.findLast((q) => q.includes('/diff/table?')).split('?')[1]);
  assert.deepEqual(['thread', 'base_thread', 'base_label', 'from'].map((key) => asked.get(key)), ['worker-3', 'worker-1', '', null]);
  assert.ok(Number(asked.get('base_to')) > Number(asked.get('base_from')));
  const rows = await page.$$eval(`${table('before and after')} tbody tr`, (all) => all.map((r) => r.textContent));
  const again = await pages.open(new URL(await addressOf(page)).hash);
  await again.waitForSelector(`${table('before and after')} tbody tr`);
  await pages.settled(again);
  assert.deepEqual(await again.$$eval(`${table('before and after')} tbody tr`, (all) => all.map((r) => r.textContent)), rows);
  assert.equal(await again.getAttribute('text=Own filters', 'aria-pressed'), 'true');
  await again.click('text=Swap');
  await says(again, '[aria-label="Filters before"]', /thread worker-3/);
  await says(again, '[aria-label="Filters after"]', /time.*thread worker-1/);
  await pages.close(again);
  for (let i = 0; i < 3; i++) await page.goBack();
  await says(page, '[aria-label="Filters before"]', /^Own filters$/);
  await page.goBack();
  await page.waitForSelector('[aria-label="Before: filter"]', { state: 'hidden' });
  await pages.close(page);
});

test('page: a side without samples says which one it is', async () => {
  const page = await pages.open(`#/r/r1/compare?event=${WALL}&base=r1&split=1&base_thread=nobody`);
  await says(page, '.compared .empty h2', /^Before, no samples fit$/);
  await page.click('[aria-label="Remove the filter thread nobody before"]');
  await page.waitForSelector(`${table('before and after')} tbody tr`);
  await pages.close(page);
});

test('table: sorted by its heads with the keyboard, a method highlights, and what is noise is said in words', async () => {
  const page = await pages.open('#/r/friday/compare?base=monday');
  const first = () => page.$eval(`${table('before and after')} tbody tr td`, (e) => e.textContent);
  await page.waitForSelector(`${table('before and after')} tbody tr .change`);
  const words = await page.$$eval(`${table('before and after')} tbody tr`, (all) => Object.fromEntries(all.map((r) => [r.cells[0].textContent.replace('com.example.', ''), [r.cells[3].textContent, r.cells[7].textContent]])));
  assert.match(words['Shop.mail'][0], /new: \+.* \u00b1 .* %$/);
  assert.deepEqual(['Stock.find', 'Price.sum', 'Shop.mail', 'Shop.fax', 'Shop.log'].map((n) => words[n][1]), ['grew', 'shrank', 'new', 'gone', 'noise']);
  assert.match(words['Shop.log'][0], /noise: /);
  await page.focus(`${table('before and after')} th:nth-child(4) button`);
  await page.keyboard.press('Enter');
  await page.waitForSelector('th[aria-sort="descending"]:nth-child(4)');
  await pages.settled(page);
  assert.equal(await first(), 'com.example.Stock.find');
  await page.keyboard.press('Enter');
  await page.waitForSelector('th[aria-sort="ascending"]:nth-child(4)');
  await pages.settled(page);
  assert.equal(await first(), 'com.example.Price.sum');
  await page.click(`${table('before and after')} tbody td button`);
  await page.waitForFunction(() => document.getElementById('query').value === '^com\\.example\\.Price\\.sum$');
  await page.waitForSelector(`${table('before and after')} tr.picked`);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.changes-head a')]);
  assert.match(readFileSync(await download.path(), 'utf8'), /^name,self_before,self_after,.*\r\n"com\.example\.Price\.sum",/);
  await pages.close(page);
});

test('sentences: what explain finds in one recording only; none where both are one, or have no events', async () => {
  const page = await pages.open('#/r/labels/compare?base=r1');
  await says(page, '.changed-findings li', /^(new|gone|more|less)/);
  assert.deepEqual(await violations(page), []);
  const said = await page.$$eval('.changed-findings li', (all) => all.map((e) => e.textContent));
  const sentences = [cli('explain', '--json', fixture.recordings.get('r1').path), cli('explain', '--json', fixture.recordings.get('labels').path)].flatMap((t) => JSON.parse(t).findings.map((f) => f.sentence.toLowerCase()));
  for (const text of said) assert.ok(sentences.some((s) => text.toLowerCase().includes(s)), text);
  await page.evaluate(() => { location.hash = '#/r/r1/compare?base=r1'; });
  await page.waitForSelector('.changed-findings', { state: 'hidden' });
  await page.evaluate(() => { location.hash = '#/r/friday/compare?base=monday'; });
  await page.waitForSelector(`${table('before and after')} tbody tr .change`);
  await pages.settled(page);
  assert.equal(await page.isHidden('.changed-findings'), true);
  await pages.close(page);
});

test('export: the command where wick diff can say it, otherwise a request', async () => {
  const page = await pages.open('#/r/friday/compare?base=monday');
  await page.click('.export summary');
  await says(page, '.export code', /^wick diff .*monday\.collapsed .*friday\.collapsed -o diff\.html$/);
  assert.deepEqual(await page.$$eval('.export-files a', (all) => all.map((a) => a.textContent)), ['Page', 'CSV', 'JSON']);
  await page.evaluate(() => { location.hash = '#/r/friday/compare?base=monday&split=1&base_filter=Shop'; });
  await says(page, '.export code', /^curl .*\/diff\/table\?.*base_filter=Shop/);
  await pages.close(page);
});

for (const [mode, options] of [...MODES, WIDE]) {
  test(`looks: usable by everybody, ${mode}`, async () => {
    const page = await pages.open('#/r/friday/compare?base=monday', options);
    pages.unlike = [];
    await page.waitForSelector(`${table('before and after')} tbody tr .change`);
    assert.deepEqual(await violations(page), []);
    assert.equal(await fits(page), true);
    await pages.looks(page, `ui-changes-${mode}.png`);
    await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/compare?event=${WALL}&base=r1&split=1&base_thread=worker-1&thread=worker-3&absolute=1`);
    await says(page, '[aria-label="Filters before"]', /worker-1/);
    await pages.settled(page);
    assert.deepEqual(await violations(page), [], 'with filters');
    assert.equal(await fits(page), true, 'with filters');
    await pages.close(page);
    assert.deepEqual(pages.unlike, []);
  });
}
