// SPDX-License-Identifier: Apache-2.0
// The page of `wick trace`: spans, and under each thread a lane of CPU samples and one of the wall clock.
import { cleanText, samplesText } from '../flame/text.js';
import { byId, element, readData, startTheme, svg, time } from './common.js';

const data = readData();
const KIND = { cpu: 'run', runqueue: 'wait', blocked: 'blocked' };
const REASON = { 'allocation stall': 'held', safepoint: 'held', monitor: 'monitor' };
let chosen = null;

const kindOf = (bar) => (bar.clock === 'cpu' ? 'cpu' : (bar.work === 'blocked' && REASON[bar.state]) || KIND[bar.work]);

const percent = (part, whole) => `${whole > 0 ? (100 * part) / whole : 0}%`;

function row(parent, name, figures) {
  const line = element('div', 'row');
  const picture = svg('svg', {});
  const label = element('span', '', name);
  label.title = label.textContent;
  line.append(label, picture, element('span', 'quiet', figures));
  parent.append(line);
  return picture;
}

function box(trace, item, className) {
  return svg('rect', { x: percent(item.start_ns, trace.duration_ns), y: 1, height: 16,
    width: percent(item.duration_ns, trace.duration_ns), class: className });
}

/** Five times across the bars, so that they can be read off. */
function drawRuler(trace) {
  const ruler = row(byId('spans'), '', '');
  ruler.setAttribute('class', 'ruler');
  ruler.setAttribute('aria-hidden', 'true');
  ['start', 'middle', 'middle', 'middle', 'end'].forEach((anchor, i) => {
    const x = percent(i, 4);
    ruler.append(svg('line', { x1: x, x2: x, y1: 14, y2: 20 }),
      svg('text', { x, y: 11, 'text-anchor': anchor }, i ? time((trace.duration_ns * i) / 4) : '0'));
  });
}

function drawSpans(trace) {
  drawRuler(trace);
  for (const s of trace.spans) {
    const picture = row(byId('spans'), `${'\u2003'.repeat(Math.min(s.depth, 8))}${s.operation ?? '[span]'}`, time(s.duration_ns));
    const rect = box(trace, s, 'span');
    const labels = s.labels ? `, ${s.labels}` : '';
    const said = `${s.operation ?? '[span]'}: ${time(s.duration_ns)}, span ${s.id ?? 'without id'}${labels}`;
    rect.append(svg('title', {}, said));
    picture.setAttribute('role', 'img');
    picture.setAttribute('aria-label', cleanText(`${said}, from ${time(s.start_ns)} on`));
    picture.append(rect);
  }
}

function showBar(thread, bar, rect) {
  const detail = byId('detail');
  chosen?.classList.remove('chosen');
  chosen = rect;
  rect.classList.add('chosen');
  const list = element('ol');
  for (const name of data.stacks[bar.stack] ?? ['[no stack]']) list.append(element('li', '', name));
  detail.replaceChildren(
    element('strong', '', `${bar.state}, ${time(bar.duration_ns)}`),
    element('div', 'quiet', `${thread.name}: ${samplesText(bar.samples)}, from ${time(bar.start_ns)} on, ` +
      `weight ${time(bar.weight_ns)}`),
    list);
}

/** Arrow keys go from bar to bar of a lane. */
function makeLane(trace, thread, parent, bars, gaps, name, figures) {
  const picture = row(parent, name, figures);
  const rects = bars.map((bar) => {
    const rect = box(trace, bar, `bar ${kindOf(bar)}`);
    rect.append(svg('title', {}, `${bar.state}, ${time(bar.duration_ns)}`));
    rect.addEventListener('click', () => showBar(thread, bar, rect));
    picture.append(rect);
    return rect;
  });
  for (const gap of gaps) {
    const rect = box(trace, gap, 'gap');
    rect.append(svg('title', {}, `not sampled, ${time(gap.duration_ns)}`));
    picture.append(rect);
  }
  picture.setAttribute('tabindex', '0');
  picture.setAttribute('role', 'group');
  picture.setAttribute('aria-label', `${name.trim()} of ${thread.name}: ${bars.length} bars, arrow keys choose`);
  picture.addEventListener('keydown', (e) => {
    const at = rects.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at < 0 ? rects.length - 1 : at - 1, Home: 0, End: rects.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    if (rects[to]) showBar(thread, bars[to], rects[to]);
  });
}

const sum = (bars, key) => bars.reduce((s, b) => s + b[key], 0);

function drawThread(trace, thread) {
  const parent = element('div');
  const cpu = thread.bars.filter((b) => b.clock === 'cpu');
  const wall = thread.bars.filter((b) => b.clock === 'wall');
  parent.append(element('h2', '', thread.name));
  if (cpu.length) makeLane(trace, thread, parent, cpu, [], '\u2003CPU samples', `${time(sum(cpu, 'weight_ns'))} on CPU`);
  if (wall.length || thread.gaps.length) {
    const spent = (work) => time(sum(wall.filter((b) => b.work === work), 'duration_ns'));
    const unseen = thread.gaps.length ? `, ${time(sum(thread.gaps, 'duration_ns'))} not sampled` : '';
    makeLane(trace, thread, parent, wall, thread.gaps, '\u2003wall clock',
      `${spent('runqueue')} waiting, ${spent('blocked')} blocked${unseen}`);
  }
  if (!thread.bars.length && !thread.gaps.length) parent.append(element('p', 'quiet', 'no samples'));
  if (thread.seconds.length)
    parent.append(element('div', 'quiet', `by the kernel\u2019s accounting, in the ${time(sum(thread.seconds, 'duration_ns'))} around: ` +
      `${time(sum(thread.seconds, 'cpu_ns'))} on CPU, ${time(sum(thread.seconds, 'run_queue_delay_ns'))} waiting for CPU`));
  byId('threads').append(parent);
}

function show(index) {
  const trace = data.traces[index];
  chosen = null;
  byId('choice').value = String(index);
  byId('title').textContent = element('b', '', trace.endpoint ?? 'Trace').textContent;
  byId('facts').textContent = element('b', '', `${time(trace.duration_ns)} from ` +
    `${new Date(trace.start_ms).toISOString().replace('T', ' ').replace('Z', ' UTC')}, trace ${trace.id}`).textContent;
  byId('spans').replaceChildren();
  byId('threads').replaceChildren();
  byId('detail').replaceChildren(element('span', 'quiet', 'No bar is chosen.'));
  drawSpans(trace);
  trace.threads.forEach((t) => drawThread(trace, t));
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
