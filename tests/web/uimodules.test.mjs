// SPDX-License-Identifier: Apache-2.0
// The modules of the application that need no browser: addresses, queries, figures, order of tables, pictures of series.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { placed, shortened, shortObject, treeOf } from '../../web/ui/chains.js';
import { methodsAsked, methodText } from '../../web/ui/cpu.js';
import { evidenceOf, frameSearch } from '../../web/ui/explain.js';
import { commandOf, commandsOf, shellWord } from '../../web/ui/export.js';
import { changedFindings, comparedBy } from '../../web/ui/findings.js';
import { csvOf, tablesOf } from '../../web/ui/csv.js';
import { concerns, findingsOf } from '../../web/ui/found.js';
import { packagesOf } from '../../web/ui/filters.js';
import { commonRoot, groupsOf, onlyGroup } from '../../web/ui/groups.js';
import { isChosen, layoutFlows, ownFrame, shortClass, threadsOf } from '../../web/ui/lock_graph.js';
import { KINDS } from '../../web/flame/kinds.js';
import { partOf } from '../../web/spans/time_zoom.js';
import { nameHash } from '../../web/ui/flame_panel.js';
import { Bands, between, formatPick, parsePick } from '../../web/ui/density.js';
import { Cells, columnRows } from '../../web/ui/heat_axis.js';
import { clockOf, durationOf, timeStep } from '../../web/ui/format.js';
import { inOrder } from '../../web/ui/live.js';
import { growthText, timeToLimit } from '../../web/ui/memory.js';
import { causeColour, collectionText, memoryTop, partColour, stackParts } from '../../web/ui/memory_charts.js';
import { roundTop, scaleTop, seriesColour, seriesName, stackOrder, STATES, stepPath } from '../../web/ui/series.js';
import { percentilesOver } from '../../web/ui/slow.js';
import { READINGS, sparkPaths } from '../../web/ui/spark.js';
import { cpuShare, jvmTitle } from '../../web/ui/start.js';
import { baseState, chipsOf, compareQueryOf, emptyState, exactly, formatState, leaveOutPath, parseState, queryOf } from '../../web/ui/state.js';
import { sortedRows } from '../../web/ui/table.js';

const web = new URL('../../web/', import.meta.url).pathname;
const MOST_SCRIPT_KIB = 299; // the goal is 300; what is added should find room by what it has in common with the rest
const FULL = { ...emptyState(), recording: 'a/b c', tab: 'cpu', event: 'jdk.ExecutionSample', from: 1795524481000000000, to: 1795524482000000000, thread: '^http-\\d+$',
  labels: ['customer:a&b=c', 'x:y#z'], endpoint: 'GET /ä?q=1', process: '^java$', kind: 'kernel', package: 'com.acme', filter: 'HashMap', search: 'a+b', leaf: true, kinds: 5, zoom: 'x1-1.zz-3', heat: '5000000000', live_by: 'method', trace: 't1', part: '1-2', pick: '1-2-3-4', base: 'r2', base_from: 1795524471000000000, base_to: 1795524472000000000, base_labels: ['customer:b', 'y:z'], base_thread: '^w', base_filter: 'x|y', split: true, absolute: true, focus: 'a.B.<init>', lock: 'l:a.B', callers: true };

test('address: a state comes back whole from its own address', () => {
  assert.deepEqual(parseState(formatState(FULL)), FULL);
  assert.deepEqual(parseState(formatState(emptyState())), emptyState());
});

test('address: whatever is typed gives a whole state, and nothing throws', () => {
  for (const hash of ['', '#', '#/', '#/r', '#/r/', '#/r/%', '#/r/%E0%A4%A', '#/r/x/nothing', '#/r/x/cpu?from=9&to=3&kinds=zzzzzzzzzz&label=nocolon', '#view', '#/r/x/cpu?%%%', '#/r/x/__proto__?__proto__=1']) {
    const s = parseState(hash);
    assert.deepEqual(Object.keys(s).sort(), Object.keys(emptyState()).sort(), hash);
    assert.ok(s.to === 0 || s.to > s.from, hash);
    assert.ok(s.kinds >= 0 && s.kinds < 1 << 13, hash);
  }
  assert.equal(parseState('#/r/x/nothing').tab, 'explain');
  assert.deepEqual(parseState('#/r/x/cpu?label=nocolon').labels, []);
});

test('query: filters go to the server, what only the picture needs does not', () => {
  const q = new URLSearchParams(queryOf(FULL));
  assert.deepEqual(q.getAll('label'), FULL.labels);
  assert.equal(q.get('thread'), FULL.thread);
  assert.equal(q.get('from'), '1795524481000000000');
  for (const key of ['heat', 'search', 'zoom', 'kinds', 'leaf', 'trace', 'pick', 'base']) assert.equal(q.has(key), false, key);
  assert.equal(new URLSearchParams(queryOf(FULL, ['from', 'to'])).has('to'), false);
});

test('query: a base with filters of its own says of each which it is, also that it is none; otherwise it has those of both', () => {
  const q = new URLSearchParams(compareQueryOf(FULL));
  assert.deepEqual([q.get('base'), q.get('base_thread'), q.get('thread'), q.get('base_endpoint'), q.get('base_state')], ['r2', '^w', FULL.thread, '', '']);
  assert.deepEqual(q.getAll('base_label'), FULL.base_labels);
  assert.deepEqual([q.get('base_from'), q.get('from'), q.get('absolute')], ['1795524471000000000', '1795524481000000000', '1']);
  assert.deepEqual(new URLSearchParams(compareQueryOf({ ...FULL, base_labels: [] })).getAll('base_label'), ['']);
  const shared = new URLSearchParams(compareQueryOf({ ...FULL, split: false }));
  assert.deepEqual([...shared.keys()].filter((key) => key.startsWith('base_')), ['base_from', 'base_to']);
  assert.deepEqual([baseState(FULL).thread, baseState(FULL).labels, baseState(FULL).endpoint, baseState(FULL).from], ['^w', FULL.base_labels, '', FULL.base_from]);
  assert.deepEqual([baseState({ ...FULL, split: false }).thread, baseState({ ...FULL, split: false }).labels], [FULL.thread, FULL.labels]);
});

