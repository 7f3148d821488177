// SPDX-License-Identifier: Apache-2.0
// A trace as a component: spans, and under each thread a lane of CPU samples and one of the wall clock. The page of `wick trace`
// and the application show it.
import { cleanText, samplesText } from '../flame/text.js';
import { element, svg, time } from './common.js';

const KIND = { cpu: 'run', runqueue: 'wait', blocked: 'blocked' };
const REASON = { 'allocation stall': 'stall', safepoint: 'held', monitor: 'monitor', 'I/O': 'io', disk: 'disk' };

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

function box(trace, item, className, hint) {
  return svg('rect', { x: percent(item.start_ns, trace.duration_ns), y: 1, height: 16,
    width: percent(item.duration_ns, trace.duration_ns), class: className, hint });
}

const sumOf = (bars, key) => bars.reduce((s, b) => s + b[key], 0);

/** The detail sticks to the bottom: scrolls what it would cover into sight. */
function uncover(detail, rect) {
  const by = rect.getBoundingClientRect().bottom + 24 - detail.getBoundingClientRect().top;
  const scroller = detail.closest('.scrolls') ?? document.scrollingElement;
  if (by > 0) scroller.scrollTop += by;
}

export class Timeline {
  /** @param {{spans: HTMLElement, threads: HTMLElement, detail: HTMLElement}} places to draw into */
  constructor(places) {
    this.places = places;
    this.chosen = null;
    this.stacks = {};
  }

  /** @param stacks frames from the leaf on, by the number that bars name */
  show(trace, stacks) {
    const { spans, threads, detail } = this.places;
    this.stacks = stacks;
    this.chosen = null;
    spans.replaceChildren();
    threads.replaceChildren();
    detail.replaceChildren(element('span', 'quiet', 'Click a bar, or move to it with the arrow keys, to see its stack.'));
    this.drawSpans(trace);
    trace.threads.forEach((t) => this.drawThread(trace, t));
  }

  /** Five times across the bars, so that they can be read off. */
  drawRuler(trace) {
    const ruler = row(this.places.spans, '', '');
    ruler.setAttribute('class', 'ruler');
    ruler.setAttribute('aria-hidden', 'true');
    ['start', 'middle', 'middle', 'middle', 'end'].forEach((anchor, i) => {
      const x = percent(i, 4);
      ruler.append(svg('line', { x1: x, x2: x, y1: 14, y2: 20 }),
        svg('text', { x, y: 11, 'text-anchor': anchor }, i ? time((trace.duration_ns * i) / 4) : '0'));
    });
  }

  drawSpans(trace) {
    this.drawRuler(trace);
    for (const s of trace.spans) {
      const picture = row(this.places.spans, `${'\u2003'.repeat(Math.min(s.depth, 8))}${s.operation ?? '[span]'}`, time(s.duration_ns));
      const labels = s.labels ? `, ${s.labels}` : '';
      const said = `${s.operation ?? '[span]'}: ${time(s.duration_ns)}, span ${s.id ?? 'without id'}${labels}`;
      picture.setAttribute('role', 'img');
      picture.setAttribute('aria-label', cleanText(`${said}, from ${time(s.start_ns)} on`));
      picture.append(box(trace, s, 'span', said));
    }
  }

  showBar(thread, bar, rect) {
    const { detail } = this.places;
    this.chosen?.classList.remove('chosen');
    this.chosen = rect;
    rect.classList.add('chosen');
    const list = element('ol');
    for (const name of this.stacks[bar.stack] ?? ['[no stack]']) list.append(element('li', '', name));
    detail.replaceChildren(
      element('strong', '', `${bar.state}, ${time(bar.duration_ns)}`),
      element('div', 'quiet', `${thread.name}: ${samplesText(bar.samples)}, from ${time(bar.start_ns)} on, ` +
        `weight ${time(bar.weight_ns)}`),
      list);
    uncover(detail, rect);
  }

  /** Arrow keys go from bar to bar of a lane. */
  makeLane(trace, thread, parent, bars, gaps, name, figures) {
    const picture = row(parent, name, figures);
    const rects = bars.map((bar) => {
      const rect = box(trace, bar, `bar ${kindOf(bar)}`, `${bar.state}, ${time(bar.duration_ns)}`);
      rect.addEventListener('click', () => this.showBar(thread, bar, rect));
      picture.append(rect);
      return rect;
    });
    for (const gap of gaps) picture.append(box(trace, gap, 'gap', `not sampled, ${time(gap.duration_ns)}`));
    picture.setAttribute('tabindex', '0');
    picture.setAttribute('role', 'group');
    picture.setAttribute('aria-label', `${name.trim()} of ${thread.name}: ${bars.length} bars, arrow keys choose`);
    picture.addEventListener('keydown', (e) => {
      const at = rects.indexOf(this.chosen);
      const to = { ArrowRight: at + 1, ArrowLeft: at < 0 ? rects.length - 1 : at - 1, Home: 0, End: rects.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      if (rects[to]) this.showBar(thread, bars[to], rects[to]);
    });
  }

  drawThread(trace, thread) {
    const parent = element('div');
    const cpu = thread.bars.filter((b) => b.clock === 'cpu');
    const wall = thread.bars.filter((b) => b.clock === 'wall');
    parent.append(element('h2', '', thread.name));
    if (cpu.length) this.makeLane(trace, thread, parent, cpu, [], '\u2003CPU samples', `${time(sumOf(cpu, 'weight_ns'))} on CPU`);
    if (wall.length || thread.gaps.length) {
      const spent = (work) => time(sumOf(wall.filter((b) => b.work === work), 'duration_ns'));
      const unseen = thread.gaps.length ? `, ${time(sumOf(thread.gaps, 'duration_ns'))} not sampled` : '';
      this.makeLane(trace, thread, parent, wall, thread.gaps, '\u2003wall clock',
        `${spent('runqueue')} waiting, ${spent('blocked')} blocked${unseen}`);
    }
    if (!thread.bars.length && !thread.gaps.length) parent.append(element('p', 'quiet', 'no samples'));
    if (thread.seconds.length)
      parent.append(element('div', 'quiet', `by the kernel\u2019s accounting, in the ${time(sumOf(thread.seconds, 'duration_ns'))} around: ` +
        `${time(sumOf(thread.seconds, 'cpu_ns'))} on CPU, ${time(sumOf(thread.seconds, 'run_queue_delay_ns'))} waiting for CPU`));
    this.places.threads.append(parent);
  }
}
