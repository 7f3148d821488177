// SPDX-License-Identifier: Apache-2.0
// The page of `wick trace`: a choice of traces, and the one that is shown.
import { element, time } from './common.js';
import { byId, readData, startTheme } from './single.js';
import { Timeline } from './timeline.js';

const data = readData();
const timeline = new Timeline({ spans: byId('spans'), threads: byId('threads'), detail: byId('detail') }, {
  wayTo(owner) {
    const at = data.traces.findIndex((t) => t.id === owner.trace);
    return at < 0 ? null : [`Show its trace: ${owner.endpoint ?? owner.trace}`, () => {
      timeline.seek = owner;
      show(at);
    }];
  },
});

function show(index) {
  const trace = data.traces[index];
  byId('choice').value = String(index);
  byId('title').textContent = element('b', '', trace.endpoint ?? 'Trace').textContent;
  byId('facts').textContent = element('b', '', `${time(trace.duration_ns)} from ` +
    `${new Date(trace.start_ms).toISOString().replace('T', ' ').replace('Z', ' UTC')}, trace ${trace.id}`).textContent;
  timeline.show(trace, data.stacks);
}

startTheme();
data.traces.forEach((t, i) => {
  const option = element('option', '', `${time(t.latency_ns)}  ${t.endpoint ?? ''}  ${t.id}`);
  option.value = String(i);
  byId('choice').append(option);
});
byId('choice').addEventListener('change', (e) => show(Number(e.target.value)));
document.addEventListener('keydown', (e) => {
  const at = Number(byId('choice').value) + ({ n: 1, p: -1 }[e.key] ?? 0);
  const typing = document.activeElement === byId('choice') || e.ctrlKey || e.metaKey || e.altKey;
  if (!typing && (e.key === 'n' || e.key === 'p') && data.traces[at]) show(at);
});
show(0);
document.documentElement.dataset.ready = '';
