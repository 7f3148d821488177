// SPDX-License-Identifier: Apache-2.0
// When the start page of a `wick ui` is there: node bench_paint.mjs ADDRESS. Medians of ten visits with nothing cached in headless
// Chromium without a GPU, in milliseconds since the navigation began, as JSON.
import { launch } from './browser.mjs';

const VISITS = 10;
const [address] = process.argv.slice(2);
const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];
const browser = await launch();
const first = [];
const ready = [];
for (let i = 0; i < VISITS; i++) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) if (e.name === 'first-contentful-paint') window.painted = e.startTime;
    }).observe({ type: 'paint', buffered: true });
    new MutationObserver((_, self) => {
      if (!document.documentElement?.dataset.ready) return;
      window.ready = performance.now();
      self.disconnect();
    }).observe(document, { attributes: true, subtree: true });
  });
  await page.goto(address);
  await page.waitForFunction(() => window.painted !== undefined && window.ready !== undefined);
  first.push(await page.evaluate(() => window.painted));
  ready.push(await page.evaluate(() => window.ready));
  await context.close();
}
await browser.close();
console.log(JSON.stringify({ first_paint_ms: median(first), ready_ms: median(ready) }));
