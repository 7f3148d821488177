// SPDX-License-Identifier: Apache-2.0
// Tools around the pages of `wick ui`: pictures as PNG files, the name of a recording, and the bar that says that there is no connection.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { says } from './awaited.mjs';
import { violations } from './axe.mjs';
import { leakyHeap } from './hprof.mjs';
import { describe, describeHeap } from './ui-fixture.mjs';
import { fits, HOSTILE, MODES, stage, WICK, WIDE } from './ui-page.mjs';

const { dir: folder, browser, fixture, pages } = await stage((dir, story) => {
  const [requests, heap] = [story('requests'), join(dir, 'leak.hprof')];
  writeFileSync(heap, leakyHeap({ session: 'session' }));
  return { recordings: [describe(WICK, 'r1', requests), describe(WICK, 'r2', story('locks'), { start_ns: 1700000000e9, end_ns: 1700000006e9 }), describe(WICK, 'mine', requests, { here: true, pid: 4711 }), describeHeap('heap', heap)] };
});
const plain = await (await browser.newContext()).newPage(); // without a policy: it may load images

/** In the browser: how far two images are from each other, in shades of 255, and from being blank; and how large the first is. */
async function judge([first, second]) {
  const [W, H] = [96, 32];
  const read = async (base64) => {
    const image = new Image();
    image.src = typeof base64 === 'string' ? `data:image/png;base64,${base64}` : `data:image/svg+xml,${encodeURIComponent(base64[0])}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [W, H];
    const ctx = canvas.getContext('2d');
    ctx.imageSmoothingQuality = 'high';
    ctx.drawImage(image, 0, 0, W, H);
    return { dots: ctx.getImageData(0, 0, W, H).data, size: [image.width, image.height] };
  };
  const far = (a, of) => a.reduce((sum, v, i) => sum + (i % 4 === 3 ? 0 : Math.abs(v - of(i))), 0) / (a.length * 0.75);
  const [a, b] = [await read(first), await read(second)];
  return { size: a.size, apart: far(a.dots, (i) => b.dots[i]), blank: far(a.dots, (i) => a.dots[i % 4]) };
}

const PICTURES = [
  ['#/r/r1/cpu?event=profiler.WallClockSample&idle=1', ['Weight over time', 'Flame graph'], ['.axis svg.series', '#canvas']],
  ['#/r/r1/cpu?event=profiler.WallClockSample&heat=auto', ['Weight by time'], ['.heat-stage canvas']],
  ['#/r/r1/slow', ['Latency over time'], ['svg.density']],
  ['#/r/r1/slow?trace=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01', ['Trace'], ['#trace']],
  ['#/r/r1/slow?trace=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01&part=10000000-60000000', ['Trace'], ['#trace']],
  ['#/r/r2/interference', ['Who blocks whom'], ['svg.lock-graph']],
  ['#/r/heap', ['Who holds the heap'], ['svg.chains']],
];

for (const theme of ['light', 'dark']) {
  test(`png: each picture of each page is what the page shows, ${theme}`, async () => {
    for (const [hash, names, selectors] of PICTURES) {
      const page = await pages.open(hash, { colorScheme: theme });
      for (const selector of selectors) await page.waitForSelector(selector, { state: 'attached' });
      await pages.settled(page);
      await page.click('.export summary');
      await page.waitForSelector('.export-pictures button');
      const found = await page.$$eval('.export-pictures button', (all) => all.map((b) => b.textContent));
      for (const name of names) assert.ok(found.some((f) => f.startsWith(name)), `${hash}: ${name} is among ${found}`);
      assert.deepEqual(await violations(page), [], hash);
      for (const selector of selectors) {
        await page.$eval('.export', (e) => { e.open = false; });
        const handle = await page.$(selector);
        await handle.scrollIntoViewIfNeeded();
        await pages.settled(page);
        await handle.evaluate((e) => { for (const left of e.querySelectorAll('button, #detail')) left.style.visibility = 'hidden'; }); // what a picture leaves out
        const seen = await handle.screenshot();
        const base64 = await handle.evaluate(async (e) => (await import('/ui/ui/png.js')).rasterOf(e).toDataURL('image/png').split(',')[1]);
        const { size, apart, blank } = await plain.evaluate(judge, [base64, seen.toString('base64')]);
        const { width } = await handle.boundingBox();
        assert.ok(Math.abs(size[0] - 2 * width) <= 2, `${selector}: two dots for each pixel`);
        assert.ok(blank > 0.3, `${selector} is not blank: ${blank}`);
        assert.ok(apart < Math.max(2, blank / 3), `${selector}: ${apart} from what is seen, ${blank} from blank`);
      }
      await pages.close(page);
    }
  });
}

test('svg: a picture that is one is a file that looks the same without the page, and names are text in it', async () => {
  const page = await pages.open('#/r/r2/interference');
  await page.waitForSelector('svg.lock-graph');
  await pages.settled(page);
  const handle = await page.$('svg.lock-graph');
  await handle.scrollIntoViewIfNeeded();
  const seen = await handle.screenshot();
  await page.click('.export summary');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[aria-label="Who blocks whom as SVG"]')]);
  assert.equal(download.suggestedFilename(), 'locks-who-blocks-whom.svg');
  const svg = readFileSync(await download.path(), 'utf8');
  assert.equal(/class=|<script|<style|<img/.exec(svg), null);
  const { apart, blank } = await plain.evaluate(judge, [[svg], seen.toString('base64')]);
  assert.ok(blank > 0.3, `it is not blank: ${blank}`);
  assert.ok(apart < Math.max(2, blank / 3), `${apart} from what is seen, ${blank} from blank`);
  assert.equal(await page.locator('[aria-label$="as SVG"]').count(), await page.evaluate(() => [...document.querySelectorAll('.export-pictures [aria-label$="as PNG"]')].length), 'all pictures of this page are SVG');
  await pages.close(page);
});

test('png: saved with one press, under a harmless name', async () => {
  const page = await pages.open('#/r/r1/cpu?event=profiler.WallClockSample');
  await page.waitForSelector('.flame #dock .stats dd', { state: 'attached' });
  await pages.settled(page);
  await page.focus('.export summary');
  await page.keyboard.press('Enter');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[aria-label="Flame graph as PNG"]')]);
  assert.equal(download.suggestedFilename(), 'requests-flame-graph.png');
  assert.deepEqual([...readFileSync(await download.path()).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  const names = await page.evaluate(async (hostile) => (await import('/ui/ui/png.js')).fileNameOf(hostile, '../../etc/passwd'), HOSTILE);
  assert.match(names, /^[a-z0-9_-]+\.png$/);
  await pages.close(page);
});

test('png: of a heap dump, beside the command that shows the same', async () => {
  const page = await pages.open('#/r/heap');
  await page.waitForSelector('svg.chains .holder');
  await pages.settled(page);
  await page.focus('.export summary');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.export-pictures button');
  assert.match(await page.textContent('.export-command code'), /^wick heap \/.*leak\.hprof -o heap\.html$/);
  const file = await page.$eval('.export-files:not(.export-pictures)', async (list) => [list.textContent, await (await fetch(list.querySelector('a').href)).text()]);
  assert.match(file[0], /^Page classes by what they keep alive[^.]*$/, 'there are no samples to export');
  execFileSync(WICK, ['heap', fixture.recordings.get('heap').path, '-o', join(folder, 'heap.html')]);
  assert.ok(file[1] === readFileSync(join(folder, 'heap.html'), 'utf8'), 'the page is what the command writes');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('[aria-label="Who holds the heap as PNG"]')]);
  assert.equal(download.suggestedFilename(), 'leak-who-holds-the-heap.png');
  assert.deepEqual([...readFileSync(await download.path()).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  await pages.close(page);
});

test('name: a recording of the page is renamed; what is refused stays to be corrected, and a hostile name is text', async () => {
  const page = await pages.open('#/r/mine/cpu?event=profiler.WallClockSample&search=method');
  await page.waitForSelector('#live-state button');
  fixture.refuse = { error: 'not_possible_now', why: 'there is a file b.jfr already; choose another name', what_to_do: '' };
  await page.click('#live-state button:has-text("Rename")');
  assert.equal(await page.inputValue('dialog.ask input'), 'requests');
  await page.fill('dialog.ask input', 'b');
  await page.keyboard.press('Enter');
  await says(page, 'dialog.ask .error', /There is a file b\.jfr already/);
  assert.deepEqual(await violations(page), []);
  fixture.refuse = null;
  await page.fill('dialog.ask input', HOSTILE);
  await page.click('dialog.ask .primary');
  await page.waitForSelector('dialog.ask', { state: 'detached' });
  await page.waitForFunction(() => document.getElementById('title').textContent.startsWith('</h3><script>alert(1)'));
  assert.match(await page.evaluate(() => location.hash), /^#\/r\/mine-renamed\/cpu\?.*search=method/, 'what was chosen stays');
  assert.equal(await page.isVisible('#connection'), false);
  await page.click('a.home');
  assert.equal(await page.$$eval('.recording h3', (all) => all.length), 4);
  await pages.close(page);
  const other = await pages.open('#/r/r1/cpu');
  assert.equal(await other.locator('#live-state button').count(), 0, 'what was not made here keeps its name');
  await pages.close(other);
});

for (const [mode, options] of [...MODES, WIDE]) {
  test(`connection: the bar is usable by everybody, ${mode}`, async () => {
    const page = await pages.open('#/r/r1/explain', options);
    await page.waitForSelector('.findings, .empty');
    pages.unlike = [];
    for (const state of ['token', 'lost', 'many', 'missing']) {
      await page.evaluate((s) => {
        window.wickUi.connection.source.close();
        clearTimeout(window.wickUi.connection.timer);
        window.wickUi.connection.show('');
        window.wickUi.connection.show(s);
      }, state);
      await page.waitForSelector('#connection:not([hidden])');
      assert.deepEqual(await violations(page), [], state);
      assert.equal(await fits(page), true, state);
      if (state === 'token') {
        await page.fill('#connection input', 'http://example.org/');
        await page.keyboard.press('Enter');
        await says(page, '#connection [role="alert"]', /not an address of wick ui/);
        assert.deepEqual(await violations(page), [], 'what was typed is refused');
        await pages.looks(page, `ui-connection-${mode}.png`);
      }
    }
    await pages.close(page);
    assert.deepEqual(pages.unlike, []);
  });
}
