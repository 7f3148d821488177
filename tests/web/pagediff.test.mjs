// SPDX-License-Identifier: Apache-2.0
// The page of a comparison in a real browser: what it says of each method is what `wick diff --json` says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { CHANGES, judgeChange } from '../../web/flame/change.js';
import { THEMES, styledColour } from '../../web/flame/kinds.js';
import { contrastRatio } from './contrast.mjs';
import { launch } from './browser.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const SYNTH = join(dirname(WICK), 'tests', 'jfr', 'jfr_synth');
const SHOTS = process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
const dir = mkdtempSync(join(tmpdir(), 'wick-diff-'));
let browser;
let table;
let trouble = [];

/** B has stacks that A has not, and other weights: 150 further stacks take their share from the old ones. */
before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  execFileSync(SYNTH, ['load', join(dir, 'a.jfr'), '250', '6000']);
  execFileSync(SYNTH, ['load', join(dir, 'b.jfr'), '400', '9000']);
  execFileSync(SYNTH, ['load', join(dir, 'c.jfr'), '60', '3000']);
  const sides = [join(dir, 'a.jfr'), `${join(dir, 'b.jfr')},${join(dir, 'c.jfr')}`];
  execFileSync(WICK, ['diff', '--names', 'simple', ...sides, '-o', join(dir, 'd.html')]);
  table = JSON.parse(execFileSync(WICK, ['diff', '--names', 'simple', '--json', '-n', '0', ...sides], { maxBuffer: 1 << 28 }));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

async function open(hash = '') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  trouble = [];
  page.on('console', (m) => {
    if (!/getImageData/.test(m.text())) trouble.push(`console ${m.type()}: ${m.text()}`);
  });
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack}`));
  await page.goto(`file://${join(dir, 'd.html')}${hash}`);
  await page.waitForSelector('html[data-ready]');
  return page;
}

async function close(page) {
  await page.context().close();
  assert.deepEqual(trouble, []);
}

test('colours: text is readable on each class of change', () => {
  for (const theme of ['light', 'dark'])
    for (const c of CHANGES) {
      const ratio = contrastRatio(styledColour(theme, c[theme], 0), THEMES[theme].text);
      assert.ok(ratio >= 4.5, `${theme} ${c.key}: ${ratio}`);
    }
});

test('comparison: sums, intervals and verdicts of the leaf-up view are those of the table', async () => {
  const page = await open();
  const seen = await page.evaluate(() => {
    const app = window.wickFlame;
    app.setView(true);
    const out = {};
    for (let c = app.view.first(0); c >= 0; c = app.view.next(c)) {
      const name = app.profile.names[app.view.name[c]];
      const { before, after, samplesBefore, samplesAfter, change, half } = app.view.change(c);
      (out[name] ??= []).push({ before, after, samplesBefore, samplesAfter, change, half });
    }
    return { out, sides: app.profile.sides };
  });
  assert.equal(seen.sides[0].samples, table.before.samples);
  assert.equal(seen.sides[1].samples, table.after.samples);
  assert.equal(seen.sides[1].weight, table.after.weight);
  let compared = 0;
  for (const row of table.rows) {
    const boxes = seen.out[row.name] ?? [];
    if (boxes.length !== 1) continue; // a name in several libraries is several boxes
    const b = boxes[0];
    assert.equal(b.before, row.self.before, row.name);
    assert.equal(b.after, row.self.after, row.name);
    assert.equal(b.samplesBefore, row.self.samples_before);
    assert.equal(b.samplesAfter, row.self.samples_after);
    assert.ok(Math.abs(b.change - row.self.change) < 1e-5, row.name);
    assert.ok(Math.abs(b.half - (row.self.interval[1] - row.self.interval[0]) / 2) < 1e-5, row.name);
    compared++;
  }
  assert.ok(compared > 100, String(compared));
  await close(page);
});

