// SPDX-License-Identifier: Apache-2.0
// How fast the page is: node bench.mjs WICK [nodes...]. Medians of several runs in headless Chromium without a GPU.
// load = from navigation to the first picture painted; the others include everything up to the canvas being painted. The
// CPU times are those of the page's main thread: they hold on a machine with other work, elapsed time does not.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { writeProfile } from './profile.mjs';

const [tool, ...sizes] = process.argv.slice(2);
const TIMES = 10;
const STACKS = { 200000: 44000, 1000000: 300000 };
const dir = mkdtempSync(join(tmpdir(), 'wick-bench-'));
const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

/** Runs in the page: median milliseconds of each action over `runs` runs, canvas flushed by reading one pixel. */
async function measure(runs) {
  const app = window.wickFlame;
  const flush = () => document.getElementById('canvas').getContext('2d').getImageData(0, 0, 1, 1);
  const time = (run, reset, paint = true) => {
    const list = [];
    for (let i = 0; i < runs; i++) {
      reset?.();
      flush();
      const t = performance.now();
      run(i);
      if (paint) app.paint();
      flush();
      list.push(performance.now() - t);
    }
    return list.sort((a, b) => a - b)[runs >> 1];
  };
  const deep = (n) => {
    let node = 0;
    for (let i = 0; i < n; i++) node = app.heaviestChild(node);
    return node;
  };
  const r = { boxes: app.profile.count - 1, names: app.profile.names.length };
  r.redraw = time(() => {});
  r.drawn = app.painter.drawn;
  r.zoom = time((i) => app.zoomTo(deep(3 + (i % 3)), { history: false }), () => app.zoomTo(0, { history: false }));
  app.zoomTo(0, { history: false });
  r.search = time((i) => app.setQuery(['Service', 'java/util', 'run$', 'a.*b', 'Impl'][i % 5], false));
  r.searchRedraw = time(() => {});
  app.setQuery('', false);
  r.leafUpFirst = (() => {
    const t = performance.now();
    app.setView(true);
    app.paint();
    flush();
    return performance.now() - t;
  })();
  r.leafUpRedraw = time(() => {});
  app.setView(false);
  r.hover = time((i) => app.painter.nodeAt(app.scene(), 100 + i * 50, 500), null, false);
  r.heap = performance.memory ? performance.memory.usedJSHeapSize / 1e6 : 0;
  return r;
}

/** Milliseconds of CPU time that the page's main thread has used. */
async function mainThread(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return 1000 * metrics.find((m) => m.name === 'TaskDuration').value;
  };
}

/** What each action takes of it; each is done `TIMES` times. */
async function measureCpu(page, used) {
  const out = {};
  for (const action of ['redraw', 'zoom', 'search']) {
    const before = await used();
    await page.evaluate(act, [action, TIMES]);
    out[action] = ((await used()) - before) / TIMES;
  }
  return out;
}

/** Runs in the page. */
function act([action, times]) {
  const app = window.wickFlame;
  for (let i = 0; i < times; i++) {
    if (action === 'zoom') app.zoomTo(i % 2 ? 0 : app.heaviestChild(app.heaviestChild(app.heaviestChild(0))), { history: false });
    if (action === 'search') app.setQuery(['Service', 'java/util', 'run$', 'a.*b', 'Impl'][i % 5], false);
    app.paint();
    document.getElementById('canvas').getContext('2d').getImageData(0, 0, 1, 1);
  }
}

for (const size of sizes.length ? sizes : Object.keys(STACKS)) {
  const text = join(dir, 'p.collapsed');
  const html = join(dir, 'p.html');
  await writeProfile(text, { stacks: STACKS[size] ?? Math.round(size / 4), fan: 9, variety: 20000 });
  const t = performance.now();
  execFileSync(tool, ['flame', text, '-u', 'ns', '-o', html]);
  const write = performance.now() - t;
  const loads = [];
  const cpuLoads = [];
  let result;
  let cpu;
  for (let i = 0; i < 5; i++) {
    const browser = await launch();
    const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce' })).newPage();
    const used = await mainThread(page);
    const usedBefore = await used();
    const began = performance.now();
    await page.goto(`file://${html}`);
    await page.waitForSelector('html[data-ready]');
    await page.evaluate(() => document.getElementById('canvas').getContext('2d').getImageData(0, 0, 1, 1).data[0]);
    loads.push(performance.now() - began);
    cpuLoads.push((await used()) - usedBefore);
    if (i === 4) cpu = await measureCpu(page, used);
    if (i === 4) result = await page.evaluate(measure, 15);
    await browser.close();
  }
  const ms = (v) => `${v.toFixed(0)} ms`;
  console.log(`${result.boxes} boxes, ${result.names} names: written in ${ms(write)} (${(statSync(text).size / 1e6).toFixed(0)} MB in, ` +
    `${(statSync(html).size / 1e6).toFixed(1)} MB out); load ${ms(median(loads))}, redraw ${ms(result.redraw)} (${result.drawn} boxes drawn), ` +
    `zoom ${ms(result.zoom)}, search ${ms(result.search)}, redraw with search ${ms(result.searchRedraw)}, leaf-up first ${ms(result.leafUpFirst)}, ` +
    `leaf-up redraw ${ms(result.leafUpRedraw)}, hit test ${result.hover.toFixed(1)} ms, JS heap ${result.heap.toFixed(0)} MB; ` +
    `CPU time: load ${ms(median(cpuLoads))}, redraw ${ms(cpu.redraw)}, zoom ${ms(cpu.zoom)}, search ${ms(cpu.search)}`);
}
rmSync(dir, { recursive: true });
