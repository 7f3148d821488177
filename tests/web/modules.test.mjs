// SPDX-License-Identifier: Apache-2.0
// The page's modules without a browser: agreement with the C side, and both views against brute force.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Profile, base64Bytes } from '../../web/flame/data.js';
import { JAVA_SLOTS, KINDS, KIND_ORDER, KIND_ROOT, SHADES, THEMES, boxColour, kindGroup } from '../../web/flame/kinds.js';
import { contrastRatio } from './contrast.mjs';
import { Search } from '../../web/flame/search.js';
import { cleanText, compileSearch, formatPercent, formatWeight, nameForms, shortSpan } from '../../web/flame/text.js';
import { LeafUp, TopDown } from '../../web/flame/views.js';
import { Layout, scalesFor } from '../../web/heat/slices.js';
import { HOSTILE, writeProfile } from './profile.mjs';
import { parseStacks } from './stacks.mjs';

const here = new URL('.', import.meta.url).pathname;
const source = join(here, '..', '..');
const WICK = process.env.WICK ?? join(source, 'build', 'wick');
const dir = mkdtempSync(join(tmpdir(), 'wick-web-'));
after(() => rmSync(dir, { recursive: true }));

export function profileOf(html) {
  return new Profile(base64Bytes(/id="data">([A-Za-z0-9+/=]*)</.exec(html)[1]));
}

async function makeProfile(options, args = []) {
  const text = join(dir, 'p.collapsed');
  await writeProfile(text, options);
  const html = execFileSync(WICK, ['flame', text, '-u', 'ns', ...args], { maxBuffer: 1 << 28 }).toString();
  return { profile: profileOf(html), stacks: parseStacks(readFileSync(text, 'utf8')) };
}

