// SPDX-License-Identifier: Apache-2.0
// Times, spans and sizes for people; weights and shares are in flame/text.js.
import { formatCount, formatWeight } from '../flame/text.js';

/** "12:34:56" or, for short ranges, "12:34:56.789", UTC. */
export function clockOf(ns, spanNs = Infinity) {
  const text = new Date(ns / 1e6).toISOString().slice(11, 23);
  return spanNs < 10e9 ? text : text.slice(0, 8);
}

/** "2026-01-31 12:34:56 UTC" */
export function dateOf(ns) {
  return `${new Date(ns / 1e6).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** "1 h 02 min", "3 min 04 s", "12.3 s" */
export function durationOf(ns) {
  const s = ns / 1e9;
  if (s < 60) return formatWeight(ns, 'ns');
  const two = (n) => String(Math.floor(n)).padStart(2, '0');
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${formatCount(Math.floor(s / 3600))} h ${two((s % 3600) / 60)} min`;
}

/** Steps of a time axis: a round figure of the clock of which at most `most` lie in the span. */
export function timeStep(spanNs, most) {
  const steps = [1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 1.5e10, 3e10, 6e10, 1.2e11, 3e11, 6e11, 9e11, 1.8e12,
    3.6e12, 7.2e12, 2.16e13, 4.32e13];
  return steps.find((s) => spanNs / s <= most) ?? 8.64e13;
}

/** A weight of an event in its unit; what is only counted has none. */
export function weightText(weight, unit) {
  return unit === 'count' ? formatCount(weight) : formatWeight(weight, unit);
}

/** How an event type is called in tabs and titles. */
export function eventName(event) {
  const known = { cpu: 'CPU', wall: 'Wall clock', alloc: 'Allocation', live: 'Live objects', lock: 'Locks', nativemem: 'Native memory', ttsp: 'Safepoints', 'jdk.ThreadPark': 'Park', 'jdk.JavaMonitorWait': 'Object.wait' };
  return known[event.kind] ?? known[event.name] ?? event.name;
}
