// SPDX-License-Identifier: Apache-2.0
// Synthetic profiles that look like those of a JVM service: mixed stacks of kernel, native, VM and Java frames in all kinds, with
// line numbers, recursion, and hostile names on request. Deterministic: the same seed gives the same file.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export function randomFrom(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const PACKAGES = ['java/util', 'java/util/concurrent', 'java/io', 'java/nio/channels', 'java/net', 'sun/nio/ch', 'jdk/internal/net/http',
  'com/acme/shop/cart', 'com/acme/shop/pricing', 'com/acme/shop/inventory/search', 'io/netty/channel', 'io/netty/handler/codec/http',
  'org/springframework/web/servlet', 'org/springframework/aop/framework', 'org/hibernate/engine/internal',
  'com/fasterxml/jackson/databind/deser', 'org/apache/lucene/search', 'ch/qos/logback/classic'];
const NOUNS = ['Request', 'Session', 'Order', 'Price', 'Stock', 'Query', 'Buffer', 'Channel', 'Event', 'Handler', 'Filter', 'Index', 'Cache',
  'Entity', 'Proxy', 'Token', 'Stream', 'Codec', 'Bean', 'Node', 'Tree', 'Map', 'Task', 'Worker', 'Pool'];
const SUFFIXES = ['Impl', 'Factory', 'Service', 'Context', 'Support', 'Adapter', 'Chain', 'Dispatcher', '', 'Builder', '$Node', '$$Lambda.0x00007f1c0'];
const VERBS = ['get', 'put', 'handle', 'invoke', 'process', 'doFilter', 'read', 'write', 'resolve', 'lookup', 'merge', 'apply', 'accept', 'run',
  'execute', 'encode', 'decode', 'flush', 'scan', 'compareTo', 'hashCode', 'serialize', 'load', 'commit'];
const CPP = ['G1ParScanThreadState::trim_queue_to_threshold(unsigned int)', 'G1ParEvacuateFollowersClosure::do_void()', 'PhaseChaitin::Register_Allocate()',
  'PhaseIdealLoop::build_and_optimize()', 'Compile::Optimize()', 'C2Compiler::compile_method(ciEnv*, ciMethod*, int, bool, DirectiveSet*)',
  'CompileBroker::invoke_compiler_on_method(CompileTask*)', 'IndexSet::IndexSet(IndexSet*)', 'JavaThread::run()', 'ObjectMonitor::enter(JavaThread*)',
  'WorkerThread::run()', 'SymbolTable::lookup_only(char const*, int, unsigned int&)', 'std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int&&)'];
const NATIVE = ['start_thread', '__GI___libc_read', '__GI___libc_write', 'inflate_fast', 'deflate_slow', 'crc32_z', '__memmove_avx_unaligned_erms', 'epoll_wait',
  'pthread_cond_wait', 'Java_java_util_zip_Deflater_deflateBytesBytes', 'Java_sun_nio_ch_SocketDispatcher_read0'];
const KERNEL = ['entry_SYSCALL_64_after_hwframe', 'do_syscall_64', '__x64_sys_write', 'ksys_write', 'vfs_write', 'sock_write_iter', 'tcp_sendmsg',
  'tcp_write_xmit', '__tcp_transmit_skb', 'ip_queue_xmit', '__x64_sys_futex', 'futex_wait_queue', 'schedule', 'finish_task_switch.isra.0', 'copy_user_enhanced_fast_string'];
const STUBS = ['call_stub', 'Interpreter', 'jbyte_disjoint_arraycopy', 'vtable stub', 'I2C/C2I adapters', 'SafepointBlob'];

/** Collapsed text has no escapes for its own separators. */
const cleanForCollapsed = (name) => name.replace(/[;\n\r]/g, ' ');

export const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(2)>',
  '"><svg onload=alert(3)>',
  "';alert(4)//",
  '\u202egnp.exe\u2066spoof',
  'tab\tbell\u0007nul\u0000esc\u001b[31m',
  ']]><script>alert(5)</script>',
  '<!--<script>',
  '&lt;b&gt;&amp;',
  '\ud83d\udd25 emoji \u4e2d\u6587 na\u0301me',
].map(cleanForCollapsed);

/** A call site: what it calls is decided once, when it is first walked, so heavy paths stay heavy like those of a program. */
class Site {
  constructor(name, kind, depth, rnd, o) {
    this.name = name;
    this.kind = kind;
    this.children = [];
    const r = rnd();
    this.fan = r < 0.5 ? 1 : r < 0.78 ? 2 : r < 0.93 ? 3 : o.fan; // most methods call one thing that matters
    this.stop = depth > 5 && rnd() < 0.16 ? rnd() * 0.5 + depth / o.depth / 2 : 0; // some are where the time goes
    this.line = 20 + Math.floor(rnd() * 400);
  }
}

