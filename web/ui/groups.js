// SPDX-License-Identifier: Apache-2.0
// Small multiples: one flame graph for each thread, endpoint, state or value of a label, side by side, the heaviest first.
//
// It is one tree: the server puts the group above the root of each stack, and each picture shows what lies below one box of
// the first level. What all stacks of a group have in common, such as Thread.run(), is left out of its picture and named above it.
import { Profile, base64Bytes } from '../flame/data.js';
import { Painter, ROW } from '../flame/draw.js';
import { kindGroup } from '../flame/kinds.js';
import { Search } from '../flame/search.js';
import { compileSearch, formatPercent, nameForms } from '../flame/text.js';
import { nameOf, TopDown } from '../flame/views.js';
import { button, emptyBox, h, watchSize } from './dom.js';
import { weightText } from './format.js';
import { cutOf, namesAbove } from './flame_panel.js';
import { legendEntry, seriesName, STATES, stateOf } from './series.js';
import { exactly, queryOf } from './state.js';
import { Slot } from './view.js';

const FIRST = 12; // pictures that are shown at once
const ROWS = 9;
const COMMON = 0.99; // the share of a group's weight that goes through the common root

/** What groups there can be: keys of the state's filters first, then the labels of the recording. */
const BY = [['thread', 'Thread'], ['endpoint', 'Endpoint'], ['state', 'State'], ['kind', 'Kind of code'], ['package', 'Package'], ['process', 'Process']];

/** The groups of a tree whose first level they are: [{node, value, id, weight}], heaviest first; value is null for what has none, id
 *  a thread's number. */
export function groupsOf(view, key) {
  const out = [];
  for (let at = view.first(0); at >= 0; at = view.next(at)) {
    const text = nameOf(view, at).slice(1, -1); // "[value]", "[thread tid=1]"
    const [value, id] = key === 'thread' ? text.split(/ ?(tid=\d+)$/) : [text];
    out.push({ node: at, value: text === `no ${key}` ? null : value, id: id ?? '', weight: view.total[at] });
  }
  return out.sort((a, b) => b.weight - a.weight);
}

/** The deepest box that nearly all stacks of a group go through, and go on from, but so that the heaviest of them have `rows` boxes above it. */
export function commonRoot(view, group, rows = 0) {
  const path = [group];
  let common = 0;
  for (let heaviest = group; ;) {
    const node = heaviest;
    heaviest = -1;
    for (let c = view.first(node); c >= 0; c = view.next(c)) if (heaviest < 0 || view.total[c] > view.total[heaviest]) heaviest = c;
    if (heaviest < 0) return path[Math.max(0, Math.min(common, path.length - 1 - rows))];
    if (common === path.length - 1 && view.total[heaviest] - view.self(heaviest) >= COMMON * view.total[group]) common++;
    path.push(heaviest);
  }
}

/** What the state becomes when only a group is shown. */
export function onlyGroup(state, key, value) {
  if (key === 'endpoint') return { endpoint: value };
  if (key !== 'package' && BY.some(([k]) => k === key)) return { [key]: exactly(value) };
  return { labels: [...state.labels.filter((l) => !l.startsWith(`${key}:`)), `${key}:${value}`] };
}

export class Groups extends Slot {
  /** @param lead what stands before the choice of the group; in `home` where this is not shown */
  constructor(lead, home) {
    super('div.fill');
    this.lead = lead;
    this.home = home;
    this.choice = h('select', { 'aria-label': 'A picture for each', onchange: () => this.context.navigate({ group: this.choice.value }) });
    this.keys = new Slot('div', (answer, context) => this.offer(answer.labels.map((l) => l.key), context));
    this.keys.owner = this.root;
    this.states = h('ul.series-legend', { 'aria-label': 'Colours of states' });
    this.tools = h('div.group-tools', lead, h('label.quiet', 'One for each ', this.choice), this.states);
    this.grid = h('div.groups');
    this.more = h('p.groups-more');
    this.all = false;
    this.cards = [];
    this.resizes = watchSize(this.grid, () => this.paint());
  }

  release() {
    super.release();
    this.keys.release();
    this.resizes.disconnect();
    this.home.append(this.lead);
  }

  update(context) {
    const { state } = context;
    this.context = context;
    this.by = state.group || 'thread';
    this.offer([], context);
    this.keys.ask(context, 'labels', queryOf(state));
    this.ask(context, 'flame', [...queryOf(state), ['by', this.by], ...(state.eventKind === 'wall' ? [['states', '1']] : [])]);
  }

  offer(labels, context) {
    this.known = [...new Set([...(this.known ?? []), ...labels])];
    const found = BY.filter(([key]) => (key !== 'state' || context.state.eventKind === 'wall') && (key !== 'process' || this.known.includes(key)));
    for (const key of this.known) if (!BY.some(([k]) => k === key)) found.push([key, `Label ${key}`]);
    if (!found.some(([key]) => key === this.by)) found.push([this.by, this.by]);
    const texts = found.map(([, text]) => text).join('\n');
    if (texts !== this.offered) {
      this.offered = texts;
      this.choice.replaceChildren(...found.map(([value, text]) => h('option', { value }, text)));
    }
    this.choice.value = this.by;
  }