test('chips: one for each filter, and taking one away takes only that one', () => {
  const chips = chipsOf(FULL);
  assert.deepEqual(chips.map((c) => c.key), ['endpoint', 'label', 'label', 'thread', 'process', 'kind', 'package', 'filter']);
  for (const c of chips) assert.equal(chipsOf(c.without).length, chips.length - 1);
  assert.deepEqual(chips[1].without.labels, ['x:y#z']);
});

test('packages: those of classes and those above them, each once, and nothing of what has none', () => {
  assert.deepEqual(packagesOf(['com.acme.web.Shop$1', 'Main', 'com.acme.Db', 'libc.so.6', '[kernel]', 'java.util.HashMap']), ['com.acme.web', 'com.acme', 'com', 'java.util', 'java']);
  assert.deepEqual(packagesOf([]), []);
});

test('exactly: the expression matches the name and nothing around it', () => {
  for (const name of ['a.b', 'x$1(int[])', '[libc.so.6]', 'A+B|C', '\\d', '^{}$']) {
    assert.match(name, new RegExp(exactly(name)));
    assert.doesNotMatch(`x${name}`, new RegExp(exactly(name)));
  }
});

test('times: clock, length and steps', () => {
  assert.equal(clockOf(1795524481026323523), '12:48:01');
  assert.equal(clockOf(1795524481026323523, 1e9), '12:48:01.026');
  assert.equal(durationOf(14.2e9), '14.2 s');
  assert.equal(durationOf(184e9), '3 min 04 s');
  assert.equal(durationOf(3725e9), '1 h 02 min');
  for (const span of [1e8, 1e9, 14e9, 3600e9, 86400e9 * 3]) assert.ok(span / timeStep(span, 8) <= 8 || timeStep(span, 8) === 8.64e13);
});

test('tables: numbers downwards, texts upwards, turned round on request, and equal rows keep their order', () => {
  const rows = [{ n: 'b', v: 1 }, { n: 'a', v: 3 }, { n: 'c', v: 3 }];
  assert.deepEqual(sortedRows(rows, { value: (r) => r.v }, false).map((r) => r.n), ['a', 'c', 'b']);
  assert.deepEqual(sortedRows(rows, { value: (r) => r.v }, true).map((r) => r.n), ['b', 'a', 'c']);
  assert.deepEqual(sortedRows(rows, { value: (r) => r.n }, false).map((r) => r.n), ['a', 'b', 'c']);
  assert.deepEqual(rows.map((r) => r.n), ['b', 'a', 'c'], 'the rows themselves are as they were');
});

