// SPDX-License-Identifier: Apache-2.0
// Small multiples of `wick ui`: by package, of the wall clock in the colours of states, and without what an Alt-click leaves out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Profile, base64Bytes } from '../../web/flame/data.js';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { describe } from './ui-fixture.mjs';
import { fits, MODES, stage, WICK } from './ui-page.mjs';

const { fixture, pages } = await stage((dir, story) => ({ recordings: [describe(WICK, 'r1', story('requests')), describe(WICK, 'r2', story('locks'), { start_ns: 1700000000e9, end_ns: 1700000006e9 })] }));
const ask = async (query) => (await fixture.ask(`recordings/${fixture.realIds.get(fixture.recordings.get('r1').path)}/flame?${query}`)).json();
const WALL = 'profiler.WallClockSample';

test('states: each box has the one that has most of it, and the tree is the same as without', async () => {
  const [plain, coloured] = await Promise.all([ask(`event=${WALL}&by=thread`), ask(`event=${WALL}&by=thread&states=1`)]);
  assert.equal(coloured.data, plain.data);
  assert.equal(plain.states, undefined);
  const { names, of } = coloured.states;
  const [tree, states] = [new Profile(base64Bytes(coloured.data)), base64Bytes(of)];
  assert.equal(states.length, tree.count);
  const said = {};
  for (let i = 1; i < tree.count; i++) said[`${tree.depth[i]} ${tree.nodeName(i)}`.replace(/<.*>/, '<>')] = names[states[i]];
  assert.deepEqual(said['1 [worker-3 tid=103]'], 'STATE_PARKED');
  assert.deepEqual(said['1 [worker-1 tid=101]'], 'STATE_BLOCKED_ON_MONITOR_ENTER', '50 of its 110 ms');
  assert.deepEqual(said['2 com.example.Service.method22'], 'STATE_RUNNABLE');
  assert.deepEqual(said['2 com.example.Service.method42'], 'STATE_WAITING_FOR_CPU');
  assert.match((await ask(`event=${WALL}&states=1&reverse=1`)).why, /root down/);
});

test('callees and callers: each tree has the weight of all samples through the method', async () => {
  for (const focus of ['com.example.Service.method22', 'com.example.Service.method51', 'com.example.Service.method61']) {
    for (const side of ['callees_of', 'callers_of']) {
      const { data, weight } = await ask(`event=${WALL}&${side}=${focus}`);
      const tree = new Profile(base64Bytes(data));
      assert.ok(weight > 0);
      assert.equal(tree.total[0], weight, `${side} ${focus}`);
      assert.equal(tree.self.reduce((sum, v) => sum + v, 0), weight);
    }
  }
});

for (const [mode, options] of MODES) {
  test(`side by side: by state of the wall clock, ${mode}`, async () => {
    const page = await pages.open(`#/r/r1/cpu?event=${WALL}&idle=1&show=groups&group=thread`, options);
    await page.waitForSelector('.group canvas');
    assert.deepEqual(await page.$$eval('.group-tools .series-legend li', (all) => all.map((li) => li.textContent.trim())), ['on CPU', 'monitor', 'waiting for CPU', 'parked']);
    await pages.settled(page);
    const blue = await page.$eval('.group:nth-child(2) canvas', (c) => [...c.getContext('2d').getImageData(12 * devicePixelRatio, 3 * devicePixelRatio, 1, 1).data]);
    assert.ok(blue[2] > blue[0] + 30, `the box of running is blue, not green: ${blue}`);
    assert.deepEqual(await violations(page), []);
    assert.ok(await fits(page));
    await pages.looks(page, `ui-groups-states-${mode}.png`);
    await pages.close(page);
  });
}

test('side by side: by package, whose name shows its flame graph alone', async () => {
  const page = await pages.open('#/r/r1/cpu?event=jdk.ExecutionSample&show=groups');
  await page.waitForSelector('.group canvas');
  await page.selectOption('.group-tools select', 'package');
  await page.waitForSelector('.group h2:has-text("com.example")');
  assert.equal(await page.$('.group-tools .series-legend li'), null, 'the CPU time has no states');
  await page.click('.group h2 button');
  await page.waitForFunction(() => /label=package%3Acom\.example/.test(location.hash) && !/show=/.test(location.hash));
  await pages.settled(page);
  await pages.close(page);
});

/** The paths that the address leaves out. */
const left = (page) => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('exclude_path'));

test('Alt-click leaves out the subtree of a box and nothing else, more of them with each, and back brings them back', async () => {
  const page = await pages.open(`#/r/r1/cpu?event=${WALL}&idle=1&show=groups&group=thread`);
  const shares = () => page.$$eval('.group', (all) => all.map((e) => e.getAttribute('aria-label').split(',')[0]));
  await page.waitForSelector('.group canvas');
  await pages.settled(page);
  assert.equal((await shares()).length, 3);
  await page.click('.group:nth-child(2) canvas', { position: { x: 10, y: 8 }, modifiers: ['Alt'] });
  await page.waitForFunction(() => location.hash.includes('exclude_path='));
  await pages.settled(page);
  assert.equal(await left(page), 'com.example.Service.method22;*');
  await page.click('.group:nth-child(2) canvas', { position: { x: 10, y: 8 }, modifiers: ['Alt'] });
  await page.waitForFunction(() => location.hash.includes('%0A'));
  await pages.settled(page);
  assert.match(await left(page), /^com\.example\.Service\.method22;\*\ncom/);
  await page.goBack();
  await page.goBack();
  await page.waitForFunction(() => !location.hash.includes('exclude_path='));
  await pages.settled(page);
  assert.equal((await shares()).length, 3);
  await pages.close(page);
});

