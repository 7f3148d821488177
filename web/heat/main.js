// SPDX-License-Identifier: Apache-2.0
// The page of a heatmap: that of a flame graph with a panel above it.
import { App } from '../flame/app.js';
import { Profile, base64Bytes } from '../flame/data.js';
import { Panel } from './panel.js';
import { Slices } from './slices.js';

function main() {
  const began = performance.now();
  const [data, heat] = ['data', 'slices'].map((id) => document.getElementById(id));
  try {
    const whole = new Profile(base64Bytes(data.textContent.trim()));
    const panel = new Panel(whole, new Slices(base64Bytes(heat.textContent.trim())));
    const app = new App(whole, panel);
    panel.attach(app);
    data.remove();
    heat.remove();
    app.stats.loadMs = performance.now() - began;
    window.wickFlame = app;
    window.wickHeat = panel;
    document.documentElement.dataset.ready = 'yes';
  } catch (e) {
    document.getElementById('title').textContent = 'This heatmap cannot be shown';
    document.getElementById('facts').textContent = String(e && e.message);
    throw e;
  }
}

main();