test('methods: asked for are the heaviest by the column, or all where the server has no order by it', () => {
  const columns = new Map([...readFileSync(join(web, 'ui/cpu.js'), 'utf8').split('class Methods')[1].split('new Table')[0].matchAll(/(?: key: |figures\()'(\w+)'|weightColumns\('(\w+)'/g)]
    .flatMap(([, key, weight]) => (weight ? [weight, `${weight}_share`] : [key])).map((key) => [key, methodsAsked({ sort: key, turned: false, most: 500 }, '')]));
  assert.deepEqual(Object.fromEntries(columns), { name: { rows: 500, by: 'name' }, self: { rows: 500, by: 'self' }, self_share: { rows: 500, by: 'self' },
    total: { rows: 500, by: 'total' }, total_share: { rows: 500, by: 'total' }, self_samples: { rows: 0, by: 'self' }, sandwich: { rows: 500, by: 'total' } });
  for (const [sort, asked] of columns) {
    assert.equal(methodsAsked({ sort, turned: true, most: 500 }, '').rows, 0, `${sort} turned round`);
    assert.deepEqual(methodsAsked({ sort, turned: false, most: 500 }, 'a'), { rows: 0, by: asked.by });
  }
});

test('events: their tabs keep their order while the weights change', () => {
  const events = [{ kind: 'alloc', name: 'a' }, { kind: 'park', name: 'p' }, { kind: 'lock', name: 'm' }, { kind: 'wait', name: 'o' }, { kind: 'wall', name: 'w' }, { kind: 'lock', name: 'l' }, { kind: 'cpu', name: 'c' }];
  const names = (list) => inOrder(list).map((e) => e.name).join('');
  assert.equal(names(events), 'cwalmop');
  assert.equal(names(events.slice().reverse()), 'cwalmop');
});

test('series: steps close, tops are round, kinds keep order and colour', () => {
  const path = stepPath([0, 0], [1, 2], (i) => i * 10, (v) => v);
  assert.equal(path, 'M0 1L10 1L10 2L20 2L20 0L10 0L10 0L0 0Z');
  assert.equal(roundTop(3, 'ns'), 5);
  assert.equal(roundTop(1000, 'bytes'), 1024);
  assert.equal(scaleTop([1, 2, 3]), 3);
  assert.equal(Math.round(scaleTop([90, ...Array(99).fill(2)]) * 10), 24, 'one high bin does not flatten the others');
  const series = [{ name: 'Kernel' }, { name: 'C2' }, { name: 'other' }];
  assert.deepEqual(stackOrder('kind', series).map((s) => s.name), ['C2', 'Kernel', 'other']);
  assert.equal(seriesColour('kind', 'C2', 4, 'light'), '#6fcf83');
  assert.equal(seriesColour('kind', 'JAVA_NATIVE', 0, 'dark'), seriesColour('kind', 'Java native', 3, 'dark'));
  const kinds = [...readFileSync(join(web, '..', 'src/def/frame.def'), 'utf8').matchAll(/^X\((\w+), (\d+), "([^"]+)"/gm)];
  assert.equal(kinds.length, KINDS.length);
  for (const [, , id, name] of kinds) assert.equal(seriesColour('kind', name, 0, 'light'), KINDS[Number(id)].light, name);
  const states = readFileSync(join(web, '..', 'src/def/thread_state.def'), 'utf8').match(/"STATE_\w+"/g).map((s) => s.slice(1, -1));
  assert.deepEqual(STATES.map(([key]) => `STATE_${key}`).sort(), states.sort(), 'every state of a recording has a name and a colour');
  assert.equal(seriesName('state', 'STATE_WAITING_FOR_CPU'), 'waiting for CPU');
  assert.equal(seriesColour('state', 'STATE_RUNNABLE', 3, 'light'), 'var(--cpu)');
});

test('heatmap: cells and ranges of time are each other\'s inverse, and no range touches the cell beside it', () => {
  const start = 1795524481000000000;
  const cells = new Cells({ start_ns: start, column_ns: 1e9, cell_ns: 20e6, rows: 50, columns: 3, p99: 7, max: 9, values: Array.from({ length: 150 }, (_, i) => (i === 60 ? 9 : i < 50 ? 0 : 1)) });
  assert.equal(cells.max, 7, 'the hottest colour is that of the 99th percentile');
  for (const range of [[0, 1], [7, 8], [49, 51], [0, 150], [60, 61]]) {
    const [from, to] = cells.rangeOf(range);
    assert.deepEqual(cells.cellsOf(from, to), range);
    // what the server does: slices of 20 ms count that end after `from` and begin before `to`, in whole nanoseconds
    const slice = (i) => BigInt(start) + BigInt(i) * 20000000n;
    const taken = Array.from({ length: 152 }, (_, i) => i - 1).filter((i) => slice(i + 1) > BigInt(String(from)) && slice(i) < BigInt(String(to)));
    assert.deepEqual([taken[0], taken[taken.length - 1] + 1], range);
  }
  assert.equal(cells.cellsOf(0, 0), null);
  assert.equal(cells.cellsOf(start - 5e9, start - 4e9), null);
  assert.deepEqual(columnRows(cells), [{ start: 50, end: 100, weight: 58, hottest: 60 }, { start: 100, end: 150, weight: 50, hottest: 100 }]);
});

test('latency: a choice of cells is a range of time and of latency, comes back from the address, and is drawn where it was made', () => {
  const edges = Array.from({ length: 37 }, (_, i) => Math.round(1e6 * 1000 ** (i / 36)));
  const columns = Array.from({ length: 20 }, (_, c) => ({ count: c % 3, p50_ns: 2e6, p99_ns: 3e6, max_ns: 3e6, counts: c % 3 ? edges.slice(1).map((_, r) => (r === 7 ? c % 3 : 0)) : [] }));
  const bands = new Bands({ count: 19, start_ns: 1795524481000000000, column_ns: 1e8, rows: 36, edges_ns: edges, columns });
  for (const rect of [between({ column: 0, row: 0 }, { column: 0, row: 0 }), between({ column: 9, row: 35 }, { column: 3, row: 2 }), between({ column: 19, row: 7 }, { column: 19, row: 35 })])
    assert.deepEqual(bands.rectOf(parsePick(formatPick(bands.pickOf(rect)))), rect);
  assert.equal(bands.count({ columns: [0, 20], rows: [7, 8] }), 19);
  assert.equal(bands.count({ columns: [0, 20], rows: [8, 36] }), 0);
  assert.equal(bands.share(1e6), 0);
  assert.equal(Math.round(bands.share(1e9) * 1e6), 1e6);
  for (const text of ['', 'x', '1-2-3', '2-1-3-4', '1-2-4-3', '1-2-3-4-5', '-1-2-3-4']) assert.equal(parsePick(text), null, text);
});

test('locks: bands add up to their nodes, the lightest are one, a thread is chosen on both sides, a star is a number', () => {
  const flow = (waiter, cls, owner, weight_ns) => ({ waiter, class: cls, owner, weight_ns });
  const flows = [flow('w-*', 'a.Session', 'writer', 50), flow('writer', 'a.Cache', null, 20), ...Array.from({ length: 20 }, (_, i) => flow(`t${i}`, 'x.Y', 'writer', 1))];
  const { columns, bands } = layoutFlows(flows);
  assert.deepEqual(columns.map((c) => c.length), [9, 3, 2]);
  for (const column of columns) assert.equal(column.reduce((s, n) => s + n.weight, 0), 90);
  columns.forEach((column, i) => column.forEach((n) => {
    for (const [at, end] of [[i, 'from'], [i - 1, 'to']]) if (at >= 0 && at < 2) assert.equal(bands.filter((b) => b.column === at && b[end] === n).reduce((s, b) => s + b.weight, 0), n.weight);
  }));
  assert.deepEqual(flows.slice(0, 3).map((f) => isChosen(f, 'h:writer')), [true, true, true]);
  assert.deepEqual(flows.slice(0, 3).map((f) => isChosen(f, 'l:a.Cache')), [false, true, false]);
  // Threads may have the names of the nodes that are none.
  const named = [flow('others', 'a.Session', 'not known', 5), flow('t', 'a.Session', null, 7), ...flows];
  const sides = layoutFlows(named).columns;
  assert.deepEqual(sides[0].filter((n) => n.name === 'others').map((n) => [n.key, n.weight]), [['w:others', 5], ['', 16]]);
  assert.deepEqual(sides[2].filter((n) => n.name === 'not known').map((n) => [n.key, n.weight]), [['u:', 27], ['h:not known', 5]]);
  assert.deepEqual(named.slice(0, 2).map((f) => [isChosen(f, 'u:'), isChosen(f, 'h:not known')]), [[false, true], [true, false]]);
  assert.equal(shortClass('java.util.concurrent.locks.ReentrantLock$NonfairSync'), 'ReentrantLock$NonfairSync');
  assert.equal(ownFrame(['jdk.internal.misc.Unsafe.park', 'java.util.X.y:3', '[libc.so.6]', 'app.Main.run:5']), 'app.Main.run:5');
  assert.match('pool-12-thread-3', new RegExp(threadsOf('pool-*-thread-*')));
  assert.doesNotMatch('xpool-12-thread-3', new RegExp(threadsOf('pool-*-thread-*')));
});

test('chains: those that begin alike share it, the heaviest come first, a long one is shortened, each leaf has a row', () => {
  const object = (id, retained) => ({ id, class: 'a.B', object: 'a.B', reference: `f${id}`, shallow: 16, retained });
  const common = [object('1', 90), object('2', 80)];
  const suspects = [
    { ...object('3', 20), root: 'thread', path: [...common, object('3', 20)], keeps: [{ class: 'byte[]', objects: 4, retained: 19 }] },
    { ...object('4', 60), root: 'thread', path: [...common, object('4', 60)], keeps: [] },
    { ...object('99', 5), root: 'system class', path: Array.from({ length: 30 }, (_, i) => object(String(70 + i), 5)), keeps: [] },
    { ...object('x', 1), root: '', path: [], keeps: [] },
  ];
  const roots = treeOf(suspects);
  assert.deepEqual(roots.map((r) => [r.text, r.weight]), [['thread', 90], ['system class', 5], ['no path from a GC root was found', 1]]);
  const second = roots[0].children[0].children[0];
  assert.deepEqual([second.object.id, second.children.map((c) => [c.object.id, c.kind])], ['2', [['4', 'suspect'], ['3', 'suspect']]]);
  assert.deepEqual(second.children[1].children.map((c) => [c.kind, c.kept.objects]), [['kept', 4]]);
  const steps = shortened(suspects[2].path);
  assert.deepEqual([steps.length, steps[2].skipped.length, steps[4].id], [5, 26, '99']);
  assert.equal(shortened(common), common);
  const size = placed(roots);
  assert.deepEqual(size, { columns: 6, rows: 4 });
  assert.deepEqual([roots[0].row, roots[0].column, second.children.map((c) => c.row)], [0.5, 0, [0, 1]]);
  assert.equal(shortObject('java.lang.Thread "worker a.b"'), 'Thread "worker a.b"');
  assert.equal(shortObject('class shop.Registry'), 'class Registry');
});

test('start page: names of JVMs and their share of a CPU', () => {
  assert.equal(jvmTitle({ pid: 1, name: 'org.apache.catalina.startup.Bootstrap start' }), 'Bootstrap');
  assert.equal(jvmTitle({ pid: 1, name: '/opt/app/shop-1.2.jar --port 1' }), 'shop-1.2.jar');
  assert.equal(jvmTitle({ pid: 1, name: '' }), 'process 1');
  assert.equal(cpuShare({ cpu_ns: 1e9 }, { cpu_ns: 2.5e9 }, 3e9), 0.5);
  assert.equal(cpuShare(undefined, { cpu_ns: 2e9 }, 3e9), -1);
});

test('spark: the newest reading is at the right edge, the top at the upper one', () => {
  const wide = READINGS - 1; // a step is 1
  assert.equal(sparkPaths([0, 5, 10], 10, wide, 12).line, `M${wide - 2}.0 11.0L${wide - 1}.0 6.0L${wide}.0 1.0`);
  assert.equal(sparkPaths([0, 20], 10, wide, 12).area, `M${wide - 1}.0 11.0L${wide}.0 1.0V12H${wide - 1}.0Z`, 'what is beyond the top is cut');
});

test('endpoints: the 99th percentile over time has all seconds, each in its part, and as many parts as there are seconds up to a bound', () => {
  const at = (second, p99) => ({ second, p99_ns: p99 });
  assert.deepEqual(percentilesOver([at(3, 7), at(5, 9)], 3, 6), [7, 0, 9, 0]);
  const long = percentilesOver([at(0, 1), at(1, 5), at(399, 8), at(390, 2)], 0, 399);
  assert.deepEqual([long.length, long[0], long[READINGS - 1], long.filter((v) => v > 0).length], [READINGS, 5, 8, 2]);
});

test('memory: growth within its error is steady, and a limit is reached only by what grows', () => {
  assert.equal(growthText(1000, 2000), 'steady');
  assert.equal(growthText(2 ** 20, 0), '+1.00 MiB/s');
  assert.equal(growthText(2 ** 20, 2 ** 10), '+1.00 MiB/s \u00b1 1.00 KiB');
  assert.equal(timeToLimit(50, 100, 1, 2), '');
  assert.match(timeToLimit(50, 170, 1, 0.5), /2 min 00 s/);
});

test('memory over time: parts stack without gaps, limits far above do not flatten them, colours stay with their parts', () => {
  const stack = stackParts([{ part: 'malloc', resident: [5, 6] }, { part: 'Java heap', resident: [10, 20] }]);
  assert.deepEqual(stack.map((s) => [s.part, s.low, s.high]), [['Java heap', [0, 0], [10, 20]], ['malloc', [10, 20], [15, 26]]]);
  const mib = 2 ** 20;
  assert.equal(memoryTop(400 * mib, [1024 * mib]), 1280 * mib);
  assert.equal(memoryTop(400 * mib, [64 * 1024 * mib]), 448 * mib);
  const parts = [...readFileSync(join(web, '..', 'src/def/memory_part.def'), 'utf8').matchAll(/^X\((\w+), "([^"]+)", (\w+)/gm)];
  const stacked = parts.filter(([, id, , resident]) => resident === 'true' && id !== 'REPEATED').map(([, , name]) => name);
  assert.equal(new Set(stacked.map(partColour)).size, stacked.length, 'each part has a colour of its own');
  const causes = [{ cause: 'a' }, { cause: null }];
  assert.deepEqual([causeColour(causes, null), causeColour(causes, 'x')], ['var(--series-2)', 'var(--blocked)']);
  assert.match(collectionText({ start_ns: 0, cause: null, longest_pause_ns: 4e6, before: 2 * mib, after: mib, stands_for: 3 }), /collection: 4.00 ms pause, heap 2.00 MiB to 1.00 MiB; the longest of 3/);
});

test('methods: only a Java name has a package that gives way', () => {
  assert.equal(typeof methodText('finish_task_switch.isra.0'), 'string');
  assert.equal(typeof methodText('do_syscall_64'), 'string');
});

test('export: a shell reads back every word, and nothing in one reaches the terminal as it is', () => {
  const words = ["it's", 'a b', '$(reboot)', '`x`', '\\', 'ä\u0301', 'x\u001b[31m\n\u0003y', '\u202eevil', '', '-x', "\\'\u0007", "a\\'; echo no; echo \\'"];
  assert.equal(execFileSync('bash', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], { env: { LC_ALL: 'C.UTF-8' } }).toString(), `${words.join('\0')}\0`);
  // eslint-disable-next-line no-control-regex
  for (const w of words) assert.doesNotMatch(shellWord(w), /[\u0000-\u001f\u202e]/);
  // fish takes a backslash in single quotes for an escape; a shell without $'...' would end that word at a quote
  assert.equal(shellWord(String.raw`\'`), String.raw`''\\''\'''`);
  assert.equal(shellWord(`\\'\u0007`), String.raw`$'\x5c\x27\x07'`);
});

test('paths: names may have what separates names, and lines', () => {
  const path = (name) => leaveOutPath(emptyState(), ['main', name], [false, true]).exclude_path;
  assert.equal(path('<[u8; 32] as a\\b>::f'), 'main;<[u8\\x3b 32] as a\\x5cb>::f;*');
  assert.deepEqual([path('*'), path('a*'), path('a\nb\r')], ['main;\\x2a;*', 'main;a*;*', 'main;a\\x0ab\\x0d;*']);
  const words = commandOf({ ...emptyState(), tab: 'cpu', exclude_path: path('[u8; 2]') }, { path: 'a.jfr' });
  assert.equal(words[words.indexOf('--exclude-path') + 1], 'main;[u8\\x3b 2];*');
});

test('paths: whole ones only, and no more than a question to the server has room for', () => {
  const names = (n, name) => Array.from({ length: n }, (_, i) => `${name}${i}`);
  const add = (state, ...path) => leaveOutPath({ ...emptyState(), ...state }, path, [false, true]);
  assert.equal(add({}, ...names(150, 'com.acme.shop.Cart.sum')).exclude_path, `${names(150, 'com.acme.shop.Cart.sum').join(';')};*`);
  assert.equal(add({}, ...names(400, 'com.acme.shop.Cart.sum')), null, 'bytes of paths');
  assert.equal(add({}, '\u00e4'.repeat(4100)), null, 'bytes, not characters');
  assert.equal(add({}, '<'.repeat(4100)), null, 'bytes as they are sent');
  const most = names(27, 'a').join('\n');
  const state = { exclude_path: most, thread: 't', labels: ['a:b', 'c:d'] };
  assert.equal(add(state, 'b').exclude_path, `${most}\nb;*`);
  assert.equal(add({ ...state, state: 's' }, 'b'), null, 'conditions');
  assert.deepEqual(add({ split: true }, 'b'), { exclude_path: 'b;*', base_exclude_path: 'b;*' });
  assert.equal(add({ split: true, base_exclude_path: names(31, 'a').join('\n') }, 'b'), null, 'conditions of the base');
});

test('export: the command has all filters of the page', () => {
  const recording = { path: '/tmp/a b.jfr' };
  const command = commandOf({ ...FULL, eventKind: 'wall' }, recording);
  assert.deepEqual(command.slice(0, 8), ['wick', 'flame', '-e', 'jdk.ExecutionSample', '--from', '@1795524481.000000000', '--to', '@1795524482.000000000']);
  for (const [option, value] of [['--thread', '^http-\\d+$'], ['--where', 'endpoint=GET /ä?q=1'], ['--where', 'customer=a&b=c'], ['--include', 'HashMap'], ['-o', 'flame.html']])
    assert.ok(command.some((w, i) => w === option && command[i + 1] === value), `${option} ${value}`);
  assert.ok(command.includes('--no-idle') && command.includes('--reverse') && command.includes(recording.path));
  assert.deepEqual(commandOf({ ...FULL, show: 'threads' }, recording).slice(0, 4), ['wick', 'top', '--by', 'thread']);
  assert.deepEqual(commandOf({ ...FULL, show: 'groups', group: 'endpoint' }, recording).slice(-5), ['--by', 'endpoint', recording.path, '-o', 'flame.html']);
  assert.ok(command.includes('--fold-starts') && !commandOf({ ...FULL, whole: true }, recording).includes('--fold-starts'));
  const words = (state) => commandOf({ ...emptyState(), tab: 'cpu', ...state }, recording).slice(2, -3);
  assert.deepEqual([words({ show: 'sandwich', focus: 'a.B.c' }), words({ show: 'sandwich', focus: 'a.B.c', callers: true }), words({ show: 'groups' })],
    [['--callees-of', 'a.B.c'], ['--callers-of', 'a.B.c'], ['--threads']]);
  assert.deepEqual(commandOf({ ...FULL, tab: 'slow' }, recording), ['wick', 'trace', '/tmp/a b.jfr', 't1', '-o', 'trace.html']);
  const time = ['--from', '@1795524481.000000000', '--to', '@1795524482.000000000'];
  for (const [tab, command] of [['slow', 'endpoints'], ['explain', 'explain'], ['interference', 'explain'], ['memory', 'memory']]) {
    assert.deepEqual(commandOf({ ...FULL, tab, trace: '' }, recording), ['wick', command, ...time, recording.path, ...(tab === 'slow' ? ['-o', 'endpoints.html'] : [])]);
    assert.deepEqual(commandOf({ ...emptyState(), tab }, recording).slice(0, 3), ['wick', command, recording.path]);
  }
});

test('export: a heatmap has a command of its own, where there is time to show', () => {
  const recording = { path: 'a.jfr', events: [{}], start_ns: 1, end_ns: 2 };
  const names = (state, r = recording) => commandsOf({ ...emptyState(), tab: 'cpu', heat: 'auto', ...state }, r).map((w) => w[1]);
  assert.deepEqual([names({}), names({ heat: '' }), names({ eventKind: 'live' }), names({ show: 'methods' }), names({}, { ...recording, end_ns: 1 })],
    [['flame', 'heatmap'], ['flame'], ['flame'], ['top', 'heatmap'], ['flame']]);
  assert.deepEqual(names({ tab: 'slow', trace: 't' }), ['trace', 'endpoints']);
});

test('explain: evidence is a state with tab, event, endpoint and search of its finding', () => {
  const recording = { events: [{ name: 'jdk.ExecutionSample', kind: 'cpu' }, { name: 'datadog.MethodSample', kind: 'wall' }] };
  const state = { ...emptyState(), recording: 'r', from: 1, to: 2 };
  const wait = evidenceOf({ rule: 'waiting', figures: { frame: 'wick.demo.SafepointWork.copyHugeArray:45' } }, state, recording);
  assert.deepEqual([wait.tab, wait.event, wait.search, wait.from], ['cpu', 'datadog.MethodSample', 'SafepointWork[./]copyHugeArray', 1]);
  const slow = evidenceOf({ rule: 'endpoint-wait', figures: { where: 'GET /sleep' } }, state, recording);
  assert.deepEqual([slow.tab, slow.endpoint], ['slow', 'GET /sleep']);
  assert.equal(evidenceOf({ rule: 'slow-safepoints', figures: {} }, state, recording).tab, 'interference');
  const named = evidenceOf({ rule: 'endpoint-wait', figures: { where: 'GET /sleep' }, evidence: { view: 'wall', filters: [
    { option: 'where', value: 'endpoint=GET /a=b' }, { option: 'where', value: 'customer=big' }, { option: 'state', value: 'STATE_PARKED' },
    { option: 'include', value: '^a\\.B$' }] } }, state, recording);
  assert.deepEqual([named.tab, named.event, named.endpoint, named.labels, named.state, named.filter],
    ['cpu', 'datadog.MethodSample', 'GET /a=b', ['customer:big'], 'STATE_PARKED', '^a\\.B$']);
  assert.equal(evidenceOf({ rule: 'live-set', figures: {}, evidence: { view: 'live', filters: [] } }, state, recording).tab, 'memory');
  const burst = { rule: 'hot-method', figures: {}, evidence: { view: 'cpu', filters: [{ option: 'include', value: '^b$' }], when: { from_ns: 7, to_ns: 9, share: 0.9 } } };
  const there = evidenceOf(burst, { ...state, thread: 'a', endpoint: 'GET /', labels: ['k:v'] }, recording);
  assert.deepEqual([there.from, there.to, there.filter, there.thread, there.endpoint, there.labels], [7, 9, '^b$', '', '', []], 'its own time and filters, and no others');
  const apart = comparedBy(burst, { ...state, tab: 'compare', base: 'b', split: true }, recording);
  assert.deepEqual([apart.tab, apart.base, apart.split, apart.filter, apart.from, apart.to], ['compare', 'b', false, '^b$', 1, 2], 'both sides keep their times');
  assert.equal(frameSearch('a.B$C.run:3'), 'B\\$C[./]run');
});

test('findings: each rule concerns a page, and where an endpoint is chosen those of another one do not', () => {
  const recording = { events: [{ name: 'jdk.ExecutionSample', kind: 'cpu' }, { name: 'wall', kind: 'wall' }, { name: 'a', kind: 'alloc' }, { name: 'l', kind: 'live' }] };
  const rules = [...readFileSync(join(web, '..', 'src/def/explain.def'), 'utf8').matchAll(/^X\(\w+, "([\w-]+)", (\w+), \w+, \w+, "(\w*)"/gm)];
  assert.ok(rules.length > 50);
  for (const [, rule, group, view] of rules) {
    const finding = { rule, group: group.toLowerCase(), figures: {}, evidence: { view, filters: [] } };
    assert.ok(['slow', 'cpu', 'memory', 'interference'].some((tab) => concerns(finding, tab, { ...emptyState(), recording: 'r', tab }, recording)), rule);
  }
  const answer = { findings: ['GET /a', 'GET /b', undefined].map((endpoint) => ({ rule: 'endpoint-wait', endpoint, figures: {}, evidence: { view: 'wall', filters: [] } })) };
  const of = (endpoint) => findingsOf(answer, { state: { ...emptyState(), tab: 'slow', endpoint }, recording }).map((f) => f.endpoint);
  assert.deepEqual([of(''), of('GET /a')], [['GET /a', 'GET /b', undefined], ['GET /a', undefined]]);
});

test('findings: those of one recording only, and those whose cost is another share of its time, the largest change first', () => {
  const finding = (rule, cost, figures = {}) => ({ rule, cost_ns: cost, figures, sentence: `${rule} ${figures.frame ?? ''}` });
  const before = { duration_ns: 100, findings: [finding('hot', 50, { frame: 'a', share: 0.5 }), finding('hot', 40, { frame: 'b' }), finding('lock', 10), finding('gc', 5)] };
  const after = { duration_ns: 200, findings: [finding('hot', 110, { frame: 'a', share: 0.55 }), finding('hot', 20, { frame: 'c' }), finding('lock', 60), finding('gc', 4)] };
  assert.deepEqual(changedFindings(before, after).map(({ finding: f, ...c }) => ({ ...c, sentence: f.sentence })), [
    { word: 'gone', sentence: 'hot b', before: 0.4, after: 0 }, { word: 'more', sentence: 'lock ', before: 0.1, after: 0.3 },
    { word: 'new', sentence: 'hot c', before: 0, after: 0.1 }, { word: 'less', sentence: 'gc ', before: 0.05, after: 0.02 }]);
  assert.deepEqual(changedFindings(before, before), []);
});

test('names: hashes differ for names of a profile', () => {
  const names = Array.from({ length: 2000 }, (_, i) => `com/acme/Class${i}.method${i % 7}`);
  assert.equal(new Set(names.map(nameHash)).size, names.length);
});

/** A script and all that it imports, at once or when it is needed. */
function loadedBy(script, found = new Set()) {
  if (found.has(script)) return found;
  found.add(script);
  for (const [, path] of readFileSync(script, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) loadedBy(join(script, '..', path), found);
  return found;
}

test('groups: heaviest first, what is not in a group apart, and a filter that leaves one', () => {
  const names = ['[no customer]', '[big]', 'a.run', 'a.work', 'a.self', '[w (1) tid=12]'];
  const view = { // all(100): [no customer](10), [big](80): a.run(80): a.work(80, self 20): a.self(60); [w (1) tid=12](10)
    profile: { names }, name: [-1, 0, 1, 2, 3, 4, 5], total: [100, 10, 80, 80, 80, 60, 10], own: [0, 10, 0, 0, 20, 60, 10],
    first: (i) => [1, -1, 3, 4, 5, -1, -1][i], next: (i) => [-1, 2, 6, -1, -1, -1, -1][i], self: (i) => view.own[i],
  };
  assert.deepEqual(groupsOf(view, 'customer').map((g) => [g.value, g.weight]), [['big', 80], [null, 10], ['w (1) tid=12', 10]]);
  assert.deepEqual(groupsOf(view, 'thread').map((g) => [g.value, g.id])[2], ['w (1)', 'tid=12']);
  assert.equal(commonRoot(view, 2), 3, 'below a.run: a.work has weight of its own');
  assert.equal(commonRoot(view, 1), 1);
  assert.deepEqual([commonRoot(view, 2, 1), commonRoot(view, 2, 9)], [3, 2], 'no deeper than leaves rows above');
  const state = { ...emptyState(), labels: ['customer:small', 'x:y'] };
  assert.deepEqual(onlyGroup(state, 'customer', 'big'), { labels: ['x:y', 'customer:big'] });
  assert.deepEqual(onlyGroup(state, 'thread', 'w (1)'), { thread: '^w \\(1\\)$' });
  assert.deepEqual(onlyGroup(state, 'endpoint', 'GET /a?b'), { endpoint: 'GET /a?b' });
  assert.deepEqual(onlyGroup(state, 'package', 'com.acme'), { labels: [...state.labels, 'package:com.acme'] }, 'the filter of that name is of stacks that go through it');
});

test('scripts: served without indentation, comments and spaces that mean nothing, and with all of their code', () => {
  const dir = mkdtempSync(join(tmpdir(), 'wick-embed-'));
  for (const folder of ['docs', 'web', 'web/ui']) mkdirSync(join(dir, folder));
  writeFileSync(join(dir, 'docs/ui-api.json'), '{}');
  writeFileSync(join(dir, 'web/ui/index.html'), '<script src="/ui/ui/main.js"></script>');
  writeFileSync(join(dir, 'web/ui/main.js'), ['// SPDX', '/** x */ first();', 'second(); // goes', 'text = "a // b"; // stays', '/** y', ' * z **/', '// w', '/** a */ /** b */', 'third(); /** c */', '/** d', ' */ fourth();', '/** e */', '  if (a) {', '\t  `b  c`;', ''].join('\n'));
  execFileSync(join(web, 'embed.py'), ['ui', join(dir, 'web'), join(dir, 'assets.c')]);
  const served = /asset_1\[\] = \{([^}]*),0\};/.exec(readFileSync(join(dir, 'assets.c'), 'utf8'))[1].split(',').map(Number);
  writeFileSync(join(dir, 'web/ui/main.js'), 'text = `a\n  b`;\n');
  assert.throws(() => execFileSync(join(web, 'embed.py'), ['ui', join(dir, 'web'), join(dir, 'assets.c')], { stdio: 'pipe' }), /main\.js:1: a text that goes over several lines/);
  rmSync(dir, { recursive: true });
  assert.deepEqual(String.fromCharCode(...served).split('\n'), ['// SPDX', '/** x */ first();', 'second();', 'text = "a // b"; // stays', '', '', '', '/** a */ /** b */', 'third(); /** c */', '/** d', '*/ fourth();', '', 'if(a){', '`b  c`;', '']);
});

test('trace: the part of its time in sight is inside of it, and no shorter than can be drawn', () => {
  assert.deepEqual(partOf(100, 10, 60), [10, 60]);
  assert.deepEqual(partOf(100, -20, 30), [0, 50]);
  assert.deepEqual(partOf(100, 90, 130), [60, 100]);
  assert.deepEqual(partOf(100, -5, 200), [0, 100]);
  assert.deepEqual(partOf(2000, 500, 500), [500, 501]);
});

test('csv: a table for each list of an answer, also of lists in rows; texts that a spreadsheet would run are none', () => {
  const tables = tablesOf({ total: 3, rows: [{ name: 'a', n: 1, big: { x: null, y: true }, parts: [{ p: 'q' }, { p: 'r' }], frames: ['f', 'g'], counts: [4, 5] }, { name: 'b', more: 'm', parts: [] }], words: ['w'], stacks: { 1: ['f'] } });
  assert.deepEqual([...tables], [
    ['rows', [{ name: 'a', n: 1, 'big.x': null, 'big.y': true, frames: 'f | g', 'counts.0': 4, 'counts.1': 5 }, { name: 'b', more: 'm', parts: '' }]],
    ['rows.parts', [{ of: 'a', p: 'q' }, { of: 'a', p: 'r' }]],
    ['words', [{ words: 'w' }]],
  ]);
  assert.equal(csvOf([{ a: 1, 'b"': 'x,"y"' }, { c: '=cmd()' }]), '"a","b""","c"\r\n1,"x,""y""",\r\n,,"\'=cmd()"\r\n');
  assert.equal(csvOf([{ a: '-1' }, { a: -1 }]), '"a"\r\n"\'-1"\r\n-1\r\n');
});

test('csv: values over time have a row for each time', () => {
  assert.deepEqual(tablesOf({ start_ns: 100, bin_ns: 10, bins: 2, series: [{ name: 'x', unit: 'ns', values: [1, 2] }, { name: 'y', unit: 'count', values: [3, 4] }] }).get('series'),
    [{ time_ns: 100, 'x (ns)': 1, 'y (count)': 3 }, { time_ns: 110, 'x (ns)': 2, 'y (count)': 4 }]);
  assert.deepEqual(tablesOf({ times_ns: [7, 9], parts: [{ part: 'heap', resident: [1, 2] }] }).get('series'), [{ time_ns: 7, heap: 1 }, { time_ns: 9, heap: 2 }]);
  assert.deepEqual([...tablesOf({ times_ns: [7, 9], rows: [{ name: 'a', last: 2, bytes: [1, 2] }], others: [0, 5] })], [['series', [{ time_ns: 7, a: 1, others: 0 }, { time_ns: 9, a: 2, others: 5 }]], ['rows', [{ name: 'a', last: 2 }]]]);
  assert.deepEqual(tablesOf({ start_ns: 1000, column_ns: 100, cell_ns: 50, rows: 2, values: [1, 0, 2, 3] }).get('cells').map((r) => [r.time_ns, r.weight]), [[1000, 1], [1050, 0], [1100, 2], [1150, 3]]);
  assert.deepEqual(tablesOf({ start_ns: 5, column_ns: 10, columns: [{ count: 1, counts: [1, 0] }, { count: 0, counts: [] }] }).get('columns'),
    [{ time_ns: 5, count: 1, 'counts.0': 1, 'counts.1': 0 }, { time_ns: 15, count: 0, counts: '' }]);
});

test('scripts: what is served of each is a script', () => {
  const dir = mkdtempSync(join(tmpdir(), 'wick-served-'));
  execFileSync(join(web, 'embed.py'), ['ui', web, join(dir, 'assets.c')]);
  const assets = readFileSync(join(dir, 'assets.c'), 'utf8');
  const scripts = [...assets.matchAll(/\{"(\/ui\/[^"]+\.js)", "[^"]+", (asset_\d+), \d+\}/g)];
  assert.ok(scripts.length > 40);
  for (const [, name, asset] of scripts) {
    const bytes = new RegExp(`${asset}\\[\\] = \\{([^}]*),0\\};`).exec(assets)[1].split(',').map(Number);
    const file = join(dir, `${name.replaceAll('/', '_')}.mjs`);
    writeFileSync(file, Buffer.from(bytes));
    execFileSync(process.execPath, ['--check', file], { stdio: 'pipe' });
  }
  rmSync(dir, { recursive: true });
});

test('pages: no inline code or style, no markup from strings, and all scripts together clearly below 300 KiB, as they are served', () => {
  const files = ['ui', 'flame', 'spans', 'heat'].flatMap((dir) => readdirSync(join(web, dir)).map((f) => join(web, dir, f)));
  const scripts = files.filter((f) => f.endsWith('.js'));
  const loaded = [...loadedBy(join(web, 'ui/main.js'))];
  const dir = mkdtempSync(join(tmpdir(), 'wick-assets-'));
  execFileSync(join(web, 'embed.py'), ['ui', web, join(dir, 'assets.c')]);
  const served = new Map([...readFileSync(join(dir, 'assets.c'), 'utf8').matchAll(/\{"\/ui\/([^"]+)", "[^"]+", asset_\d+, (\d+)\}/g)].map(([, name, size]) => [join(web, name), Number(size)]));
  rmSync(dir, { recursive: true });
  assert.ok(loaded.length > 30 && loaded.every((f) => served.has(f)));
  assert.deepEqual([...served.keys()].filter((f) => f.endsWith('.js')).sort(), loaded.sort(), 'no script is served that nothing imports');
  const bytes = loaded.reduce((sum, f) => sum + served.get(f), 0);
  assert.ok(bytes <= MOST_SCRIPT_KIB * 1024, `${(bytes / 1024).toFixed(1)} KiB of scripts`);
  for (const f of scripts) assert.doesNotMatch(readFileSync(f, 'utf8'), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, f);
  const page = readFileSync(join(web, 'ui/index.html'), 'utf8');
  assert.doesNotMatch(page, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
  assert.doesNotMatch(page, /https?:\/\//);
});