function pick(rnd, list) {
  return list[Math.floor(rnd() * list.length)];
}

function javaName(rnd, variety) {
  const n = Math.floor(rnd() ** 1.7 * variety);
  const cls = `${NOUNS[n % NOUNS.length]}${NOUNS[(n * 7 + 3) % NOUNS.length]}${SUFFIXES[(n >> 3) % SUFFIXES.length]}`;
  return `${PACKAGES[n % PACKAGES.length]}/${cls}.${pick(rnd, VERBS)}`;
}

function newChild(rnd, site, depth, o) {
  const java = site.kind === 'j';
  const r = rnd();
  const make = (name, kind) => new Site(name, kind, depth, rnd, o);
  if (site.kind === 'k') return make(KERNEL[Math.min(KERNEL.length - 1, KERNEL.indexOf(site.name) + 1 + Math.floor(rnd() * 2))], 'k');
  if (site.kind === 'n' || site.kind === 'p') {
    if (r < 0.12 && depth > 6) return make(KERNEL[0], 'k');
    return r < 0.85 ? make(pick(rnd, CPP), 'p') : make(pick(rnd, NATIVE), 'n');
  }
  if (java && depth > 10 && r < 0.04) return make(pick(rnd, NATIVE), 'n');
  if (java && r < 0.06) return make(pick(rnd, STUBS), 's');
  if (site.kind === 's' && r < 0.08) return make('break_not_walkable', 'b');
  if (site.kind === 'j' && r > 0.96 && depth > 6) return make(site.name, 'j'); // recursion
  return make(javaName(rnd, o.variety), 'j');
}

/** Frames of one stack, root first, as collapsed text. Kinds change from sample to sample, as methods get compiled. */
function walk(rnd, roots, o) {
  let site = roots[Math.floor(rnd() ** 1.8 * roots.length)];
  const out = [];
  for (let d = 0; d < o.depth; d++) {
    let letter = site.kind;
    if (letter === 'j') {
      const hot = site.line % 10 < 7 ? 'j' : '1';
      const r = rnd();
      letter = site.line % 3 === 0 && r < 0.9 ? 'i' : r < 0.9 ? hot : r < 0.96 ? '1' : '0';
    }
    const line = site.kind === 'j' && o.lines ? `:${site.line + (rnd() < 0.7 ? 0 : Math.floor(rnd() * 3))}` : '';
    out.push(`${site.name}${line}_[${letter}]`);
    if (site.kind === 'b' || rnd() < site.stop || (site.kind === 'k' && site.name === KERNEL[KERNEL.length - 1])) break;
    const at = Math.floor(rnd() ** 2.2 * site.fan);
    while (site.children.length <= at) site.children.push(newChild(rnd, site, d + 1, o));
    site = site.children[at];
  }
  return out;
}

/** Writes `stacks` stacks; a weight is a multiple of 10 ms. options: seed, stacks, depth, fan, variety, lines, hostile. */
export async function writeProfile(path, options = {}) {
  const o = { seed: 1, stacks: 4000, depth: 60, fan: 6, variety: 900, lines: true, hostile: false, ...options };
  const rnd = randomFrom(o.seed);
  const threads = ['http-worker-1', 'http-worker-2', 'http-worker-3', 'C2 CompilerThread0', 'order-pool-1', 'GC Thread#1', 'metrics', 'G1 Conc#0'];
  const roots = threads.map((name) => {
    const vm = /^(C2|G)/.test(name);
    const root = new Site(`[${name}]`, 'x', 0, rnd, o);
    root.fan = 1;
    root.children.push(vm ? new Site('start_thread', 'n', 1, rnd, o) : new Site('java/lang/Thread.run', 'j', 1, rnd, o));
    return root;
  });
  const out = createWriteStream(path);
  for (let i = 0; i < o.stacks; i++) {
    const line = `${walk(rnd, roots, o).join(';')} ${10000000 * (1 + Math.floor(rnd() ** 6 * 8))}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.write(`[http-worker-1]_[x];[not sampled: thread or recording ended]_[u] ${20000000 * Math.ceil(o.stacks / 150)}\n`);
  if (o.hostile) {
    for (const name of HOSTILE) out.write(`[hostile]_[x];${name}_[j];${name}_[n] ${10000000 * Math.ceil(o.stacks / 150)}\n`);
  }
  out.end();
  await once(out, 'finish');
}
