// SPDX-License-Identifier: Apache-2.0
// A trace as a component: spans, and under each thread a lane of CPU samples, one of the wall clock, and one of its waits for locks. The
// page of `wick trace` and the application show it.
//
// A wait for a lock leads to who had it: to that thread's lane here, to the trace that it worked for, or to what it did otherwise.
import { cleanText, samplesText } from '../flame/text.js';
import { button, h } from '../ui/dom.js';
import { element, svg, time } from './common.js';
import { TimeZoom } from './time_zoom.js';

const KIND = { cpu: 'run', runqueue: 'wait', blocked: 'blocked' };
const REASON = { 'allocation stall': 'stall', safepoint: 'held', monitor: 'monitor', 'I/O': 'io', 'held back': 'io', disk: 'disk' };

const kindOf = (bar) => (bar.lock !== undefined ? 'monitor' : bar.clock === 'cpu' ? 'cpu' : (bar.work === 'blocked' && REASON[bar.state]) || KIND[bar.work]);

const percent = (part, whole) => `${whole > 0 ? (100 * part) / whole : 0}%`;

/** What a wait waits for. */
const waitText = (wait) => `${wait.kind} ${wait.lock || '(not known)'}`;

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

/** The wait for a lock that has most of a bar, if any. */
function longestWait({ waits }, { start_ns: from, duration_ns: length }) {
  const shared = (w) => Math.min(from + length, w.start_ns + w.duration_ns) - Math.max(from, w.start_ns);
  return waits.reduce((best, w) => (shared(w) > (best ? shared(best) : 0) ? w : best), null);
}

/** The detail sticks to the bottom: scrolls what it would cover into sight. */
function uncover(detail, rect) {
  const by = rect.getBoundingClientRect().bottom + 24 - detail.getBoundingClientRect().top;
  const scroller = detail.closest('.scrolls') ?? document.scrollingElement;
  if (by > 0) scroller.scrollTop += by;
}

export class Timeline {
  /** @param {{spans: HTMLElement, threads: HTMLElement, detail: HTMLElement}} places to draw into @param hooks {wayTo(owner, from, to): [text,
   *  act] that shows what the owner of a lock did elsewhere, or null; onZoom(part)} */
  constructor(places, hooks) {
    this.places = places;
    this.hooks = hooks;
    this.chosen = null;
    this.stacks = {};
    this.zoom = new TimeZoom([places.spans, places.threads], (part) => this.hooks.onZoom?.(part));
    this.zoom.focus = () => {
      const { start_ns: start, duration_ns: length } = this.bar ?? {};
      return start + length > this.zoom.part[0] && start < this.zoom.part[1] ? start + length / 2 : undefined;
    };
  }

  /** @param stacks frames from the leaf on, by the number that bars name */
  show(trace, stacks) {
    const { spans, threads, detail } = this.places;
    this.stacks = stacks;
    this.chosen = this.bar = null;
    this.trace = trace;
    this.lanes = trace.threads.map(() => []);
    this.zoom.start(trace.duration_ns);
    spans.replaceChildren(this.zoom.tools);
    threads.replaceChildren();
    detail.replaceChildren(element('span', 'quiet', 'Click a bar, or move to it with the arrow keys, to see its stack.'));
    this.drawSpans(trace);
    trace.threads.forEach((t, i) => this.drawThread(trace, t, this.lanes[i]));
    this.zoom.set(0, trace.duration_ns, false);
    const at = this.seek; // as another trace has said
    this.seek = null;
    const lane = at ? trace.threads.findIndex((t) => t.name === at.thread) : -1;
    if (lane >= 0) this.showAt(lane, at.time_ns - trace.start_ns);
  }

  drawSpans(trace) {
    this.zoom.rule(row(this.places.spans, '', ''));
    for (const s of trace.spans) {
      const picture = row(this.places.spans, `${'\u2003'.repeat(Math.min(s.depth, 8))}${s.operation ?? '[span]'}`, time(s.duration_ns));
      const labels = s.labels ? `, ${s.labels}` : '';
      const said = `${s.operation ?? '[span]'}: ${time(s.duration_ns)}, span ${s.id ?? 'without id'}${labels}`;
      picture.setAttribute('role', 'img');
      picture.setAttribute('aria-label', cleanText(`${said}, from ${time(s.start_ns)} on`));
      this.zoom.inside(picture).append(box(trace, s, 'span', said));
    }
  }

  showBar(thread, bar, rect) {
    const { detail } = this.places;
    this.chosen?.classList.remove('chosen');
    this.chosen = rect;
    rect.classList.add('chosen');
    this.bar = bar;
    this.zoom.show(bar.start_ns, bar.start_ns + bar.duration_ns);
    const isWait = bar.lock !== undefined;
    const wait = isWait ? bar : kindOf(bar) === 'cpu' ? null : longestWait(thread, bar);
    detail.replaceChildren(
      element('strong', '', `${isWait ? waitText(bar) : bar.state}, ${time(bar.duration_ns)}`),
      element('div', 'quiet', `${thread.name}: ${isWait ? '' : `${samplesText(bar.samples)}, `}from ${time(bar.start_ns)} on` +
        `${isWait ? '' : `, weight ${time(bar.weight_ns)}`}`),
      ...(wait ? this.ownerOf(wait, isWait) : []), this.frames(bar.stack));
    uncover(detail, rect);
  }

