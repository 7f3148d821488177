// SPDX-License-Identifier: Apache-2.0
// The pages of `wick ui` in a real browser, with the recording of tests/jfr/requests.h, whose names are hostile. The server is
// ui-fixture.mjs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addressOf, has, says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { leakyHeap } from './hprof.mjs';
import { describe, describeHeap } from './ui-fixture.mjs';
import { HOSTILE, MODES, SHOTS, stage, table, WICK, WIDE } from './ui-page.mjs';

const JVMS = [
  { pid: 4711, name: 'org.apache.catalina.startup.Bootstrap start', jdk: '21.0.4', user: 'tomcat', container: '', readable: true, recording: null, cpu_ns: 1e9, rss_bytes: 5.2e8 },
  { pid: 4712, name: HOSTILE, jdk: HOSTILE, user: 'root', container: HOSTILE, readable: true, recording: 'r1', cpu_ns: 1e9, rss_bytes: 4.5e8 },
  { pid: 1200, name: 'kafka.Kafka server.properties', jdk: '17.0.12', user: 'kafka', container: '', readable: false, recording: null },
];
const STORY_NS = 1700000000e9; // of tests/jfr/memory_story.h
const PAGES = ['explain', 'slow', 'cpu', 'memory', 'interference', 'compare'];

const { dir, fixture, pages } = await stage((folder, story) => {
  const path = story('requests');
  copyFileSync(path, join(folder, 'before.jfr'));
  const heap = join(folder, 'leak.hprof');
  writeFileSync(heap, leakyHeap({ session: HOSTILE.replaceAll('/', '|') }));
  const many = join(folder, 'many.collapsed');
  writeFileSync(many, Array.from({ length: 1300 }, (_, i) => `main;com.example.Group${i % 7}.run;com.example.Methods.m${i} ${2000 - i}\n`).join(''));
  const sources = join(folder, 'sources');
  mkdirSync(join(sources, 'com', 'example'), { recursive: true });
  writeFileSync(join(sources, 'com', 'example', 'Service.java'), Array.from({ length: 40 }, (_, i) => `// ${i + 1} ${HOSTILE}`).join('\n'));
  return { sources, jvms: JVMS, unlisted: [many], recordings: [describe(WICK, 'r1', path, { name: HOSTILE }), describe(WICK, 'r2', join(folder, 'before.jfr')),
    describe(WICK, 'r3', story('memory'), { start_ns: STORY_NS, end_ns: STORY_NS + 305e9 }), describe(WICK, 'r4', story('locks'), { start_ns: STORY_NS, end_ns: STORY_NS + 6e9 }), describeHeap('r5', heap)] };
});
const first = fixture.recordings.get('r1');

const open = (hash, options) => pages.open(hash, options);
const close = (page) => pages.close(page);
const settled = (page) => pages.settled(page);
const asks = (page, good) => pages.asks(page, good);
const looks = (page, name) => pages.looks(page, name);

/** A picture of all of a page that scrolls. */
async function whole(page, name) {
  const { width } = page.viewportSize();
  await page.setViewportSize({ width, height: 200 + await page.evaluate(() => document.querySelector('#place .page').scrollHeight) });
  await looks(page, name);
}

/** What shows that the answers of a page have come. */
const SIGN = {
  explain: '.empty, .findings', slow: '.density path', cpu: '.flame #dock .stats dd', memory: '.card .empty, .facts',
  interference: '.card .series path', compare: '.flame #dock .stats dd',
};

const shown = (page, tab) => page.waitForSelector(`#place ${SIGN[tab]}`, { state: 'attached' });

for (const [mode, options] of [...MODES, WIDE]) {
  test(`pages: usable by everybody, ${mode}`, async () => {
    const start = await open('#/', options);
    await start.waitForSelector('.recording h3');
    assert.deepEqual(await violations(start), []);
    pages.unlike = [];
    await looks(start, `ui-start-${mode}.png`);
    await close(start);
    const page = await open('#/r/r1/explain', options);
    for (const tab of PAGES) {
      await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/${tab}${tab === 'compare' ? '?base=r2' : ''}`);
      await shown(page, tab);
      assert.deepEqual(await violations(page), [], tab);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${tab} fits the width`);
      if (tab !== 'memory') await looks(page, `ui-${tab}-${mode}.png`); // that of another recording has more to show
    }
    await page.evaluate(() => { location.hash = '#/r/r4/interference'; });
    await page.waitForSelector('.lock-graph .node', { state: 'attached' });
    await looks(page, `ui-safepoints-${mode}.png`);
    await page.$eval('.lock-graph', (e) => { const all = e.closest('.scrolls'); all.scrollTop += e.getBoundingClientRect().top - all.getBoundingClientRect().top - 80; });
    await looks(page, `ui-locks-${mode}.png`);
    await page.evaluate(() => { location.hash = '#/r/r1/cpu?heat=auto'; });
    await page.waitForFunction(() => /all:/.test(document.querySelector('.heat-axis .series-note')?.textContent));
    await looks(page, `ui-heat-${mode}.png`);
    await page.evaluate(() => { location.hash = '#/r/r5/memory'; });
    await page.waitForSelector('.chains .suspect');
    assert.deepEqual(await violations(page), [], 'heap');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'a heap fits the width');
    await looks(page, `ui-heap-${mode}.png`);
    await page.evaluate(() => { location.hash = '#/r/r3/memory'; });
    await page.waitForSelector('rect.pause', { state: 'attached' });
    await page.waitForSelector('path.part', { state: 'attached' });
    assert.deepEqual(await violations(page), [], 'memory over time');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'memory over time fits the width');
    await whole(page, `ui-memory-${mode}.png`);
    await close(page);
    assert.deepEqual(pages.unlike, []);
  });
}