test('kinds: numbers are those of src/def/frame.def', () => {
  const def = readFileSync(join(source, 'src', 'def', 'frame.def'), 'utf8');
  const rows = [...def.matchAll(/^X\((\w+), (\d+), "[^"]*", \S+, (\d)\)/gm)];
  assert.equal(rows.length, KINDS.length);
  for (const [, key, id, java] of rows) {
    assert.equal(KINDS[Number(id)].key, key);
    assert.equal(KINDS[Number(id)].id, Number(id));
    assert.ok(java === '1' || !JAVA_SLOTS.includes(Number(id)));
  }
});

test('kinds: the legend has each of them once', () => {
  assert.deepEqual(KIND_ORDER.slice().sort((a, b) => a - b), KINDS.map((k) => k.id));
  assert.ok(KIND_ROOT >= KINDS.length);
});

test('kinds: weight without samples is one of its own, independent of its name in the input', () => {
  const text = join(dir, 'unsampled.collapsed');
  writeFileSync(text, 'a.B.run_[j];[broken: no interpreter frame]_[b] 30\n[not sampled: thread not yet known]_[b] 20\n[not sampled: JVM starting]_[u] 50\n[not sampled: thread or recording ended] 40\n');
  const profile = profileOf(execFileSync(WICK, ['flame', text, '-u', 'ns']).toString());
  assert.deepEqual([...profile.selfByKind().slice(0, KIND_ROOT)], KINDS.map((k) => ({ BREAK: 30, UNSAMPLED: 110 })[k.key] ?? 0));
});

test('kinds: the SVG has the same colours', () => {
  const css = readFileSync(join(source, 'web', 'flame', 'svg.css'), 'utf8');
  for (const k of KINDS) assert.deepEqual([...css.matchAll(new RegExp(`\\.k${k.id} \\{ fill: (#\\w+)`, 'g'))].map((m) => m[1]), [k.light, k.dark]);
});

test('kinds: every label has a contrast of at least 4.5 in both themes and every style', () => {
  for (const name of ['light', 'dark'])
    for (let kind = 0; kind <= KIND_ROOT; kind++)
      for (let shade = 0; shade < SHADES; shade++)
        for (const style of [0, 1, 2]) {
          const ink = style === 2 ? THEMES[name].muted : THEMES[name].text;
          const ratio = contrastRatio(boxColour(name, kind, shade, style), ink);
          assert.ok(ratio >= 4.5, `${name} kind ${kind} shade ${shade} style ${style}: ${ratio}`);
        }
});

test('text: names are shortened as the C code does', () => {
  const rows = readFileSync(join(source, 'tests', 'unit', 'flame_names.tsv'), 'utf8').trimEnd().split('\n');
  for (const row of rows) {
    const [name, java, want] = row.split('\t');
    assert.equal(name.slice(...shortSpan(name, java === '1')), want);
  }
});

test('text: controls, bidi and invisible characters never get through', () => {
  assert.equal(cleanText('a\u202eb\u0000c\u001b[0m\u200bd\u2066\ufeff'), 'a\ufffdb\ufffdc\ufffd[0m\ufffdd\ufffd\ufffd');
  for (const c of '\u034f\u115f\u1160\u17b4\u180b\u180f\u3164\ufdd0\ufe0f\uffa0\ufff0\u{1d173}\u{e0100}\u{e01ef}') assert.equal(cleanText(c), '\ufffd', c.codePointAt(0).toString(16));
  assert.equal(cleanText('\ud83d\udd25 \u4e2d\u6587 na\u0301'), '\ud83d\udd25 \u4e2d\u6587 na\u0301');
});

test('text: forms of a name go from whole to the method alone', () => {
  assert.deepEqual(nameForms('java.util.HashMap.get(Object)', true), ['java.util.HashMap.get(Object)', 'HashMap.get(Object)', 'HashMap.get', 'get']);
  assert.deepEqual(nameForms('do_sys', false), ['do_sys']);
});

test('text: numbers speak the unit', () => {
  assert.equal(formatWeight(1234567890, 'ns'), '1.23 s');
  assert.equal(formatWeight(45.6e6, 'ns'), '45.6 ms');
  assert.equal(formatWeight(0, 'ns'), '0 ns');
  assert.equal(formatWeight(1258291, 'bytes'), '1.20 MiB');
  assert.equal(formatWeight(1234567, 'samples'), '1,234,567 samples');
  assert.equal(formatPercent(1, 3), '33.3 %');
  assert.equal(formatPercent(1, 1e9), '<\u20090.01 %');
  assert.equal(formatPercent(5, 5), '100 %');
});

test('text: a search that is no regular expression is taken as text; capitals make it exact', () => {
  assert.ok(compileSearch('foo(').test.test('a.FOO(int)'));
  assert.ok(compileSearch('foo(').plain);
  assert.ok(!compileSearch('Foo').test.test('foo'));
  assert.ok(compileSearch('foo\\S').test.test('FOOx'));
});

test('data: damaged bytes are an error, never a hang or a wrong picture', async () => {
  const { profile } = await makeProfile({ stacks: 300 });
  const bytes = profile.bytes;
  for (let cut = 0; cut < bytes.length; cut += 97) assert.throws(() => new Profile(bytes.slice(0, cut)));
  let seed = 7;
  for (let i = 0; i < 300; i++) {
    const broken = bytes.slice();
    for (let k = 0; k < 4; k++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      broken[seed % broken.length] = seed >>> 24;
    }
    try {
      assert.ok(new Profile(broken).count > 0);
    } catch (e) {
      assert.ok(e instanceof Error);
    }
  }
});

test('data: weights beyond 2^32 and hostile names survive packing', () => {
  const text = join(dir, 'w.collapsed');
  const lines = HOSTILE.map((n, i) => `${n}_[n] ${9007199254740 + i}`);
  writeFileSync(text, `${lines.join('\n')}\n`);
  const p = profileOf(execFileSync(WICK, ['flame', text]).toString());
  assert.equal(p.count, HOSTILE.length + 1);
  assert.equal(p.total[0], lines.reduce((sum, l) => sum + Number(/\d+$/.exec(l)[0]), 0));
  assert.deepEqual(new Set(p.names), new Set(HOSTILE.map((n) => n.replace(/\0/g, '\ufffd'))));
});

/** Tree by brute force: map from path of "name group" to {total, self, kinds}. */
function fold(stacks, order) {
  const out = new Map();
  for (const { frames, weight } of stacks) {
    let path = '';
    order(frames).forEach((f, i) => {
      path += `\n${f.name} ${kindGroup(f.kind)}`;
      const n = out.get(path) ?? { total: 0, self: 0, kinds: {} };
      n.total += weight;
      n.kinds[f.kind] = (n.kinds[f.kind] ?? 0) + weight;
      if (i === frames.length - 1) n.self += weight;
      out.set(path, n);
    });
  }
  return out;
}

/** Every node of a view by path. */
function unfold(view) {
  const out = new Map();
  const walk = [[0, '']];
  while (walk.length) {
    const [node, path] = walk.pop();
    if (node) out.set(path, node);
    let at = view.start[node];
    for (let c = view.first(node); c >= 0; c = view.next(c)) {
      assert.equal(view.start[c], at, 'children stand side by side');
      assert.equal(view.depth[c], view.depth[node] + 1);
      assert.ok(view.height[c] <= view.height[node]);
      at += view.total[c];
      walk.push([c, `${path}\n${view.profile.names[view.name[c]]} ${kindGroup(view.kind[c])}`]);
    }
    assert.ok(at <= view.start[node] + view.total[node]);
  }
  return out;
}

test('views: top-down is the fold of the stacks, with kinds', async () => {
  const { profile, stacks } = await makeProfile({ stacks: 1500, hostile: true });
  const want = fold(stacks, (f) => f);
  const view = new TopDown(profile);
  const have = unfold(view);
  assert.equal(have.size, want.size);
  for (const [path, n] of want) {
    const node = have.get(path);
    assert.ok(node, path);
    assert.equal(view.total[node], n.total);
    assert.equal(view.self(node), n.self);
    const split = view.split(node);
    if (split) [1, 6, 2, 0].forEach((kind, slot) => assert.equal(split.weights[slot], n.kinds[kind] ?? 0));
    const top = Math.max(...Object.values(n.kinds));
    assert.equal(n.kinds[view.kind[node]], top, 'the colour is the weightiest kind');
  }
});

test('views: leaf-up is the fold of the stacks turned round', async () => {
  const { profile, stacks } = await makeProfile({ stacks: 1500, hostile: true, depth: 30 });
  const want = fold(stacks, (f) => f.slice().reverse());
  const view = new LeafUp(profile);
  const have = unfold(view);
  assert.equal(have.size, want.size);
  for (const [path, n] of want) assert.equal(view.total[have.get(path)], n.total, path);
  for (let c = view.first(0); c >= 0; c = view.next(c)) {
    const n = want.get(`\n${profile.names[view.name[c]]} ${kindGroup(view.kind[c])}`);
    const split = view.split(c);
    if (split) [1, 6, 2, 0].forEach((kind, slot) => assert.ok(Math.abs(split.weights[slot] - (n.kinds[kind] ?? 0)) < 1, 'leaf kinds are exact'));
    const next = view.next(c);
    if (next >= 0) assert.ok(view.total[next] <= view.total[c], 'the heaviest first');
  }
});

test('views: lines carry the weight of the samples on them', async () => {
  const { profile, stacks } = await makeProfile({ stacks: 800 });
  const want = new Map();
  for (const { frames, weight } of stacks) {
    const leaf = frames[frames.length - 1];
    const key = `${leaf.name}:${leaf.line}`;
    if (leaf.line) want.set(key, (want.get(key) ?? 0) + weight);
  }
  const view = new LeafUp(profile);
  const have = new Map();
  for (let c = view.first(0); c >= 0; c = view.next(c)) for (const l of view.lines(c)) have.set(`${profile.names[view.name[c]]}:${l.line}`, l.weight);
  assert.deepEqual(new Map([...have].sort()), new Map([...want].sort()));
});

test('search: the matched weight is that of the stacks that hold a hit, each once', async () => {
  const { profile, stacks } = await makeProfile({ stacks: 1500, hostile: true });
  for (const pattern of ['Service', 'run$', '^java', 'get|put', 'script', 'nothing-like-this', '.']) {
    const s = new Search(profile, compileSearch(pattern), 0);
    const re = compileSearch(pattern).test;
    const want = stacks.filter((st) => st.frames.some((f) => re.test(f.name))).reduce((sum, st) => sum + st.weight, 0);
    assert.equal(s.weight, want, pattern);
    assert.equal(s.weightWithin(0), want);
    assert.equal(s.inSubtree(0), want > 0);
  }
});

test('collapsed: reading back what was written gives the same tree', async () => {
  const { profile } = await makeProfile({ stacks: 500, lines: false });
  const again = join(dir, 'again.collapsed');
  execFileSync(WICK, ['flame', join(dir, 'p.collapsed'), '-o', again]);
  const p = profileOf(execFileSync(WICK, ['flame', again, '-u', 'ns'], { maxBuffer: 1 << 28 }).toString());
  assert.equal(p.count, profile.count);
  assert.deepEqual(p.total, profile.total);
  assert.deepEqual(p.selfByKind(), profile.selfByKind());
});

test('command: what it cannot do is a sentence and an exit status', () => {
  const fails = (args, status, text, input = '') => {
    try {
      execFileSync(WICK, ['flame', ...args], { input, stdio: 'pipe' });
    } catch (e) {
      assert.equal(e.status, status);
      assert.match(e.stderr.toString(), text);
      return;
    }
    assert.fail(`${args} did not fail`);
  };
  fails(['/no/such/file'], 4, /cannot open \/no\/such\/file: No such file/);
  fails(['-', '-o', 'x.pdf'], 2, /cannot infer the format of 'x\.pdf'/);
  fails(['-'], 3, /line 2: not a collapsed stack/, 'a;b 1\nnot a stack\n');
  fails(['-'], 3, /line 1: not a collapsed stack/, 'a;b -1\n');
  fails(['-'], 3, /no stacks/, '\n');
  fails(['-', '-o', '/dev/full'.concat('/x.html')], 4, /cannot create/, 'a 1\n');
  fails(['--minwidth', 'x', '-'], 2, /percentage/);
  fails([], 2, /no input/);
});

test('command: a sum that is too large is drawn as large as can be, with a warning', () => {
  const r = spawnSync(WICK, ['flame', '-'], { input: 'a 18446744073709551615\nb 1\n' });
  assert.equal(r.status, 0);
  assert.match(r.stderr.toString(), /too large/);
});

test('one cell far above the others does not set the scale of colours of a heatmap', () => {
  const weight = Array.from({ length: 500 }, () => 20e6);
  weight[250] = 434e6;
  const slices = { weight, count: weight.length, first: 0, sliceNs: 20e6 };
  const layout = new Layout(slices, scalesFor(slices)[0]);
  assert.equal(layout.max, 20e6);
  assert.equal(layout.peak, 434e6);
  const few = { weight: [5, 0, 7], count: 3, first: 0, sliceNs: 20e6 };
  assert.equal(new Layout(few, scalesFor(few)[0]).max, 7);
});
