// SPDX-License-Identifier: Apache-2.0
// Flame graphs of several tools side by side: node peers.mjs FILE... [speedscope:PROFILE.json]
// load = from navigation to the second frame after the load event; click = from a click on a box in the middle to the second
// frame after it; elements = in the document; spoken = nodes with a name in the accessibility tree. Medians of five runs.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';

const RUNS = 5;
const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

/** speedscope reads a profile from a script beside it, as its own command line writes one. */
function speedscopePage(profile) {
  const page = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/speedscope/dist/release/index.html');
  const script = resolve(`${profile}.js`);
  const data = readFileSync(profile).toString('base64');
  writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(profile))}, ${JSON.stringify(data)})`);
  return `${pathToFileURL(page)}#localProfilePath=${script}`;
}

const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))));

async function measure(browser, url) {
  const runs = { load: [], click: [] };
  let elements = 0;
  let spoken = 0;
  for (let run = 0; run < RUNS; run++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(url, { waitUntil: 'load' });
    if (url.includes('#localProfilePath')) await page.waitForFunction(() => document.querySelectorAll('canvas').length > 1);
    runs.load.push(await page.evaluate(painted));
    const before = await page.evaluate(() => performance.now());
    await page.mouse.click(640, 700);
    runs.click.push((await page.evaluate(painted)) - before);
    elements = await page.evaluate(() => document.getElementsByTagName('*').length);
    const cdp = await page.context().newCDPSession(page);
    const tree = await cdp.send('Accessibility.getFullAXTree');
    spoken = tree.nodes.filter((n) => !n.ignored && n.name?.value && n.role?.value !== 'InlineTextBox').length;
    if (process.env.SHOTS && !run) await page.screenshot({ path: join(process.env.SHOTS, `${basename(url).replace(/[?#].*/, '')}.png`) });
    await page.close();
  }
  return { load: median(runs.load), click: median(runs.click), elements, spoken };
}

const browser = await launch();
console.log('| file | KB | load, ms | click, ms | elements | spoken |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const arg of process.argv.slice(2)) {
  const file = arg.replace(/^speedscope:/, '');
  const url = file === arg ? String(pathToFileURL(resolve(file))) : speedscopePage(file);
  const r = await measure(browser, url);
  const size = Math.round(statSync(file).size / 1024);
  console.log(`| ${arg} | ${size} | ${r.load.toFixed(0)} | ${r.click.toFixed(0)} | ${r.elements} | ${r.spoken} |`);
}
await browser.close();