/** What else a page can look like: the address, and what shows that it does. */
const WALL = 'event=profiler.WallClockSample';
const STATES = [
  ['methods', `#/r/r1/cpu?${WALL}&show=methods`, '.grid tbody tr button'],
  ['threads', `#/r/r1/cpu?${WALL}&show=threads`, '.grid tbody tr button'],
  ['groups', '#/r/r1/cpu?event=jdk.ExecutionSample&show=groups&group=endpoint', '.group canvas'],
  ['sandwich', `#/r/r1/cpu?${WALL}&show=sandwich&focus=com.example.Service.method5`, '.side .table-box, .empty'],
  ['lines', `#/r/r1/cpu?${WALL}&show=lines&focus=com.example.Service.method5`, '.lines, .empty, .table-box'],
  ['leaf-up', `#/r/r1/cpu?${WALL}&leaf=1&search=method`, '.flame #dock .stats dd'],
  ['filtered', `#/r/r1/cpu?${WALL}&show=threads&thread=nobody`, '.empty button'],
  ['trace', '#/r/r1/slow?trace=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01', '#trace svg'],
  ['no recording', '#/r/nothing/cpu', '.empty, .error'],
];

for (const [mode, options] of MODES) {
  test(`states: usable by everybody, ${mode}`, async () => {
    const page = await open('#/r/r1/explain', options);
    const found = [];
    for (const [name, hash, sign] of STATES) {
      await page.evaluate((to) => { location.hash = to; }, hash);
      await page.waitForSelector(`#view :is(${sign})`, { state: 'attached' });
      await settled(page);
      await page.screenshot({ path: join(SHOTS, `state-${name.replaceAll(' ', '-')}-${mode}.png`) });
      found.push(...(await violations(page)).map((v) => `${name}: ${v}`));
      if (!await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)) found.push(`${name} is wider than the page`);
    }
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.screenshot({ path: join(SHOTS, `state-keys-${mode}.png`) });
    found.push(...(await violations(page)).map((v) => `keys: ${v}`));
    await close(page);
    assert.deepEqual(found, []);
  });
}

