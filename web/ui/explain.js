// SPDX-License-Identifier: Apache-2.0
// What the recording says, in sentences; each with the way to what it rests on.
import { formatPercent, formatWeight } from '../flame/text.js';
import { card, commandLine, emptyBox, exchange, h, plainList } from './dom.js';
import { commandOf, shellWord } from './export.js';
import { clockOf, durationOf } from './format.js';
import { chipsOf, exactly, filtersOf, emptyState, formatState, rangeOf } from './state.js';
import { eventsOf, isMissing, Slot } from './view.js';

/** Where findings without stacks have their page: [pattern of the rule's name, tab, kinds of event to show]. The first that
 *  fits counts. */
const PAGES = [
  [/^endpoint/, 'slow', []],
  [/safepoint|vm-operation|neighbour|starvation|cpu-limit|throttl|pressure|gc-pauses|migration/, 'interference', []],
  [/alloc|gc-cpu/, 'cpu', ['alloc']],
  [/live-set|leak|out-of-memory|heap|memory|page-cache|native/, 'memory', []],
  [/wait|lock|monitor|wall/, 'cpu', ['wall', 'lock']],
  [/./, 'cpu', ['cpu']],
];

const GROUPS = { machine: 'The machine', jvm: 'The JVM', program: 'The program', profile: 'The profile itself' };

/** "java.util.HashMap.get:45" -> "HashMap.get", which frames are searched for. */
export function frameSearch(frame) {
  return frame.replace(/:\d+$/, '').split(/[./]/).slice(-2).join('[./]').replace(/[$()]/g, '\\$&');
}

/** The filters of a finding's evidence, as `wick flame` has them, put into a state. */
function applyFilters(to, filters) {
  for (const { option, value } of filters) {
    const [key, ...rest] = value.split('=');
    if (option === 'include') to.filter = value;
    else if (option === 'state' || option === 'thread') to[option] = value;
    else if (option === 'where' && key === 'endpoint') to.endpoint = rest.join('=');
    else if (option === 'where') to.labels = [...to.labels, `${key}:${rest.join('=')}`];
  }
}

/** The state that shows what a finding rests on: the stacks that its evidence names, by its filters alone, else the page of its subject; and
 *  the time in which most of it happened, if that is short. */
export function evidenceOf(finding, state, recording) {
  const { view = '', filters = [], when } = finding.evidence ?? {};
  const of = view && eventsOf(recording, [view])[0];
  const [, tab, kinds] = of ? [null, 'cpu', [view]] : PAGES.find(([pattern]) => pattern.test(finding.rule));
  const to = { ...state, tab, trace: '', zoom: '', search: '', show: '' };
  const event = kinds.map((k) => eventsOf(recording, [k])[0]).find(Boolean);
  if (event) to.event = event.name;
  const f = finding.figures;
  if (when) Object.assign(to, { from: when.from_ns, to: when.to_ns });
  if (of) applyFilters(Object.assign(to, filtersOf(emptyState())), filters);
  if (tab === 'slow' && typeof f.where === 'string') to.endpoint = f.where;
  if (tab === 'cpu' && typeof f.frame === 'string') to.search = frameSearch(f.frame);
  if (tab === 'cpu' && !of && typeof f.thread === 'string') to.thread = exactly(f.thread);
  return to;
}

const LINK_TEXT = { slow: 'Show its requests', interference: 'Show when', memory: 'Show the memory', cpu: 'Show the stacks', compare: 'Show the difference' };

