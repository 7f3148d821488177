// SPDX-License-Identifier: Apache-2.0
// What a heap holds and who holds it: a heap dump, or a running JVM that writes one to be analysed.
import { cleanText, formatCount, formatWeight } from '../flame/text.js';
import { post } from './api.js';
import { Chains, wordsOf } from './chains.js';
import { button, card, emptyBox, errorBox, exchange, factsOf, h, say } from './dom.js';
import { ExportMenu } from './export.js';
import { dateOf } from './format.js';
import { formatState } from './state.js';
import { figures, Table } from './table.js';
import { Slot } from './view.js';

const bytes = (v) => formatWeight(v ?? 0, 'bytes');
const count = (v) => formatCount(v ?? 0);

/** One sentence for each object that keeps much alive. */
export function suspectText(s) {
  const alike = s.alike ? `, and ${formatCount(s.alike)} more of its class, held by the same object, ${bytes(s.alikeRetained)}` : '';
  const keeps = s.keeps.map((k) => `${formatCount(k.objects)} of ${k.class}, ${bytes(k.retained)}`).join('; ');
  return `${s.object} retains ${bytes(s.retained)}${alike}${keeps ? `. It keeps ${keeps}` : ''}.`;
}

/** Everything that is known of a heap. */
export class HeapReport {
  constructor() {
    this.chains = new Chains((node) => this.pick(node));
    this.picked = h('p.quiet.picked-holder', { 'aria-live': 'polite' });
    this.all = 1;
    const all = () => this.all;
    this.classes = new Table([
      { key: 'class', head: 'Class', value: (r) => r.class },
      figures('retained', 'Retained', bytes, { hint: 'What would be freed if all objects of the class were', all }),
      figures('bytes', 'Shallow', bytes, { hint: 'The objects themselves' }),
      figures('objects', 'Objects', count),
    ], { caption: 'Classes', sort: 'retained' });
    this.objects = new Table([
      { key: 'object', head: 'Object', value: (r) => `${r.object} ${r.id}` },
      figures('retained', 'Retained', bytes, { all }),
    ], { caption: 'Largest objects', sort: 'retained' });
    this.waste = new Table([
      { key: 'what', head: 'What', value: (r) => r.what },
      figures('count', 'Objects', count),
      figures('waste', 'Could be saved', bytes),
    ], { caption: 'What could be saved', sort: 'waste', empty: 'Nothing much.' });
    this.loaders = new Table([
      { key: 'loader', head: 'Class loader', value: (r) => r.object ?? 'boot loader' },
      figures('classes', 'Classes', count),
      figures('classes_again', 'Also in others', count, { hint: 'Classes of a name that another loader also has: copies of an application' }),
      figures('retained_with_classes', 'Retained with its classes', bytes),
    ], { caption: 'Class loaders', sort: 'retained_with_classes' });
    this.root = h('div.stack');
  }

  update(report) {
    const { suspects } = report;
    this.all = report.reachable_bytes || 1;
    this.chains.update(suspects);
    this.classes.update(report.classes);
    this.objects.update(report.dominators);
    this.loaders.update(report.loaders);
    this.waste.update([
      { what: 'Strings with equal characters', count: report.duplicate_strings?.objects, waste: report.duplicate_strings?.waste },
      { what: 'Arrays with equal content', count: report.duplicate_arrays?.objects, waste: report.duplicate_arrays?.waste },
      ...(report.collections ?? []).map((c) => ({ what: `Room that ${c.class} does not use`, count: c.objects, waste: c.waste })),
    ].filter((r) => r.waste));
    this.picked.textContent = 'Choose an object to see all of its name.';
    exchange(this.root,
      card('Who holds the heap',
        h('dl.facts', factsOf([['Reachable', bytes(report.reachable_bytes)], ['Objects', count(report.reachable_objects)], ['Garbage', bytes(report.bytes - report.reachable_bytes)], ['Written', dateOf(report.time_ms * 1e6)]])),
        suspects.length ? [this.chains.root, this.picked, h('ul.plain-list.holders', ...suspects.map((s) => h('li', suspectText(s))))]
          : emptyBox('No object holds much', 'None keeps a large part of the heap alive by itself; the classes below have what there is.')),
      card('Classes', this.classes.root), card('Largest objects', this.objects.root), card('What could be saved', this.waste.root),
      card('Class loaders', this.loaders.root));
  }

  pick(node) {
    this.picked.textContent = cleanText(node ? wordsOf(node)[3] : 'Choose an object to see all of its name.');
  }
}

/** The page of a heap dump. */
export class HeapView {
  constructor() {
    this.report = new HeapReport();
    this.slot = new Slot('div', (answer) => {
      this.report.update(answer);
      if (!this.report.root.isConnected) this.slot.root.replaceChildren(this.report.root);
    });
    this.export = new ExportMenu();
    this.tabs = h('nav.tabs', { 'aria-label': 'Pages of this heap dump' });
    this.root = h('div.recording-frame', h('div.tab-row', this.tabs, this.export.root), h('div.page.scrolls', this.slot.root));
  }

  release() {
    this.slot.release();
    this.export.release();
  }

  update(context) {
    exchange(this.tabs, h('a', { href: formatState(context.state), 'aria-current': 'page' }, 'Heap'));
    this.export.update(context);
    this.slot.ask(context, 'heap', []);
  }
}

/** The heap of the JVM of a recording, now: asked for by a button, since the JVM may stand still for it. */
export class HeapOfJvm {
  constructor() {
    this.report = new HeapReport();
    this.said = h('div', { role: 'status' });
    this.press = button('Take a heap dump', () => this.ask());
    this.root = h('section.card', { hidden: true }, h('h2', 'Who holds it'),
      h('p', 'What keeps the heap alive, from GC roots to the objects that hold most. A copy of the JVM\'s process writes a dump, for which the program stops for some milliseconds. Where there can be none (ZGC, too little memory) the JVM collects garbage and writes it, and is stopped for about a second for each GiB. The dump is not kept.'), this.press, this.said);
    this.below = h('div');
  }

  /** Of a process; 0 = it is not known. */
  update(pid) {
    this.pid = pid;
    this.root.hidden = !pid;
  }

  async ask() {
    this.press.disabled = true;
    this.said.replaceChildren(h('p.quiet', 'The heap is written, and wick reads it \u2026'));
    try {
      const answer = await post(`jvms/${this.pid}/heap`, {});
      this.report.update(answer);
      this.below.replaceChildren(this.report.root);
      this.said.replaceChildren(h('p.quiet', 'It is shown below.'));
      say('The heap has been read');
    } catch (e) {
      this.said.replaceChildren(errorBox(e, 'The heap could not be read'));
    } finally {
      this.press.disabled = false;
    }
  }
}