test('names: hostile ones are shown as text, everywhere', async () => {
  const page = await open('#/');
  await page.waitForSelector('.recording h3');
  assert.match(await page.textContent('.recording h3'), /<script>alert\(1\)<\/script>/);
  assert.doesNotMatch(await page.textContent('body'), /\u202e/);
  for (const tab of PAGES) {
    await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/${tab}`);
    await (tab === 'compare' ? page.waitForSelector('.compare .empty') : shown(page, tab));
    assert.doesNotMatch(await page.textContent('body'), /\u202e/, tab);
  }
  await page.evaluate(() => { location.hash = '#/r/r1/cpu?show=methods'; });
  await page.waitForSelector('.grid tbody tr >> nth=2');
  assert.equal(await page.$$eval('script, img', (all) => all.filter((e) => !e.src.endsWith('/ui/ui/main.js')).length), 0);
  await close(page);
});

test('address: tab, event, filter, search and zoom are in it; back undoes, forward redoes, a copy shows the same', async () => {
  const page = await open('#/r/r1/cpu');
  await shown(page, 'cpu');
  await page.click('.event-tabs button:has-text("Wall clock")');
  await page.waitForFunction(() => location.hash.includes('event=profiler.WallClockSample'));
  await page.waitForFunction(() => window.wickFlame?.profile.total[0] > 1e9);
  const stale = await page.evaluate(() => [...window.wickFlame.painter.labels.cache].filter(([key, forms]) => !window.wickFlame.profile.names[key >> 1].startsWith(forms[0].text.slice(0, 8))));
  assert.deepEqual(stale, [], 'boxes are lettered with the names of this event');
  await page.click('.flame-tools button:has-text("Leaf-up")');
  await page.fill('#query', 'method5');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => location.hash.includes('leaf=1'));
  await page.click('.tabs a:has-text("Memory")');
  await shown(page, 'memory');
  const address = await addressOf(page);
  await page.goBack();
  await shown(page, 'cpu');
  await has(page, '#view-leaf', 'aria-pressed', 'true');
  await page.goBack();
  await page.waitForFunction(() => document.getElementById('view-leaf')?.getAttribute('aria-pressed') === 'false');
  await page.goForward();
  await page.goForward();
  await shown(page, 'memory');
  await page.waitForFunction((to) => location.href === to, address);
  const copy = await page.context().newPage();
  await copy.goto(address.replace('/memory', '/cpu'));
  await shown(copy, 'cpu');
  await has(copy, '#view-leaf', 'aria-pressed', 'true');
  await close(page);
});

test('filters: a thread from its table becomes a chip, the server hears of it, and the chip takes it away', async () => {
  const page = await open('#/r/r1/cpu?event=profiler.WallClockSample&show=threads');
  await page.waitForSelector('.grid tbody button.link');
  const name = await page.textContent('.grid tbody button.link');
  await page.click('.grid tbody button.link');
  await page.waitForSelector('.filter-chip');
  assert.ok((await page.textContent('.filter-chip')).includes('thread'));
  await shown(page, 'cpu');
  await asks(page, (a) => a.includes('/flame') && a.includes('thread='));
  const asked = fixture.asked.filter((a) => a.includes('/flame') && a.includes('thread=')).pop();
  assert.ok(new RegExp(new URLSearchParams(asked.split('?')[1]).get('thread')).test(name));
  await page.click('.filter-chip button');
  await page.waitForFunction(() => !document.querySelector('.filter-chip'));
  await page.waitForFunction(() => !location.hash.includes('thread='));
  await close(page);
});

test('time: dragging over the axis chooses a range for all queries, a click lets go, and the keyboard can do both', async () => {
  const page = await open('#/r/r1/cpu');
  await page.waitForSelector('.axis path.area', { state: 'attached' });
  await settled(page); // nothing moves it any more
  const box = await (await page.$('.axis .series')).boundingBox();
  await page.mouse.move(box.x + 300, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 40, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => /from=\d+&to=\d+/.test(location.hash));
  const [, from, to] = /from=(\d+)&to=(\d+)/.exec(await addressOf(page)).map(Number);
  const perPixel = (first.end_ns - first.start_ns) / (box.width - 76);
  assert.ok(Math.abs(to - from - 300 * perPixel) < 3 * perPixel);
  assert.ok(Math.abs(from - first.start_ns - (300 - 64) * perPixel) < 3 * perPixel);
  await page.waitForFunction(() => document.querySelector('.series .inside'));
  await asks(page, (a) => a.includes('/flame') && a.includes(`from=${from}`));
  await page.mouse.click(box.x + 100, box.y + 40);
  await page.waitForFunction(() => !location.hash.includes('from='));
  await page.focus('.axis .series');
  for (const key of ['Home', 'ArrowRight', 'Shift+PageDown', 'Enter']) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash.includes('from='));
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.hash.includes('from='));
  await close(page);
});

test('heatmap: a cell by mouse, a part by keyboard, a column by the table; its scale and the switch are in the address', async () => {
  const page = await open('#/r/r1/cpu');
  await shown(page, 'cpu');
  await page.click('.axis-switch button:has-text("Heatmap")');
  await page.waitForFunction(() => location.hash.includes('heat=auto'));
  await page.waitForFunction(() => /all: .*100 ?%/.test(document.querySelector('.heat-axis .series-note')?.textContent));
  await settled(page);
  const painted = await page.$eval('.heat-stage canvas', (c) => { // beside the labels, above the axis: the first columns
    const scale = c.width / c.clientWidth;
    const [x, y, width, height] = [66, 8, 9, c.clientHeight - 30].map((v) => Math.round(v * scale));
    return new Set(new Uint32Array(c.getContext('2d').getImageData(x, y, width, height).data.buffer)).size;
  });
  assert.ok(painted > 3, `cells have colours: ${painted}`);
  assert.deepEqual(await violations(page), []);
  await settled(page);
  const box = await (await page.$('.heat-box')).boundingBox();
  await page.mouse.click(box.x + 66, box.y + 100);
  await page.waitForFunction(() => /from=\d+&to=\d+/.test(location.hash));
  const times = () => page.evaluate(() => /from=(\d+)&to=(\d+)/.exec(location.hash).slice(1).map(Number));
  let [from, to] = await times();
  assert.ok(to - from < 20e6 && to - from > 19e6, 'one cell');
  await asks(page, (a) => a.includes('/flame') && a.includes(`from=${from}`));
  await page.mouse.click(box.x + 66, box.y + 100);
  await page.waitForFunction(() => !location.hash.includes('from='));
  await page.focus('.heat-box');
  for (const key of ['Home', 'ArrowUp', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
  await page.waitForFunction(() => location.hash.includes('from='));
  [from, to] = await times();
  assert.ok(Math.abs(to - from - 1.02e9) < 2e3, 'from the second cell to that a column further');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.hash.includes('from='));
  await page.click('.as-table summary');
  await page.click('.as-table tbody button.link');
  await page.waitForFunction(() => location.hash.includes('from='));
  [from, to] = await times();
  assert.ok(Math.abs(to - from - 1e9) < 2e3, 'a column');
  assert.deepEqual(await violations(page), []);
  await page.click('[aria-label="Time of a column"] button:has-text("5 s")');
  await page.waitForFunction(() => location.hash.includes('heat=5000000000'));
  await page.focus('.tabs a');
  await page.keyboard.press('h');
  await page.waitForSelector('.axis path.area', { state: 'visible' });
  assert.doesNotMatch(await addressOf(page), /heat=/);
  await page.click('.tabs a:has-text("Explain")');
  await page.waitForSelector('.findings, .empty');
  await page.keyboard.press('h');
  assert.doesNotMatch(await addressOf(page), /heat=/, 'a page without an axis has nothing to change');
  await close(page);
});

test('side by side: a picture for each thread and endpoint, and one of them alone with a click', async () => {
  const page = await open('#/r/r1/cpu?event=jdk.ExecutionSample');
  await page.click('[aria-label="Show as"] button:has-text("Side by side")');
  await page.waitForSelector('.group canvas');
  await page.selectOption('[aria-label="A picture for each"]', 'endpoint');
  await page.waitForFunction(() => location.hash.includes('group=endpoint') && document.querySelectorAll('.group canvas').length > 1);
  await settled(page);
  const drawn = await page.$$eval('.group canvas', (all) => all.map((c) => {
    const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }));
  assert.ok(drawn.every((colours) => colours > 2), `colours of each picture: ${drawn}`);
  const shares = await page.$$eval('.group > p', (all) => all.map((p) => parseFloat(p.textContent)));
  assert.deepEqual(shares, shares.slice().sort((x, y) => y - x));
  assert.deepEqual(await violations(page), []);
  pages.unlike = [];
  await looks(page, 'ui-groups-light.png');
  assert.deepEqual(pages.unlike, []);
  const name = await page.textContent('.group h2 button');
  await page.focus('.group h2 button');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.flame #dock .stats dd', { state: 'attached' });
  assert.equal(new URLSearchParams(decodeURI(await addressOf(page)).split('?')[1]).get('endpoint'), name);
  await page.goBack();
  await page.waitForSelector('.group canvas');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector('.group canvas').clientWidth > 300);
  await close(page);
});

test('whole stacks: without the frames by which threads begin until they are asked for, and the address says so', async () => {
  fixture.asked.length = 0;
  const page = await open('#/r/r1/cpu');
  await shown(page, 'cpu');
  await has(page, '.whole', 'aria-pressed', 'false');
  await asks(page, (q) => /r1\/flame\?.*fold=1/.test(q));
  fixture.asked.length = 0;
  await page.click('.whole');
  await page.waitForFunction(() => location.hash.includes('whole=1'));
  await has(page, '.whole', 'aria-pressed', 'true');
  await asks(page, (q) => q.includes('r1/flame?') && !q.includes('fold='));
  assert.deepEqual(await violations(page), []);
  await page.goBack();
  await has(page, '.whole', 'aria-pressed', 'false');
  await close(page);
});

test('methods: the heaviest by the chosen column, more with a press, and a search among all of them', async () => {
  const weight = 2000 * 1300 - (1299 * 1300) / 2;
  fixture.recordings.set('r6', { ...first, id: 'r6', name: 'many.collapsed', path: join(dir, 'many.collapsed'), events: [{ name: 'samples', kind: 'other', unit: 'count', samples: weight, total: weight }] });
  const page = await open('#/r/r6/cpu?show=methods');
  const rows = () => page.$$eval('#place .grid tbody tr', (all) => all.length);
  await page.waitForSelector('.table-rest button');
  assert.equal(await rows(), 500);
  assert.match(await page.textContent('#place .table-rest:not([hidden])'), /500 of 1,308 methods/);
  assert.deepEqual(await violations(page), []);
  await page.focus('.table-rest button');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('#place .grid tbody tr').length === 1000);
  await page.keyboard.press('Enter'); // the button has kept the focus
  await page.waitForFunction(() => document.querySelectorAll('#place .grid tbody tr').length === 1308);
  assert.equal(await page.$$eval('#place .table-rest:not([hidden])', (all) => all.length), 0);
  for (const column of ['Total %', 'Self %', 'Details']) {
    await page.click(`#place .grid thead button:has-text("${column}")`);
    const most = column === 'Self %' ? 'com.example.Methods.m0' : 'main';
    await page.waitForFunction((name) => document.querySelector('#place .grid tbody tr button').textContent === name, most);
  }
  // the server does not sort by samples: all are asked for
  await Promise.all([page.waitForRequest((r) => /r6\/table\?.*rows=0&/.test(r.url())), page.click('#place .grid thead button:has-text("Samples")')]);
  await page.evaluate(() => { location.hash = '#/r/r6/cpu?show=methods&search=Methods.m1299'; });
  await page.waitForFunction(() => document.querySelectorAll('#place .grid tbody tr').length === 1);
  assert.equal(await page.isVisible('.axis'), true);
  fixture.push({ ...fixture.recordings.get('r6'), start_ns: 0, end_ns: 0 });
  await page.evaluate(() => { location.hash = '#/r/r6/cpu?show=methods'; });
  await page.waitForFunction(() => document.querySelector('.axis').hidden); // no time is known, so there is no axis of it
  fixture.recordings.delete('r6');
  await close(page);
});

