// SPDX-License-Identifier: Apache-2.0
// The page of a flame graph.
import { App } from './app.js';
import { Profile, base64Bytes } from './data.js';

function main() {
  const began = performance.now();
  const data = document.getElementById('data');
  try {
    const app = new App(new Profile(base64Bytes(data.textContent.trim())));
    data.remove();
    app.stats.loadMs = performance.now() - began;
    window.wickFlame = app;
    document.documentElement.dataset.ready = 'yes';
  } catch (e) {
    document.getElementById('title').textContent = 'This flame graph cannot be shown';
    document.getElementById('facts').textContent = String(e && e.message);
    throw e;
  }
}

main();
