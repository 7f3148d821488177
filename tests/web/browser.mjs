// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium under Playwright, with everything that would touch a network turned off.
import { chromium } from 'playwright-core';

/** How long a page may take before it is taken to hang; nothing is judged by how long it takes. */
export const PATIENCE = 600e3;

/** A browser whose pages wait for what they are asked to wait for as long as a machine with other work needs, not for Playwright's 30 s. */
export async function launch() {
  const browser = await chromium.launch({
    timeout: PATIENCE,
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync'],
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE);
    return context;
  };
  return browser;
}