test('sandwich: from the table of methods and from a box, both sides, another method with a click, and back', async () => {
  const page = await open('#/r/r1/cpu?event=profiler.WallClockSample&show=methods');
  await page.waitForSelector('.grid tbody button:has-text("Callers, callees")');
  await page.click('.grid tbody tr:nth-child(2) button:has-text("Callers, callees")');
  await page.waitForSelector('.side tbody button.link');
  await page.waitForFunction(() => document.querySelectorAll('.side tbody').length === 2 && document.querySelector('.flame #dock .stats dd'));
  const focus = decodeURIComponent(/focus=([^&]*)/.exec(await addressOf(page))[1].replace(/\+/g, ' '));
  const name = await page.textContent('.sandwich-name');
  assert.match(name, /method\d+$/);
  assert.doesNotMatch(name, /\u001b/);
  assert.equal(await page.evaluate(() => window.wickFlame.profile.names[window.wickFlame.view.name[1]]), focus, 'the graph begins with it');
  assert.equal(await page.evaluate(() => window.wickFlame.state.icicle), true, 'callees hang below it');
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: join(SHOTS, 'ui-sandwich-light.png') });
  await page.click('.flame-tools button:has-text("Callers")');
  await page.waitForFunction(() => window.wickFlame?.state.icicle === false && location.hash.includes('callers=1'));
  await page.click('.side tbody button.link');
  await page.waitForFunction((f) => document.querySelector('.sandwich-name').textContent !== f, name);
  await page.goBack();
  await page.waitForFunction((f) => document.querySelector('.sandwich-name').textContent === f, name);
  await page.click('.segment button:has-text("Flame graph")');
  await page.waitForFunction(() => !document.querySelector('.sides') && document.querySelector('.flame #dock .stats dd'));
  assert.equal(await page.$$eval('[aria-label="Show as"]', (all) => all.length), 1);
  await close(page);
});

