// SPDX-License-Identifier: Apache-2.0
// Waiting for a page: for what it shows, not for a time.

const unanswered = new WeakMap(); // of each page, its requests

/** Has `isWaiting` know a page from now on. */
export function watchRequests(page) {
  const open = new Set();
  page.on('request', (r) => {
    if (!r.url().includes('/api/v1/events')) open.add(r); // a stream of events never ends
  });
  page.on('requestfinished', (r) => open.delete(r));
  page.on('requestfailed', (r) => open.delete(r));
  unanswered.set(page, open);
}

/** Whether a page has asked for something that it has no answer to. */
export const isWaiting = (page) => unanswered.get(page)?.size > 0;

/** Waits until a part of the page is there whose text is like that, and returns the text. */
export async function says(page, selector, like) {
  await page.waitForFunction(([where, source, flags]) => new RegExp(source, flags).test(document.querySelector(where)?.textContent), [selector, like.source, like.flags]);
  return page.textContent(selector);
}

/** Waits until an attribute of the first such element has that value. */
export const has = (page, selector, name, value) => page.waitForFunction(([where, key, wanted]) => document.querySelector(where)?.getAttribute(key) === wanted, [selector, name, value]);

/** The address as the page has it now; Playwright hears of it later. */
export const addressOf = (page) => page.evaluate(() => location.href);
