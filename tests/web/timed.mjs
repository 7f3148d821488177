// SPDX-License-Identifier: Apache-2.0
// A minute of a service as `perf script` prints it: steady work, a burst in each fifth second, a slow request for some seconds,
// and a method that appears halfway. Deterministic; the samples are returned as the truth.
import { writeFileSync } from 'node:fs';
import { randomFrom } from './profile.mjs';

const STACKS = {
  steady: ['java.lang.Thread.run', 'shop.Server.loop', 'shop.Cart.total', 'java.util.HashMap.get'],
  parse: ['java.lang.Thread.run', 'shop.Server.loop', 'shop.Json.parse'],
  burst: ['start_thread', 'GCTaskThread::run()', 'G1ParScanThreadState::trim_queue()'],
  slow: ['java.lang.Thread.run', 'shop.Server.loop', 'shop.Report.render', 'java.util.regex.Pattern.match'],
  fresh: ['java.lang.Thread.run', 'shop.Server.loop', 'shop.Cart.discount'],
};

/** @returns {{ms: number, stack: string[], weight: number}[]} times since the start of the first second */
export function writeTimed(path, { seconds = 60, startS = 5000 } = {}) {
  const rnd = randomFrom(7);
  const samples = [];
  const add = (ms, kind) => samples.push({ ms, stack: STACKS[kind], weight: 1000000 });
  for (let ms = 0; ms < seconds * 1000; ms++) {
    const s = Math.floor(ms / 1000);
    const inSecond = ms % 1000;
    if (rnd() < 0.22 + 0.12 * Math.sin(ms / 2300)) add(ms, rnd() < 0.7 ? 'steady' : 'parse');
    if (s % 5 === 2 && inSecond > 300 && inSecond < 520) for (let k = 0; k < 2; k++) if (rnd() < 0.9) add(ms, 'burst');
    if (s >= 20 && s < 24 && rnd() < 0.95) add(ms, 'slow');
    if (s >= 40 && rnd() < 0.12) add(ms, 'fresh');
  }
  const lines = samples.map((x) => {
    const at = `${startS + Math.floor(x.ms / 1000)}.${String(x.ms % 1000).padStart(3, '0')}000`;
    const frames = [...x.stack].reverse().map((f) => `\t    7f0000001000 ${f} (${f.includes('.') ? '/tmp/perf-77.map' : 'libjvm.so'})`);
    return `worker 77/78 [000] ${at}:    ${x.weight} cpu-clock:u: \n${frames.join('\n')}\n`;
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
  return samples;
}