test('export: the command shows the same, files come as downloads, and a hostile recording has a harmless name', async () => {
  const page = await open('#/r/r1/cpu?event=profiler.WallClockSample&thread=worker-1');
  await shown(page, 'cpu');
  await page.click('.export summary');
  const words = (await page.textContent('.export-command code')).split(' ');
  assert.deepEqual(words.slice(0, 6), ['wick', 'flame', '-e', 'profiler.WallClockSample', '--thread', 'worker-1']);
  execFileSync(WICK, [...words.slice(1, -1), join(dir, 'same.html')]);
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: join(SHOTS, 'ui-export-light.png') });
  for (const [name, file, begins] of [['Collapsed stacks', 'requests.collapsed', /^com\.example\.Service\.method22;.* \d+\n/], ['SVG', 'requests.svg', /^<(\?xml|svg)/], ['pprof', 'requests.pprof', /^\x1f/]]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.export-files a:has-text("${name}")`)]);
    assert.equal(download.suggestedFilename(), file);
    assert.match(readFileSync(await download.path(), 'latin1'), begins);
  }
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('.export').open);
  await close(page);
});

test('memory: limits and causes are named, what is hostile is text, and a long pause leads to its time', async () => {
  const page = await open('#/r/r3/memory');
  await page.waitForSelector('rect.pause', { state: 'attached' });
  await page.waitForSelector('path.part', { state: 'attached' });
  const text = await page.textContent('#place');
  for (const said of [/Java heap at most 512 MiB/, /limit of the cgroup 1.00 GiB/, /System\.gc\(\)/, /<script>alert/]) assert.match(text, said);
  assert.equal(await page.$$eval('rect.pause', (all) => all.length), 60);
  const heights = await page.$$eval('rect.pause', (all) => all.map((e) => Number(e.getAttribute('height'))));
  assert.equal(heights.indexOf(Math.max(...heights)), 31);
  const box = await (await page.$('section[aria-label="Collections over time"] .series')).boundingBox();
  const at = await page.$eval('rect.pause:nth-of-type(32)', (e) => Number(e.getAttribute('x')));
  assert.ok(Math.abs(at - (64 + ((box.width - 76) * (2 + 5 * 31)) / 305)) < 1, 'a pause stands at its time');
  await page.click('table:has(caption:has-text("longest pauses")) tbody button.link');
  await page.waitForFunction((from) => location.hash.includes(`from=${from}`), (BigInt(STORY_NS) + 157000000000n).toString());
  await close(page);
});

test('heap: chains from root to suspect, an object by keyboard, tables, and hostile names as text', async () => {
  const page = await open('#/');
  await page.click('.recording a:has-text("leak.hprof")');
  await page.waitForSelector('.chains .suspect');
  const kinds = await page.$$eval('.chains .holder', (all) => all.map((g) => g.getAttribute('class').replace('holder ', '')));
  assert.deepEqual([...new Set(kinds)].sort(), ['kept', 'object', 'root', 'skipped', 'suspect']);
  assert.match(await page.textContent('.chains .skipped text:nth-of-type(2)'), /^\d+ more objects $/);
  await page.focus('.chains .suspect');
  await page.keyboard.press('Enter');
  await has(page, '.chains .suspect', 'aria-pressed', 'true');
  assert.match(await page.textContent('.picked-holder'), /SESSIONS . java\.lang\.Object\[40\] 0x[0-9a-f]+: .* retains/);
  await page.keyboard.press('Enter');
  await says(page, '.picked-holder', /^Choose an object/);
  const text = await page.textContent('#view');
  assert.match(text, /keeps 40 of <\|h3><script>alert\(1\)<\|script>/);
  assert.doesNotMatch(text, /\u202e/);
  for (const caption of ['Classes', 'Largest objects', 'What could be saved', 'Class loaders']) assert.ok(await page.$(table(caption)), caption);
  await page.keyboard.press('2'); // pages of recordings are none of a dump's
  assert.ok(await page.$('.chains .suspect'));
  await close(page);
});

test('heap: of a JVM that is recorded, by a button; a refusal is a sentence', async () => {
  const page = await open('#/r/r3/memory');
  await page.waitForSelector('.facts');
  assert.equal(await page.isVisible('text=Take a heap dump'), false); // nobody knows the process
  const live = { ...first, id: 'r6', name: 'live.jfr', live: true, here: true, pid: 4711 };
  fixture.push(live);
  await page.evaluate(() => { location.hash = '#/r/r6/memory'; });
  fixture.refuse = { error: 'not_possible_now', why: 'a heap dump may take 9 GiB, and its /tmp has room for 1 GiB only', what_to_do: '' };
  await page.click('text=Take a heap dump');
  await page.waitForSelector('text=room for 1 GiB only');
  fixture.refuse = null;
  await page.click('text=Take a heap dump');
  await page.waitForSelector('.chains .suspect');
  fixture.recordings.delete('r6');
  await close(page);
});

test('slow: by keyboard from the endpoint to the stack of a bar', async () => {
  const page = await open('#/r/r1/slow');
  await shown(page, 'slow');
  await page.focus('.grid tbody button.link:has-text("GET /slow")');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('endpoint=GET'));
  await page.waitForSelector('section.card:nth-of-type(3) tbody button.link');
  await page.focus('section.card:nth-of-type(3) tbody button.link');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#trace rect.bar');
  await page.focus('#trace svg[role="group"]');
  await page.keyboard.press('ArrowRight');
  await says(page, '#detail', /samples?/);
  assert.ok((await page.$$('#detail li')).length > 0);
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: join(SHOTS, 'ui-trace-light.png') });
  await close(page);
});

test('slow: the chosen time holds for endpoints, latency and traces, and its chip lets go of it', async () => {
  const [from, to] = [first.start_ns, first.start_ns + Math.round((first.end_ns - first.start_ns) / 4)];
  const { traces } = JSON.parse(fixture.run('trace', '--json', first.path));
  const inside = traces.filter((t) => t.start_ns >= from && t.start_ns < to).length;
  assert.ok(inside > 0 && inside < traces.length, `${inside} of ${traces.length}`);
  const requests = async (page) => (await page.$$eval(`${table('Latency by endpoint')} tbody tr`, (rows) => rows.map((r) => Number(r.cells[1].textContent)))).reduce((a, b) => a + b, 0);
  const dots = async (page) => Number(/^([\d,]+) request/.exec(await page.textContent('.density-box .series-note'))[1]);
  const page = await open(`#/r/r1/slow?from=${from}&to=${to}`);
  await page.waitForSelector('.density .cell', { state: 'attached' });
  await settled(page);
  const part = await requests(page);
  assert.equal(await page.$$eval(`${table('Traces, slowest first')} tbody tr`, (rows) => rows.length), inside);
  assert.equal(await dots(page), inside);
  assert.match(await page.textContent('.filter-chip'), /^time /);
  assert.deepEqual(await violations(page), []);
  await page.click('[aria-label="Remove the range of time"]');
  await page.waitForFunction(() => !location.hash.includes('from='));
  await settled(page);
  assert.equal(await dots(page), traces.length);
  assert.ok(part > 0 && part < await requests(page), `${part} of ${await requests(page)}`);
  await page.evaluate((hash) => { location.hash = hash; }, `#/r/r1/slow?from=${from - 2000}&to=${from - 1000}`);
  await page.click('button:has-text("Show all of the time")');
  await page.waitForSelector(`${table('Latency by endpoint')} tbody tr`);
  await close(page);
});

