// SPDX-License-Identifier: Apache-2.0
// What the recording says, in sentences; each with the way to what it rests on.
import { formatWeight } from '../flame/text.js';
import { card, commandLine, emptyBox, exchange, h, plainList } from './dom.js';
import { durationOf } from './format.js';
import { exactly, formatState } from './state.js';
import { eventsOf, Slot } from './view.js';

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

/** The state that shows what a finding rests on: the stacks that its evidence names, else the page of its subject. */
export function evidenceOf(finding, state, recording) {
  const { view = '', filters = [] } = finding.evidence ?? {};
  const of = view && eventsOf(recording, [view])[0];
  const [, tab, kinds] = of ? [null, 'cpu', [view]] : PAGES.find(([pattern]) => pattern.test(finding.rule));
  const to = { ...state, tab, trace: '', zoom: '', search: '', show: '' };
  const event = kinds.map((k) => eventsOf(recording, [k])[0]).find(Boolean);
  if (event) to.event = event.name;
  const f = finding.figures;
  if (of) applyFilters(to, filters);
  if (tab === 'slow' && typeof f.where === 'string') to.endpoint = f.where;
  if (tab === 'cpu' && typeof f.frame === 'string') to.search = frameSearch(f.frame);
  if (tab === 'cpu' && !of && typeof f.thread === 'string') to.thread = exactly(f.thread);
  return to;
}

const LINK_TEXT = { slow: 'Show its requests', interference: 'Show when', memory: 'Show the memory', cpu: 'Show the stacks' };

export function upperFirst(text) {
  return /^(wick\b|\S*\/)/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

export class ExplainView extends Slot {
  constructor() {
    super('div.page.scrolls');
  }

  update(context) {
    this.ask(context, 'explain', []);
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
        : emptyBox('Nothing stands out', `In ${durationOf(answer.duration_ns)} no rule found a cost worth a sentence. The other pages show what there is.`);
      exchange(this.root, nothing, open, missing);
      return;
    }
    const most = answer.findings.reduce((m, f) => Math.max(m, f.cost_ns), 1);
    const headline = answer.headline ? h('p.headline', answer.headline) : null;
    const names = [...new Set(answer.findings.map((f) => f.group))];
    const lists = names.map((name) => h('section.finding-group', GROUPS[name] ? h('h2.group', GROUPS[name]) : null,
      h('ol.findings', ...answer.findings.filter((f) => f.group === name).map((f) => this.finding(f, most, state, recording)))));
    const foot = h('p.quiet', `${durationOf(answer.duration_ns)} recorded${answer.own_ns ? `; wick itself used ${formatWeight(answer.own_ns, 'ns')} of CPU time` : ''}${answer.unfinished ? '; the recording is not finished' : ''}.`);
    exchange(this.root, headline, lists, open, missing, foot, commandLine(`wick explain ${recording.path}`));
  }

  finding(f, most, state, recording) {
    const to = evidenceOf(f, state, recording);
    const cost = h('span.cost-bar', { 'aria-hidden': 'true' });
    cost.style.width = `${Math.max(2, (100 * f.cost_ns) / most)}%`;
    return h('li.card.finding', h('div.cost', h('span', formatWeight(f.cost_ns, 'ns')), cost),
      h('div', h('p.sentence', `${upperFirst(f.sentence)}.`), f.advice ? h('p.quiet', upperFirst(f.advice)) : null,
        h('a.go', { href: formatState(to), 'aria-label': `${LINK_TEXT[to.tab]}: ${f.sentence}` }, LINK_TEXT[to.tab])));
  }
}