test('comparison: the page names both sides, and the whole of each has not changed', async () => {
  const page = await open();
  assert.equal(await page.title(), 'b.jfr, c.jfr compared with a.jfr');
  assert.match(await page.textContent('#facts'), /^CPU time, normalised; before: .* samples; after: /);
  const whole = await page.evaluate(() => window.wickFlame.view.change(0));
  assert.deepEqual([whole.kind, whole.change], [0, 0]);
  assert.match(await page.textContent('#dock'), /Change0 % \u00b1 0 % of all, within sampling error/);
  await page.click('#help');
  assert.match(await page.textContent('#help-boxes'), /before and after together/);
  await close(page);
});

test('comparison: shares that differ by rounding have not changed', () => {
  const profile = { absolute: false, sides: [{ weight: 1, samples: 10 }, { weight: 1 + 1e-15, samples: 20 }] };
  assert.equal(judgeChange(profile, 1, 1 + 1e-15, 10, 20).kind, 0);
  assert.equal(CHANGES[judgeChange(profile, 0.2, 1, 1000, 20).kind].key, 'grown3');
});

test('comparison: new, grown, shrunk and unchanged boxes have their colours, and the legend names them', async () => {
  const page = await open();
  const seen = await page.evaluate(() => {
    const app = window.wickFlame;
    const ctx = document.getElementById('canvas').getContext('2d');
    const kinds = {};
    for (const row of app.painter.rows.values())
      for (let i = 0; i < row.node.length; i++) {
        if (row.w[i] < 8 || row.w[i] > 24 || row.node[i] === 0) continue; // no label inside
        const y = app.painter.rowTop(app.scene(), app.view.depth[row.node[i]]);
        if (y < 0 || y > app.painter.height - 20) continue;
        const [r, g, b] = ctx.getImageData(Math.round(row.x[i] + row.w[i] / 2), Math.round(y + 9), 1, 1).data;
        const hex = `#${[r, g, b].map((v) => v.toString(16).padStart(2, '0')).join('')}`;
        const { kind, before, after } = app.view.change(row.node[i]);
        (kinds[kind] ??= []).push({ hex, before, after });
      }
    return { kinds, legend: document.getElementById('legend').textContent };
  });
  for (const [kind, boxes] of Object.entries(seen.kinds))
    for (const b of boxes) {
      assert.equal(b.hex, CHANGES[kind].light, CHANGES[kind].key);
      if (CHANGES[kind].key === 'new') assert.equal(b.before, 0);
      if (/^shrunk|gone/.test(CHANGES[kind].key)) assert.ok(b.before > b.after);
      if (/^grown/.test(CHANGES[kind].key)) assert.ok(b.after > b.before);
    }
  assert.ok(Object.keys(seen.kinds).length >= 3, Object.keys(seen.kinds).join());
  for (const c of CHANGES) assert.ok(seen.legend.includes(c.label));
  await page.screenshot({ path: join(SHOTS, 'diff-light.png') });
  await close(page);
});

test('comparison: a click says before, after and the change with its interval; search and zoom work', async () => {
  const page = await open();
  const at = await page.evaluate(() => {
    const app = window.wickFlame;
    const node = app.heaviestChild(app.heaviestChild(app.heaviestChild(0)));
    const b = app.painter.boxOf(app.scene(), node);
    const area = document.getElementById('scroll').getBoundingClientRect();
    return { node, x: area.left + b.x + Math.min(b.w, 1280) / 2, y: area.top + b.y + 8 };
  });
  await page.mouse.click(at.x, at.y);
  assert.equal(await page.evaluate(() => window.wickFlame.state.zoom), at.node);
  const text = await page.textContent('#dock');
  assert.match(text, /Before.*samples.*After.*samples.*Change.*±/s);
  await page.fill('#query', 'Request');
  await page.waitForFunction(() => !document.getElementById('result').hidden);
  await page.evaluate(() => window.wickFlame.applyTheme());
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    window.wickFlame.theme = 'dark';
    window.wickFlame.applyTheme();
    window.wickFlame.paint();
  });
  await page.screenshot({ path: join(SHOTS, 'diff-dark.png') });
  await close(page);
});