test('latency: a cell of the density leads to its trace, a part of it to its traces, by mouse, keyboard and table', async () => {
  const page = await open('#/r/r1/slow');
  await page.waitForSelector('.density .cell', { state: 'attached' });
  await settled(page); // the table above moves it when it comes
  const all = Number(/^([\d ,]+) requests/.exec(await page.textContent('.density-box .series-note'))[1].replace(/\D/g, ''));
  const traces = await page.$$eval('section.card:nth-of-type(3) tbody tr', (rows) => rows.length);
  assert.equal(Math.min(50, all), traces, 'a dot for each trace');
  await page.click('.density .cell');
  await page.waitForFunction(() => /pick=\d+-\d+-\d+-\d+/.test(location.hash));
  await page.waitForFunction(() => /of the chosen request/.test(document.querySelector('section.card:nth-of-type(3) h2')?.textContent));
  await settled(page);
  const said = Number(/: ([\d,]+) request/.exec(await page.textContent('.density-box .series-note'))[1]);
  assert.equal(await page.$$eval('section.card:nth-of-type(3) tbody tr', (rows) => rows.length), said);
  if (said === 1) await page.waitForSelector('#trace rect.bar, #trace rect.span', { state: 'attached' });
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: join(SHOTS, 'ui-latency-light.png') });
  await page.click('[aria-label="Remove the choice of requests"]');
  await page.waitForFunction(() => !location.hash.includes('pick='));
  await page.focus('.density');
  await page.keyboard.press('Home');
  for (let i = 0; i < 36; i++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+End');
  for (let i = 0; i < 36; i++) await page.keyboard.press('Shift+ArrowUp');
  const chosen = await page.textContent('.density-box .series-note');
  fixture.asked.length = 0;
  fixture.push({ ...first, size_bytes: first.size_bytes + 1 }); // another answer, and a pointer that comes and goes, leave what is being chosen
  await asks(page, (q) => q.includes('r1/latency'));
  await settled(page);
  assert.equal(await page.textContent('.density-box .series-note'), chosen);
  await page.hover('.density');
  await page.mouse.move(1, 1);
  assert.equal(await page.textContent('.density-box .series-note'), chosen);
  await page.keyboard.press('Enter');
  fixture.push(first);
  await page.waitForFunction(() => location.hash.includes('pick='));
  await settled(page);
  assert.equal(await page.$$eval('section.card:nth-of-type(3) tbody tr', (rows) => rows.length), traces, 'all of it');
  await page.focus('.density');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.hash.includes('pick='));
  await page.click('.density-box .as-table summary');
  await page.click('.density-box tbody button.link');
  await page.waitForFunction(() => location.hash.includes('pick='));
  await close(page);
});

test('locks: who blocks whom, chosen by keyboard and undone, with the way to the stacks of those who wait', async () => {
  const page = await open('#/r/r4/interference');
  await page.waitForSelector('.lock-graph .node', { state: 'attached' });
  await settled(page);
  const text = await page.textContent('.lock-graph');
  for (const said of [/worker-\*/, /writer-\*/, /Session/, /cache-cleaner/, /<script>/]) assert.match(text, said);
  assert.doesNotMatch(text, /\u001b/);
  const rows = () => page.$$eval('.lock-graph ~ .table-box tbody tr', (all) => all.length);
  assert.equal(await rows(), 3);
  assert.deepEqual(await violations(page), []);
  await page.focus('.lock-graph .w[aria-label^="writer"]');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('lock=w'));
  await settled(page);
  assert.equal(await rows(), 2, 'what writers wait for, and whom they hold up');
  assert.equal(await page.$$eval('.lock-graph [aria-pressed="true"]', (all) => all.length), 2);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !location.hash.includes('lock='));
  await page.click('.lock-graph ~ .table-box tbody button.link:has-text("worker")');
  await page.waitForFunction(() => location.hash.includes('/cpu?') && location.hash.includes('thread='));
  await shown(page, 'cpu');
  await close(page);
});

