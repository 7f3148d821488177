// SPDX-License-Identifier: Apache-2.0
// What disturbed the program over time, on the axis that the safepoints have: a picture for what belongs together, and a table of all of it.
// What has a name is below, of the chosen time.
import { formatCount, formatPercent, formatWeight } from '../flame/text.js';
import { asTable, exchange, h } from './dom.js';
import { clockOf, weightText } from './format.js';
import { TimeAxis } from './series.js';
import { rangeOf } from './state.js';
import { figures, Table } from './table.js';
import { Slot } from './view.js';

const ns = (v) => formatWeight(v, 'ns');

/** What is stacked in a picture: [its title, names of series in the answer and what they are called]. */
const PICTURES = [
  ['Program stopped', { pauses: 'GC pauses', throttled: 'CPU limit' }],
  ['Pressure', { cpu_pressure: 'CPU pressure', memory_pressure: 'memory pressure', io_pressure: 'I/O pressure' }],
  ['Processors that others had, as a share', { steal: 'stolen by the hypervisor', others: 'other processes' }],
  ['Compiler threads', { compiling: 'compiling' }],
  ['Compilations and deoptimisations', { compiled: 'methods compiled', deoptimizations: 'deoptimisations' }],
];

const TOPS = [0.1, 0.2, 0.5];

/** Small shares are seen as well. */
class Shares extends TimeAxis {
  layers() {
    super.layers();
    if (this.unit === 'ns') this.most = TOPS.find((v) => v >= this.peak) ?? this.most;
  }

  /** They are parts of the time, not of each other. */
  shareText({ unit, total }) {
    return unit === 'ns' ? formatPercent(total, this.data.bins * this.data.bin_ns) : formatCount(total);
  }
}

/** Of the answer's series, what a picture has. */
export function pictured(answer, names) {
  return answer.series.filter((s) => names[s.name] && s.total > 0).map((s) => ({ ...s, name: names[s.name] }));
}

/** Tables of what has a name: [key in the answer, caption, head, figures]. */
const NAMED = [
  ['neighbours', 'Other processes by CPU time', 'Process', [figures('total_ns', 'CPU time', ns)]],
  ['compilations', 'Long compilations', 'Method', [figures('total_ns', 'Time', ns), figures('longest_ns', 'Longest', ns), figures('count', 'Times', formatCount)]],
  ['reasons', 'Deoptimisations by reason', 'Reason', [figures('total', 'Frames', formatCount)]],
];

export class Disturbances extends Slot {
  constructor() {
    super('section.card');
    this.head = h('h2', 'Disturbances over time');
    this.axes = PICTURES.map(([label]) => new Shares({ label, height: 72, onRange: (from, to) => this.context.navigate({ from, to }) }));
    this.sections = PICTURES.map(([label], i) => h('div.disturbance', h('h3', label), this.axes[i].root));
    this.none = h('p.quiet');
    this.table = new Table([{ key: 'bin', head: 'From, UTC', value: (r) => r.bin, text: (r) => clockOf(this.answer.start_ns + r.bin * this.answer.bin_ns, this.answer.bin_ns) },
      ...PICTURES.flatMap(([, names]) => Object.entries(names)).map(([key, head]) => figures(key, head, (v) => (v ? weightText(v, /^(compiled|deopt)/.test(key) ? 'count' : 'ns') : '\u2013')))],
    { caption: 'Disturbances by time', sort: 'bin', turned: true });
    this.details = asTable(this.table, () => this.drawTable());
    const tables = NAMED.map(([key, caption, head, columns]) => [key, caption, new Table([{ key: 'name', head, value: (r) => r.name || 'not known' }, ...columns], { caption, sort: columns[0].key })]);
    this.named = new Slot('div.of-range', (answer) => exchange(this.named.root, tables.flatMap(([key, caption, table]) => {
      table.update(answer[key]);
      return answer[key].length ? [h('h3', caption), table.root] : [];
    })));
    this.named.csvName = 'disturbances of the chosen time';
  }

  release() {
    super.release();
    for (const part of [this.named, ...this.axes]) part.release();
  }

  update(context) {
    this.ask(context, 'disturbances', []);
    this.named.ask(context, 'disturbances', [...rangeOf(context.state), ['bins', '1']]);
  }

  draw(answer, { state, theme, recording }) {
    const parts = PICTURES.map(([, names]) => pictured(answer, names));
    const none = PICTURES.flatMap(([, names]) => answer.series.filter((s) => names[s.name] && !s.total).map((s) => names[s.name]));
    this.root.hidden = !answer.series.length;
    this.none.textContent = none.length ? `Nothing of: ${none.join(', ')}.` : '';
    this.keep(this.head, ...this.sections, this.none, this.details, this.named.root);
    parts.forEach((series, i) => {
      this.sections[i].hidden = !series.length;
      if (series.length) this.axes[i].update({ ...answer, series, unit: series[0].unit }, [state.from, state.to], theme, recording.marks);
    });
    this.drawTable();
  }

  drawTable() {
    if (!this.details.open) return;
    const { series, bins } = this.answer;
    const rows = Array.from({ length: bins }, (_, bin) => ({ bin, ...Object.fromEntries(series.map((s) => [s.name, s.values[bin]])) }));
    this.table.update(rows.filter((r) => series.some((s) => r[s.name])));
  }
}