  frames(stack) {
    return h('ol', ...(this.stacks[stack] ?? ['[no stack]']).map((name) => h('li', name)));
  }

  /** Who had a lock, with the way to what that thread did then. */
  ownerOf(wait, isWait) {
    const { owner } = wait;
    const what = isWait ? 'It' : `${waitText(wait)}, ${time(wait.duration_ns)}: it`;
    if (!owner) return [h('p', `${what} is not known to have had an owner.`)];
    const elsewhere = owner.trace && owner.trace !== this.trace.id;
    const from = this.trace.start_ns + wait.start_ns;
    const way = owner.lane !== null && !elsewhere ? ['Show what it did then', () => this.showAt(owner.lane, owner.time_ns)]
      : this.hooks.wayTo({ ...owner, time_ns: this.trace.start_ns + owner.time_ns }, from, from + wait.duration_ns);
    const line = h('p', `${what} was held by ${owner.thread}${elsewhere && owner.endpoint ? `, in ${owner.endpoint}` : ''}. `, way && button(...way));
    return owner.stack ? [line, h('div.quiet', 'Its stack then:'), this.frames(owner.stack), h('div.quiet', 'The stack of the wait:')] : [line];
  }

  /** Chooses what a thread did at a time, the wall clock first, and gives its lane the focus. */
  showAt(number, at) {
    const placeIn = (l) => l.bars.findIndex((b) => b.start_ns <= at && b.start_ns + b.duration_ns >= at);
    const lanes = this.lanes[number];
    const lane = lanes.findLast((l) => placeIn(l) >= 0 && l.bars[0].lock === undefined) ?? lanes[0];
    if (!lane) return;
    const i = placeIn(lane);
    this.zoom.show(at, at + 1);
    lane.picture.focus();
    lane.picture.scrollIntoView({ block: 'nearest' });
    if (i >= 0) lane.choose(i);
  }

  /** Arrow keys go from bar to bar of a lane. */
  makeLane(trace, thread, parent, bars, gaps, name, figures) {
    const picture = row(parent, name, figures);
    const inside = this.zoom.inside(picture);
    const rects = bars.map((bar) => {
      const rect = box(trace, bar, `bar ${kindOf(bar)}`, `${bar.lock === undefined ? bar.state : `${waitText(bar)}${bar.owner ? `, held by ${bar.owner.thread}` : ''}`}, ${time(bar.duration_ns)}`);
      rect.addEventListener('click', () => this.showBar(thread, bar, rect));
      inside.append(rect);
      return rect;
    });
    for (const gap of gaps) inside.append(box(trace, gap, 'gap', `not sampled, ${time(gap.duration_ns)}`));
    picture.setAttribute('tabindex', '0');
    picture.setAttribute('role', 'group');
    picture.setAttribute('aria-label', `${name.trim()} of ${thread.name}: ${bars.length} bars, arrow keys choose`);
    picture.addEventListener('keydown', (e) => {
      if (e.shiftKey) return; // goes along the time
      const at = rects.indexOf(this.chosen);
      const to = { ArrowRight: at + 1, ArrowLeft: at < 0 ? rects.length - 1 : at - 1, Home: 0, End: rects.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      if (rects[to]) this.showBar(thread, bars[to], rects[to]);
    });
    return { picture, bars, choose: (i) => this.showBar(thread, bars[i], rects[i]) };
  }

  drawThread(trace, thread, lanes) {
    const parent = element('div');
    const cpu = thread.bars.filter((b) => b.clock === 'cpu');
    const wall = thread.bars.filter((b) => b.clock === 'wall');
    parent.append(element('h2', '', thread.name));
    if (cpu.length) lanes.push(this.makeLane(trace, thread, parent, cpu, [], '\u2003CPU samples', `${time(sumOf(cpu, 'weight_ns'))} on CPU`));
    if (wall.length || thread.gaps.length) {
      const spent = (bars, text) => (bars.length ? [`${time(sumOf(bars, 'duration_ns'))} ${text}`] : []);
      const of = (work, text) => spent(wall.filter((b) => b.work === work), text);
      const waits = [...of('runqueue', 'waiting'), ...of('blocked', 'blocked'), ...spent(thread.gaps, 'not sampled')];
      lanes.push(this.makeLane(trace, thread, parent, wall, thread.gaps, '\u2003wall clock', (waits.length ? waits : of('cpu', 'running')).join(', ')));
    }
    if (thread.waits.length) lanes.push(this.makeLane(trace, thread, parent, thread.waits, [], '\u2003locks', `${time(sumOf(thread.waits, 'duration_ns'))} in waits for locks`));
    if (!thread.bars.length && !thread.gaps.length) parent.append(element('p', 'quiet', 'no samples'));
    if (thread.seconds.length)
      parent.append(element('div', 'quiet', `by the kernel\u2019s accounting, in the ${time(sumOf(thread.seconds, 'duration_ns'))} around: ` +
        `${time(sumOf(thread.seconds, 'cpu_ns'))} on CPU, ${time(sumOf(thread.seconds, 'run_queue_delay_ns'))} waiting for CPU`));
    this.places.threads.append(parent);
  }
}
