// SPDX-License-Identifier: Apache-2.0
// axe-core, which knows the rules of accessible documents, run inside a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the page breaks, a line for each element: "serious color-contrast: <div ...>: why". */
export async function violations(page) {
  await page.evaluate(script);
  return page.evaluate(async () => {
    const { violations: found } = await window.axe.run(document, { resultTypes: ['violations'] });
    return found.flatMap((v) => v.nodes.map((n) => `${v.impact} ${v.id}: ${n.html.slice(0, 200)}: ${n.failureSummary}`));
  });
}