test('safepoints: when they were, what was slow and why, and the stacks of one; a recording without them says how', async () => {
  const page = await open('#/r/r4/interference');
  await page.waitForSelector(table('What was slow'));
  await settled(page);
  const blame = await page.textContent(`${table('What was slow')} tbody`);
  assert.match(blame, /Session\.sweep:21.*compiled code without a poll.*5.*500 ms.*no CPU to run on.*25\.0 ms/s);
  const bars = await page.$$eval('[aria-label^="Slow safepoints over time"] rect.pause, .axis rect.pause', (all) => all.map((b) => Number(b.getAttribute('height'))));
  assert.equal(bars.length, 6);
  assert.equal(Math.max(...bars), bars[0], 'the slowest is the highest');
  await page.click(`${table('What was slow')} tbody tr:last-child button`);
  await page.waitForSelector('.stack-of:has-text("no CPU to run on")');
  await settled(page);
  await page.focus(`${table('The slowest safepoints')} tbody button.link`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('safepoint='));
  await page.waitForFunction(() => document.querySelector('.frames .guilty')?.textContent === 'com.example.shop.Session.sweep:21');
  assert.deepEqual(await violations(page), []);
  await page.click('button:has-text("Take its time range")');
  await page.waitForFunction(() => location.hash.includes('from='));
  for (let steps = 0; steps < 3; steps++) await page.goBack();
  await page.waitForFunction(() => !document.querySelector('.frames'));
  await page.goto(`${fixture.url}#/r/r1/interference`);
  await page.waitForSelector('.empty:has-text("Slow safepoints are not in this recording")');
  await close(page);
});

test('lines: a method from the table, its text where there is a file, hostile text as text', async () => {
  const page = await open('#/r/r1/cpu?show=methods');
  await page.waitForSelector('button[aria-label="Lines of com.example.Service.method21"]');
  await page.click('button[aria-label="Lines of com.example.Service.method21"]');
  await page.waitForSelector('.lines-table tr.weighs');
  assert.deepEqual(await page.$$eval('.lines-table tr.weighs', (all) => all.map((r) => [r.dataset.line, r.children[0].textContent, r.children[1].textContent])), [['11', '', '100 %']]);
  assert.match(await page.textContent('.lines-table tr.weighs code'), /^\/\/ 11 .*script/);
  assert.equal((await page.$$('.lines-table tbody tr')).length, 23, 'from line 1 to 12 behind the last one');
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: join(SHOTS, 'ui-lines.png') });
  await page.goBack();
  await page.waitForSelector('.grid caption:has-text("Methods by weight")', { state: 'attached' });
  await page.click('[aria-label="Show as"] button:has-text("Lines")');
  await page.waitForSelector('button[title="Show its lines"]:has-text("com.example.Service.method22")');
  await page.click('button[title="Show its lines"]:has-text("com.example.Service.method22")');
  await page.waitForSelector('.lines-table tr[data-line="12"].weighs');
  await page.goto(`${fixture.url}#/r/r1/cpu?show=lines&focus=${encodeURIComponent('no.such.Method')}`);
  await page.waitForSelector('.error:has-text("no.such.Method")');
  await close(page);
});

test('keys: numbers go to pages, letters to the graph, ? lists them, d changes the colours', async () => {
  const page = await open('#/r/r1/explain');
  await page.keyboard.press('3');
  await shown(page, 'cpu');
  await page.keyboard.press('i');
  await page.waitForFunction(() => document.getElementById('view-leaf').getAttribute('aria-pressed') === 'true');
  const dark = await page.getAttribute('html', 'data-theme');
  await page.keyboard.press('d');
  await page.waitForFunction((before) => document.documentElement.getAttribute('data-theme') !== before, dark);
  await page.keyboard.press('?');
  await page.waitForSelector('#help-box[open]');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  await page.focus('#tree');
  await page.keyboard.press('Enter');
  await page.keyboard.press('g');
  await page.waitForSelector('.recording h3');
  await close(page);
});

test('live: record, watch it grow without a jump, stop; the refusal of a server is a sentence', async () => {
  const page = await open('#/');
  fixture.refuse = { error: 'state', why: 'This JVM is being recorded already.', what_to_do: 'Stop that recording first.' };
  await page.click('button[aria-label="Record Bootstrap"]');
  await page.waitForSelector('.error');
  assert.match(await page.textContent('.error'), /recorded already.*Stop that recording/s);
  fixture.refuse = null;
  await page.click('button[aria-label="Record Bootstrap"]');
  await shown(page, 'cpu');
  await page.waitForSelector('.badge.live');
  await page.evaluate(() => { document.querySelector('#scroll').scrollTop = 0; });
  const before = await page.evaluate(() => ({ top: document.querySelector('#scroll').getBoundingClientRect().top, profile: (window.kept = window.wickFlame.profile) !== null }));
  const live = fixture.recordings.get('r4711');
  fixture.push({ ...live, end_ns: live.end_ns + 1e9, size_bytes: live.size_bytes + 5 });
  await page.waitForFunction(() => window.wickFlame && window.wickFlame.profile !== window.kept);
  assert.equal(await page.evaluate(() => document.querySelector('#scroll').getBoundingClientRect().top), before.top);
  assert.equal(await page.evaluate(() => document.querySelector('#scroll').scrollTop), 0);
  await page.click('button:has-text("Stop")');
  await page.waitForFunction(() => !document.querySelector('.badge.live'));
  await close(page);
});

