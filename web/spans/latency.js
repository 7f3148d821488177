// SPDX-License-Identifier: Apache-2.0
// The chart of an endpoint's latency over time: median and 99th percentile of the requests that began in each second.
import { cleanText } from '../flame/text.js';
import { NO_ENDPOINT, svg, time } from './common.js';

const LEFT = 80;
const BOTTOM = 24;
const TOP = 10;
const LABEL = 80; // room for a time below the chart

/** A round figure, 1, 2 or 5 times a power of ten, that is not below v. */
function roundUp(v) {
  const power = 10 ** Math.floor(Math.log10(Math.max(v, 1)));
  return [1, 2, 5, 10].map((f) => f * power).find((x) => x >= v);
}

/** The time of day, UTC, of a second behind start_s. */
const clockText = (startS, s) => new Date((startS + s) * 1000).toISOString().slice(11, 19);

/** Seconds between labels: a round figure of the clock that leaves each of them room. */
function labelStep(seconds, width) {
  const least = (seconds * LABEL) / Math.max(width, LABEL);
  return [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200].find((s) => s >= least) ?? 86400;
}

function drawClock(chart, startS, height, first, last, x) {
  const step = labelStep(last - first, x(last) - x(first));
  let s = first + ((step - ((startS + first) % step)) % step);
  if (s > last) s = first; // no round time in sight
  for (; s <= last; s += step) {
    const at = s === first ? 'start' : s === last ? 'end' : 'middle';
    chart.append(svg('line', { x1: x(s), x2: x(s), y1: height - BOTTOM, y2: height - BOTTOM + 5, class: 'grid' }));
    chart.append(svg('text', { x: x(s), y: height - 6, 'text-anchor': at }, clockText(startS, s)));
  }
}

function drawGrid(chart, width, height, most) {
  for (let i = 0; i <= 4; i++) {
    const y = TOP + ((height - TOP - BOTTOM) * i) / 4;
    chart.append(svg('line', { x1: LEFT, x2: width - 10, y1: y, y2: y, class: 'grid' }));
    chart.append(svg('text', { x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, i === 4 ? '0' : time((most * (4 - i)) / 4)));
  }
}

/** Seconds without requests break the line. Dots are smaller where there are many. */
function drawLine(chart, seconds, key, radius, x, y) {
  let path = '';
  seconds.forEach((s, i) => {
    const on = i > 0 && seconds[i - 1].second === s.second - 1;
    path += `${on ? 'L' : 'M'}${x(s.second)} ${y(s[key])}`;
  });
  chart.append(svg('path', { d: path, class: key.slice(0, 3) }));
  for (const s of seconds) {
    chart.append(svg('circle', { cx: x(s.second), cy: y(s[key]), r: radius, class: key.slice(0, 3),
      hint: `${s.count} ${s.count === 1 ? 'request' : 'requests'}: ${key.slice(0, 3)} ${time(s[key])}` }));
  }
}

/** The chart in a sentence, for those who do not see it. */
function spokenLatency(row, startS) {
  const span = (key) => {
    const all = row.seconds.map((s) => s[key]).sort((a, b) => a - b);
    return `${time(all[0])} to ${time(all[all.length - 1])}`;
  };
  const slowest = row.seconds.reduce((a, b) => (b.p99_ns > a.p99_ns ? b : a));
  return `${row.endpoint ?? NO_ENDPOINT}, by second: 99th percentile ${span('p99_ns')}, median ${span('p50_ns')}, slowest at ${clockText(startS, slowest.second)} UTC`;
}

/** @param row of an endpoint: seconds [{second, count, p50_ns, p99_ns}] @param startS what second 0 is, since 1970 */
export function drawLatency(chart, row, startS) {
  const { width, height } = chart.getBoundingClientRect();
  chart.replaceChildren();
  chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
  if (!row.seconds.length) {
    chart.setAttribute('aria-label', 'No requests');
    chart.append(svg('text', { x: width / 2, y: height / 2, 'text-anchor': 'middle' }, 'No requests'));
    return;
  }
  chart.setAttribute('aria-label', cleanText(spokenLatency(row, startS)));
  const [first, last] = [row.seconds[0].second, row.seconds[row.seconds.length - 1].second];
  const most = roundUp(row.seconds.reduce((m, s) => Math.max(m, s.p99_ns), 0));
  const x = (s) => LEFT + ((width - LEFT - 10) * (s - first)) / Math.max(last - first, 1);
  const y = (ns) => height - BOTTOM - ((height - TOP - BOTTOM) * ns) / most;
  const dense = row.seconds.length > width / 6;
  const radius = dense ? 0.8 : 2.5;
  chart.classList.toggle('dense', dense);
  drawGrid(chart, width, height, most);
  drawClock(chart, startS, height, first, last, x);
  drawLine(chart, row.seconds, 'p99_ns', radius * 1.6, x, y); // seen around a median that is the same
  drawLine(chart, row.seconds, 'p50_ns', radius, x, y);
}
