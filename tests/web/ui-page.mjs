// SPDX-License-Identifier: Apache-2.0
// A page of `wick ui` in a real browser, for all tests of it: nothing that it complains about goes unnoticed, and what it looks like is
// compared with references.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { isWaiting, watchRequests } from './awaited.mjs';
import { launch } from './browser.mjs';
import { Shots } from './shots.mjs';
import { Fixture } from './ui-fixture.mjs';

const source = join(new URL('.', import.meta.url).pathname, '..', '..');
export const WICK = process.env.WICK ?? join(source, 'build', 'wick');
export const SYNTH = process.env.WICK_SYNTH ?? join(WICK, '..', 'tests', 'jfr', 'jfr_synth');
export const WEB = join(source, 'web');
export const SHOTS = process.env.WICK_WEB_OUT ?? join(source, 'build', 'web-shots');
export const HOSTILE = '</h3><script>alert(1)</script><img src=x onerror=alert(2)>\u202e';

/** What pages are tested in. */
export const MODES = [['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }], ['phone', { viewport: { width: 390, height: 844 } }]];
export const WIDE = ['wide', { viewport: { width: 1920, height: 1080 } }];

export class Pages {
  /** @param fixture the server (ui-fixture.mjs) */
  constructor(browser, fixture) {
    mkdirSync(SHOTS, { recursive: true });
    this.browser = browser;
    this.fixture = fixture;
    this.shots = new Shots(browser, SHOTS);
    this.trouble = [];
    this.unlike = []; // screenshots that are not as their references
  }

  /** A fresh page; what it complains about, asks another host for or runs from a name fails the test. */
  async open(hash, options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    this.trouble = [];
    page.on('console', (m) => {
      if (!/status of (4|5)\d\d/.test(m.text())) this.trouble.push(`console ${m.type()}: ${m.text()}`); // errors that a test asks for
    });
    page.on('pageerror', (e) => this.trouble.push(`error: ${e.stack}`));
    page.on('dialog', (d) => this.trouble.push(`dialog: ${d.message()}`));
    page.on('request', (r) => {
      if (!r.url().startsWith(this.fixture.url)) this.trouble.push(`request: ${r.url()}`);
    });
    watchRequests(page);
    await page.goto(this.fixture.url + hash);
    await page.waitForSelector('html[data-ready]');
    return page;
  }

  async close(page) {
    await page.context().close();
    assert.deepEqual(this.trouble, []);
  }

  /** Waits until all answers have come and are drawn: the page has had time of its own repeatedly and has asked for nothing more. */
  async settled(page) {
    for (let quiet = 0; quiet < 4;) {
      await page.waitForTimeout(40);
      await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))); }));
      quiet = this.fixture.busy || isWaiting(page) ? 0 : quiet + 1;
    }
  }

  /** Waits until the server has been asked for something. */
  async asks(page, good) {
    for (let tries = 0; !this.fixture.asked.some(good); tries++) {
      assert.ok(tries < 6000, `what was asked: ${this.fixture.asked.slice(-20).join('\n')}`);
      await page.waitForTimeout(50);
    }
  }

  /** A screenshot, which is as the reference is. */
  async looks(page, name) {
    await this.settled(page);
    const png = await page.screenshot({ path: join(SHOTS, name) });
    const difference = await this.shots.differs(name, png);
    if (difference) this.unlike.push(difference);
  }
}

/** What the tests of a file share: a folder, a server of recordings, and pages in a browser; all end with the last test.
 *  @param make (folder, story) => options of the server; story(kind, name) writes a recording of jfr_synth there: its path */
export async function stage(make) {
  const dir = mkdtempSync(join(tmpdir(), 'wick-pages-'));
  let [fixture, browser] = [null, null];
  after(async () => {
    await browser?.close();
    fixture?.close();
    rmSync(dir, { recursive: true });
  });
  const story = (kind, name = `${kind}.jfr`) => {
    execFileSync(SYNTH, [kind, join(dir, name)]);
    return join(dir, name);
  };
  fixture = new Fixture({ web: WEB, wick: WICK, dir, sources: dir, ...make(dir, story) });
  await fixture.listen();
  browser = await launch();
  return { dir, fixture, browser, pages: new Pages(browser, fixture) };
}

/** Whether a page is no wider than its window. */
export const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

export const table = (caption) => `table:has(caption:has-text("${caption}"))`;