test('live: growth takes neither a click nor the focus, and closes nothing', async () => {
  const page = await open('#/');
  await page.click('button[aria-label="Record Bootstrap"]');
  await shown(page, 'cpu');
  const grow = () => {
    const live = fixture.recordings.get('r4711');
    fixture.push({ ...live, end_ns: live.end_ns + 1e9, size_bytes: live.size_bytes + 5 });
  };
  const asked = (what) => fixture.asked.filter((a) => a.includes(`/r4711/${what}`)).length;
  const grown = async (what) => {
    const before = asked(what);
    grow();
    for (let tries = 0; asked(what) === before; tries++) {
      assert.ok(tries < 6000, `${what} is asked for again`);
      await page.waitForTimeout(20);
    }
    await settled(page);
  };
  /** Presses in the middle of an element, lets the recording grow, and releases there. */
  const slowClick = async (selector) => {
    const box = await (await page.waitForSelector(selector)).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    grow();
    await page.waitForTimeout(600); // in which the page would be updated
    await settled(page);
    await page.mouse.up();
  };
  await slowClick('[aria-label="Show as"] button:has-text("Methods")');
  await page.waitForFunction(() => location.hash.includes('show=methods'));
  await page.waitForSelector(`${table('Methods by weight')} tbody button.link`);
  await slowClick(`${table('Methods by weight')} tbody tr:first-child button.link`);
  await page.waitForFunction(() => location.hash.includes('search='));
  await page.click('[aria-label="Show as"] button:has-text("Methods")');
  await page.focus(`${table('Methods by weight')} tbody tr:first-child button.link`);
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  const name = await focused();
  await grown('table');
  assert.equal(await focused(), name);
  await page.focus('.tabs a:has-text("Interference")');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h2:has-text("What disturbs it")');
  await grown('explain');
  assert.match(await focused(), /Interference/);
  const opened = await page.evaluate(async () => {
    const { exchange, h } = await import('/ui/ui/dom.js');
    const [box, part] = [h('div'), (name) => h('details', {}, h('summary', {}, name))];
    exchange(box, part('one'), null, [part('two')]);
    box.lastChild.open = true;
    exchange(box, part('none'), part('two'), part('one'));
    return [...box.children].map((e) => e.open);
  });
  assert.deepEqual(opened, [false, true, false]);
  await page.click('button:has-text("Stop")');
  await page.waitForFunction(() => !document.querySelector('.badge.live'));
  await close(page);
});

test('live: a moment is marked and chosen, other events are recorded; what is refused stays to be corrected', async () => {
  const page = await open('#/');
  await page.check('.events input[value="ttsp"]'); // of which there is no sample as long as nothing is slow
  await page.click('button[aria-label="Record Bootstrap"]');
  await shown(page, 'cpu');
  await page.focus('button:has-text("Mark")');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog.ask');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.type('cache <b>emptied</b>');
  fixture.refuse = { error: 'state', why: 'The recording has ended already.', what_to_do: '' };
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog.ask .error');
  assert.match(await page.textContent('dialog.ask .error'), /has ended already/);
  fixture.refuse = null;
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !document.querySelector('dialog.ask'));
  await page.waitForSelector('.marks button:has-text("cache <b>emptied</b>")');
  await page.waitForSelector('.axis .mark-line', { state: 'attached' });
  assert.equal(await page.$$eval('.axis .mark-line', (all) => all.length), 1);
  assert.deepEqual(await violations(page), []);
  await page.click('.marks button');
  await page.waitForFunction(() => location.hash.includes('from='));
  await has(page, '.marks button', 'aria-pressed', 'true');
  await page.click('.marks button');
  await page.waitForFunction(() => !location.hash.includes('from='));
  await page.click('button:has-text("Change")');
  await page.waitForSelector('dialog.ask');
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(await page.$$eval('dialog.ask input:checked', (all) => all.map((e) => e.value)), ['cpu', 'wall', 'ttsp'], 'what is recorded');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('dialog.ask'));
  await page.click('button:has-text("Change")');
  await page.waitForSelector('dialog.ask');
  for (const box of await page.$$('dialog.ask input')) await box.uncheck();
  await page.check('dialog.ask input[value="alloc"]');
  await page.check('dialog.ask input[value="lock"]');
  await page.selectOption('dialog.ask select', '5ms');
  await page.click('dialog.ask .primary');
  await page.waitForFunction(() => !document.querySelector('dialog.ask'));
  assert.deepEqual(fixture.acts, [['mark', { text: 'cache <b>emptied</b>' }], ['change', { events: ['alloc', 'lock'], interval: '5ms' }]]);
  await page.click('button:has-text("Change")');
  await page.waitForSelector('dialog.ask');
  assert.deepEqual(await page.$$eval('dialog.ask input:checked', (all) => all.map((e) => e.value)), ['alloc', 'lock'], 'what was chosen last');
  await page.keyboard.press('Escape');
  await page.click('button:has-text("Stop")');
  await page.waitForFunction(() => !document.querySelector('.badge.live'));
  await close(page);
});

test('empty: no JVM, no recording and an unknown one say what to do', async () => {
  const [jvms, recordings] = [fixture.jvms, fixture.recordings];
  fixture.jvms = [];
  fixture.recordings = new Map();
  const page = await open('#/');
  await page.waitForSelector('#recordings .empty');
  assert.match(await page.textContent('#view'), /No Java process runs here.*There is no recording yet.*wick ui FILE\.jfr/s);
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: join(SHOTS, 'ui-empty-light.png') });
  fixture.jvms = jvms;
  fixture.recordings = recordings;
  await page.evaluate(() => { location.hash = '#/r/nothing/cpu'; });
  await page.waitForSelector('.error');
  assert.match(await page.textContent('.error'), /no recording nothing/);
  await close(page);
});