  draw(answer, context) {
    if (!answer.samples && !answer.weight) {
      this.root.replaceChildren(this.tools, this.nothingFits());
      return;
    }
    if (this.drawn !== answer || this.drawnAll !== this.all) this.make(answer, context);
    this.drawn = answer;
    this.drawnAll = this.all;
    this.paint();
  }

  make(answer, context) {
    const profile = new Profile(base64Bytes(answer.data));
    const view = new TopDown(profile);
    this.drawStates(profile, answer.states);
    const groups = groupsOf(view, this.by);
    const shown = this.all ? groups : groups.slice(0, FIRST);
    this.cards = shown.map((g) => this.card(view, g, answer, context));
    this.grid.replaceChildren(...this.cards.map((c) => c.root));
    const rest = groups.slice(shown.length);
    const weight = rest.reduce((sum, g) => sum + g.weight, 0);
    this.more.replaceChildren(...(rest.length ? [`${rest.length} more have ${formatPercent(weight, answer.weight)} of the weight. `, button('Show all', () => {
      this.all = true;
      this.draw(answer, this.context);
    })] : []));
    const none = groups.length === 1 && groups[0].value === null;
    const body = none ? emptyBox(`No sample has ${this.by === 'endpoint' ? 'an' : 'a'} ${this.by}`, 'Choose another group, or set labels in the program (docs/labels.md).') : this.grid;
    this.root.replaceChildren(this.tools, h('div.scrolls', body, this.more));
  }

  /** Of the wall clock boxes have the colour of the state that has most of them. */
  drawStates(profile, states) {
    const known = states?.names.map((name) => STATES[stateOf(name)] ?? ['', name, 'var(--muted)']) ?? [];
    this.colours = known.map(([, , colour]) => colour);
    this.states.replaceChildren(...known.map(([, text, colour]) => legendEntry(`color-mix(in srgb, ${colour} 55%, var(--page))`, text, '')));
    if (states) profile.states = base64Bytes(states.of);
  }

  without(card, e) {
    const at = boxAt(card, e);
    const names = namesAbove(card.view, at).reverse().slice(1); // without the group's
    const patch = names.length ? cutOf(this.context.state, names, [false, true]) : null;
    if (patch) this.context.navigate(patch);
  }

  card(view, group, answer, context) {
    const value = group.value === null ? `no ${this.by}` : seriesName(this.by, group.value);
    const share = formatPercent(group.weight, answer.weight);
    const root = commonRoot(view, group.node, ROWS);
    const above = [];
    for (let at = root; at !== group.node; at = view.parent[at]) above.push(at);
    const canvas = h('canvas', { 'aria-hidden': 'true' });
    const painter = new Painter(canvas, h('canvas'));
    const open = () => context.navigate({ show: '', zoom: '', ...onlyGroup(this.context.state, this.by, group.value) });
    const title = group.value === null ? h('span', value) : h('button.link', { type: 'button', onclick: open, title: `${value}: show its flame graph` }, value);
    const common = above.length ? `below ${shortName(view, above[0])}` : '';
    const card = { view, node: root, canvas, painter };
    canvas.addEventListener('click', (e) => {
      if (e.altKey) this.without(card, e);
      else if (group.value !== null) open();
    });
    canvas.addEventListener('pointermove', (e) => hint(card, e, answer.unit));
    card.root = h('section.group', { 'aria-label': `${value} ${group.id}, ${share}` }, h('h2', title, group.id ? h('span.quiet', ` ${group.id}`) : null),
      h('p.quiet', `${share}, ${weightText(group.weight, answer.unit)}`, common ? h('span.group-above', { title: above.reverse().map((at) => nameOf(view, at)).join('\n') }, ` \u00b7 ${common}`) : null), canvas);
    return card;
  }

  /** The colours of states as the theme has them. */
  palette() {
    const style = getComputedStyle(document.documentElement);
    return this.colours.map((colour) => style.getPropertyValue(colour.slice(4, -1)).trim());
  }

  paint() {
    const { state, theme } = this.context;
    for (const c of this.cards) {
      const width = Math.floor(c.root.getBoundingClientRect().width) - 2;
      if (width < 20) continue;
      if (!c.search || c.query !== state.search) {
        c.query = state.search;
        c.search = new Search(c.view.profile, compileSearch(state.search), 0);
      }
      c.painter.setTheme(theme, this.palette());
      c.painter.resize(width, ROWS * ROW, window.devicePixelRatio || 1);
      c.painter.paint(sceneOf(c));
    }
  }
}

function sceneOf({ view, node, search }) {
  const below = view.depth[node] + 1;
  return { view, search, x0: view.start[node], x1: view.start[node] + view.total[node], scrollTop: below * ROW, contentHeight: 0, flame: false, zoom: node };
}

function boxAt(card, e) {
  const r = card.canvas.getBoundingClientRect();
  return card.painter.nodeAt(sceneOf(card), e.clientX - r.left, e.clientY - r.top);
}

/** The name and the weight of the box under the pointer, as the canvas's title. */
function hint(card, e, unit) {
  const at = boxAt(card, e);
  card.canvas.title = at >= 0 ? `${nameOf(card.view, at)}\n${weightText(card.view.total[at], unit)}` : '';
}

function shortName(view, node) {
  const forms = nameForms(nameOf(view, node), kindGroup(view.kind[node]) === 1);
  return forms[Math.min(1, forms.length - 1)];
}
