// SPDX-License-Identifier: Apache-2.0
// The page of a heap: the flame graph of its dominator tree, with a treemap and the suspects above.
import { App } from '../flame/app.js';
import { Profile, base64Bytes } from '../flame/data.js';
import { HeapPanel } from './treemap.js';

function main() {
  const began = performance.now();
  const [data, facts] = ['data', 'facts-of-heap'].map((id) => document.getElementById(id));
  try {
    const profile = new Profile(base64Bytes(data.textContent.trim()));
    const panel = new HeapPanel(profile, JSON.parse(facts.textContent));
    const app = new App(profile, panel);
    panel.attach(app);
    data.remove();
    facts.remove();
    app.stats.loadMs = performance.now() - began;
    window.wickFlame = app;
    window.wickHeap = panel;
    document.documentElement.dataset.ready = 'yes';
  } catch (e) {
    document.getElementById('title').textContent = 'This heap cannot be shown';
    document.getElementById('facts').textContent = String(e && e.message);
    throw e;
  }
}

main();
