// SPDX-License-Identifier: Apache-2.0
// The page of `wick endpoints`: a table, and of the chosen endpoint latency over time.
import { formatCount } from '../flame/text.js';
import { element, NO_ENDPOINT, time } from './common.js';
import { drawLatency } from './latency.js';
import { byId, readData, startTheme } from './single.js';

const data = readData();
let current = 0;

function choose(index) {
  current = index;
  const row = data.endpoints[index];
  byId('chosen').replaceChildren(element('span', '', row.endpoint ?? NO_ENDPOINT));
  [...byId('rows').children].forEach((tr, i) => {
    tr.classList.toggle('chosen', i === index);
    tr.querySelector('button').setAttribute('aria-pressed', String(i === index));
  });
  const waits = row.waits.map((w) => `${w.state} ${time(w.wall_ns)}`).join(', ');
  byId('waits').replaceChildren(element('span', '', waits ? `Blocked, by the wall clock: ${waits}` : 'No wall-clock sample shows it blocked.'));
  drawLatency(byId('chart'), row, data.start_s);
}

startTheme();
data.endpoints.forEach((row, i) => {
  const tr = element('tr');
  const name = element('td');
  const button = element('button', '', row.endpoint ?? NO_ENDPOINT);
  button.type = 'button';
  button.addEventListener('click', () => choose(i));
  name.append(button);
  tr.append(name, element('td', '', formatCount(row.count)));
  for (const key of ['p50_ns', 'p90_ns', 'p99_ns', 'max_ns'])
    tr.append(element('td', '', row.count ? time(row[key]) : '\u2013'));
  for (const key of ['cpu_ns', 'run_queue_ns', 'blocked_ns']) tr.append(element('td', '', time(row[key])));
  byId('rows').append(tr);
});
addEventListener('resize', () => drawLatency(byId('chart'), data.endpoints[current], data.start_s));
if (data.endpoints.length) choose(0);
document.documentElement.dataset.ready = '';