export function upperFirst(text) {
  return /^(wick\b|\S*\/)/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** A link to a state that shows what a finding rests on. */
export function linkTo(to, finding) {
  return h('a.go', { href: formatState(to), 'aria-label': `${LINK_TEXT[to.tab]}: ${finding.sentence}` }, LINK_TEXT[to.tab]);
}

/** The link to what a finding rests on, and when that was if it was a short time. */
function wayTo(finding, { state, recording }) {
  const { when } = finding.evidence ?? {};
  const link = linkTo(evidenceOf(finding, state, recording), finding);
  const took = when ? when.to_ns - when.from_ns : 0;
  return [link, when ? h('span.quiet', ` ${formatPercent(when.share, 1)} of it from ${clockOf(when.from_ns, took)} on, within ${durationOf(took)}`) : null];
}

/** Findings as a short list. */
export function findingList(findings, context) {
  return h('ul.plain-list', ...findings.map((f) => h('li', h('strong', formatWeight(f.cost_ns, 'ns')), ` ${upperFirst(f.sentence)}.`, f.advice ? h('span.quiet', ` ${upperFirst(f.advice)}.`) : null, ' ', wayTo(f, context))));
}

/** What to say where no rule fires. */
export const nothingIn = (state) => (rangeOf(state).length ? 'Nothing stands out in the chosen time' : 'Nothing stands out');

/** What sentences are of. Filters leave them as they are, but for those about other endpoints than a chosen one. */
export function scopeOf(answer, state) {
  const time = rangeOf(state).length ? `Of the chosen time, ${durationOf(answer.duration_ns)}` : `Of all ${durationOf(answer.duration_ns)}`;
  return `${time}.${chipsOf(state).length ? ' Filters do not restrict what is said: what slows a process down is judged for it as a whole.' : ''}`;
}

export class ExplainView extends Slot {
  constructor() {
    super('div.page.scrolls');
  }

  update(context) {
    this.ask(context, 'explain', rangeOf(context.state));
  }

  fail(e) {
    if (!(isMissing(e) && rangeOf(this.context.state).length)) return super.fail(e);
    this.shown = false;
    exchange(this.root, emptyBox('Nothing was recorded in the chosen time', e.why));
  }

  draw(answer, context) {
    const { state, recording } = context;
    const missing = answer.not_recorded.length
      ? card('Not in this recording', plainList(answer.not_recorded.map(upperFirst)))
      : null;
    const open = answer.undecided?.length
      ? card('Too few samples to decide', plainList(answer.undecided.map((f) => `${upperFirst(f.sentence)}.`)))
      : null;
    if (!answer.findings.length) {
      const nothing = answer.idle
        ? emptyBox('This process did next to nothing', 'It had no work, or has stopped working: the threads on the Slow page, or wick stack, show what they wait for.')
        : emptyBox(nothingIn(state), `In ${durationOf(answer.duration_ns)} no rule found a cost worth a sentence. The other pages show what there is.`);
      exchange(this.root, nothing, open, missing);
      return;
    }
    const most = answer.findings.reduce((m, f) => Math.max(m, f.cost_ns), 1);
    const headline = answer.headline ? h('p.headline', answer.headline) : null;
    const names = [...new Set(answer.findings.map((f) => f.group))];
    const lists = names.map((name) => h('section.finding-group', GROUPS[name] ? h('h2.group', GROUPS[name]) : null,
      h('ol.findings', ...answer.findings.filter((f) => f.group === name).map((f) => this.finding(f, most, context)))));
    const foot = h('p.quiet', `${durationOf(answer.duration_ns)} ${rangeOf(state).length ? 'chosen' : 'recorded'}${answer.own_ns ? `; wick itself used ${formatWeight(answer.own_ns, 'ns')} of CPU time` : ''}${answer.unfinished ? '; the recording is not finished' : ''}.`);
    exchange(this.root, headline, lists, open, missing, foot, commandLine(commandOf(state, recording).map(shellWord).join(' ')));
  }

  finding(f, most, context) {
    const cost = h('span.cost-bar', { 'aria-hidden': 'true' });
    cost.style.width = `${Math.max(2, (100 * f.cost_ns) / most)}%`;
    return h('li.card.finding', h('div.cost', h('span', formatWeight(f.cost_ns, 'ns')), cost),
      h('div', h('p.sentence', `${upperFirst(f.sentence)}.`), f.advice ? h('p.quiet', upperFirst(f.advice)) : null,
        h('p', wayTo(f, context))));
  }
}
