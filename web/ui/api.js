// SPDX-License-Identifier: Apache-2.0
// The server's API (docs/ui-api.json). The cookie that the first page set is the key to it.

/** What the server says, as a sentence. */
export function sentenceOf(text) {
  if (!text) return '';
  const end = /[.?!:]$/.test(text) ? '' : '.';
  return (/^(wick\b|\W)/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)) + end;
}

export class ApiError extends Error {
  constructor(why, whatToDo, status) {
    super(why);
    this.why = sentenceOf(why);
    // That is for scripts.
    this.whatToDo = /^\/api\//.test(whatToDo ?? '') ? '' : sentenceOf(whatToDo);
    this.status = status;
  }
}

const LOST = () => new ApiError('There is no connection to wick.', 'Is `wick ui` still running? What it recorded is in its files.', 0);

const AGAIN_MS = 1500;
// Questions; a connection that is lost without a word never ends them.
const underWay = new Set();

/** Has all questions that are under way fail as lost. */
export function giveUp() {
  for (const stop of underWay) stop.abort();
}

async function ask(path, signal) {
  const stop = new AbortController();
  const pass = () => stop.abort();
  if (signal?.aborted) pass();
  signal?.addEventListener('abort', pass);
  underWay.add(stop);
  try {
    return await request(path, { signal: stop.signal });
  } catch (e) {
    if (e.name !== 'AbortError' || signal?.aborted) throw e;
    throw LOST();
  } finally {
    underWay.delete(stop);
    signal?.removeEventListener('abort', pass);
  }
}

async function request(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: 'same-origin', ...options });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw LOST();
  }
  let body = null;
  try {
    body = await answer.json();
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw answer.ok ? LOST() : new ApiError(`The server answered with status ${answer.status}.`, '', answer.status);
  }
  if (!answer.ok) throw new ApiError(body.why ?? `The server answered with status ${answer.status}.`, body.what_to_do ?? '', answer.status);
  return body;
}

/** Asks again as long as the server has others to read first. @param {[string, string][]} query */
export async function get(path, query = [], signal = undefined) {
  const q = new URLSearchParams(query).toString();
  for (;;) {
    try {
      return await ask(`/api/v1/${path}${q ? `?${q}` : ''}`, signal);
    } catch (e) {
      if (e.status !== 429 || !/being read already/.test(e.why)) throw e;
      await new Promise((go) => setTimeout(go, AGAIN_MS));
    }
  }
}

export function post(path, body) {
  return request(`/api/v1/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** The address of a query below a recording. */
export function of(recording, what) {
  return `recordings/${encodeURIComponent(recording)}/${what}`;
}