/** Of a flame graph: [name, weight] of a box and of all boxes of that name, and the weight of everything. */
const boxes = (page) => page.evaluate(() => {
  const { view, profile } = window.wickFlame;
  return { all: view.total[0], boxes: Array.from({ length: profile.count }, (_, i) => [profile.nodeName(i), profile.total[i], profile.depth[i]]) };
});

test('Alt-click, or Delete, in the flame graph: the weight of the box goes, leaf-up that of the stacks which end so; a chip brings it back', async () => {
  const page = await pages.open(`#/r/r1/cpu?event=${WALL}&idle=1`);
  const drawn = async (weight) => {
    await page.waitForFunction((w) => window.wickFlame?.started && window.wickFlame.view.total[0] === w, weight);
    await pages.settled(page);
  };
  await page.waitForFunction(() => window.wickFlame?.started);
  await pages.settled(page);
  const whole = await boxes(page);
  const [name, weight] = whole.boxes.find(([, , depth]) => depth === 1);
  const { x, y, height } = await (await page.$('#canvas')).boundingBox(); // the root is at the bottom
  const at = await page.evaluate(() => window.wickFlame.painter.boxOf(window.wickFlame.scene(), 1).x);
  await page.keyboard.down('Alt');
  await page.mouse.click(x + at + 4, y + height - 30);
  await page.keyboard.up('Alt');
  await drawn(whole.all - weight);
  assert.match(await page.textContent('.filter-chip'), new RegExp(`without subtree.*${name.replaceAll('.', '\\.')}`));
  assert.equal(await page.getAttribute('.filter-chip', 'title'), `${name};*`);
  await page.click('.filter-chip button');
  await drawn(whole.all);
  await page.click('#view-leaf');
  await pages.settled(page);
  const of = await page.evaluate(() => {
    const { view } = window.wickFlame;
    const node = view.first(view.first(0)); // who calls the heaviest leaf
    window.wickFlame.select(node);
    return view.total[node];
  });
  await page.focus('#tree');
  await page.keyboard.press('Delete');
  await drawn(whole.all - of);
  assert.match(await page.getAttribute('.filter-chip', 'title'), /^\*;[^;*]+;[^;*]+$/);
  assert.deepEqual(await violations(page), []);
  await page.click('.export summary');
  assert.match(await page.textContent('.export-command code'), /--exclude-path \$?'\*;/);
  await page.goBack();
  await drawn(whole.all);
  await pages.close(page);
});

test('Delete on the page Compare cuts what that page shows, whatever the page CPU was left with', async () => {
  const page = await pages.open(`#/r/r1/compare?event=${WALL}&idle=1&base=r1&show=sandwich&focus=x&callers=1`);
  await page.waitForFunction(() => window.wickFlame?.started);
  await pages.settled(page);
  const name = await page.evaluate(() => {
    const { view } = window.wickFlame;
    const node = view.first(0);
    window.wickFlame.select(node);
    return window.wickFlame.frameName();
  });
  await page.focus('#tree');
  await page.keyboard.press('Delete');
  await page.waitForFunction(() => location.hash.includes('exclude_path='));
  assert.equal(await left(page), `${name};*`);
  await pages.settled(page);
  await pages.close(page);
});

test('a subtree for which a question has no room is not left out, and the page says so', async () => {
  const paths = Array.from({ length: 31 }, (_, i) => `no.such.method${i};*`).join('\n');
  const page = await pages.open(`#/r/r1/cpu?event=${WALL}&idle=1&exclude_path=${encodeURIComponent(paths)}`);
  await page.waitForFunction(() => window.wickFlame?.started);
  await pages.settled(page);
  await page.evaluate(() => window.wickFlame.select(1));
  await page.focus('#tree');
  await page.keyboard.press('Delete');
  await says(page, '#toast.on', /^Not left out/);
  assert.equal(await left(page), paths);
  await page.click('.filter-chip button');
  await page.waitForFunction(() => !location.hash.includes('method0%3B'));
  await pages.settled(page);
  await page.evaluate(() => window.wickFlame.select(1));
  await page.focus('#tree');
  await page.keyboard.press('Delete');
  await page.waitForFunction((n) => new URLSearchParams(location.hash.split('?')[1]).get('exclude_path').split('\n').length === n, 31);
  await pages.settled(page);
  assert.equal(await page.$('.error'), null);
  await pages.close(page);
});

test('legends: kinds of code are explained once, by the flame graph where there is one; states by the time axis', async () => {
  const seen = async (page) => [await page.isVisible('.axis .series-legend li'), await page.isVisible('.flame #legend button')];
  for (const [hash, expected] of [['event=jdk.ExecutionSample', [false, true]], ['event=jdk.ExecutionSample&show=methods', [true, false]], [`event=${WALL}`, [true, true]]]) {
    const page = await pages.open(`#/r/r1/cpu?${hash}`);
    await page.waitForSelector('.axis svg.series path.area', { state: 'attached' });
    await page.waitForSelector('.flame #legend button, .grid tbody tr');
    assert.deepEqual(await seen(page), expected, hash);
    assert.match(await page.textContent('.axis .series-note'), hash.includes(WALL) ? /^threads \u00b7 all of/ : /^CPUs \u00b7 all of/);
    await pages.close(page);
  }
  const page = await pages.open(`#/r/r1/cpu?event=${WALL}`, { viewport: { width: 390, height: 844 } });
  await page.waitForSelector('.axis .series-legend li');
  assert.equal(await fits(page), true, 'also on a phone');
  await pages.close(page);
});
