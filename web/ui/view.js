// SPDX-License-Identifier: Apache-2.0
// What the pages of a recording have in common: asking the server once for each question, and showing the answer in place.
//
// A view has `root`, update(context) and release(). The context is {state, recording, theme, navigate, generation}; generation grows
// when a live recording has grown, or more of a large one has been read, so an answer is asked for again although the address is the same.
import { get, of } from './api.js';
import { calm } from './calm.js';
import { button, emptyBox, errorBox, exchange, h } from './dom.js';
import { formatWeight } from '../flame/text.js';
import { chipsOf, emptyState, filtersOf } from './state.js';

const SAY_AFTER_MS = 250;
// After an answer of a part.
const MORE_MS = 300;
// Read further with each question, or of two recordings.
const BY_STEPS = ['explain', 'endpoints', 'latency', 'traces', 'locks', 'safepoints', 'disturbances', 'live/series', 'diff', 'diff/table'];

/** Whether an error is of the way to the server, which comes back, and not its answer to the question. */
function isAway(e) {
  return e.status === 0 || e.status === 401;
}

/** Those that are on the page. */
export const slots = new Set();

/** One place of a page that shows the answer to a query; `owner` is the element that it is seen in, where that is not its root. */
export class Slot {
  /** @param show (answer, context) draws into `root` or into elements it keeps; else draw() does */
  constructor(className, show) {
    this.root = h(className);
    this.owner = this.root;
    this.show = show ?? ((answer, context) => this.draw(answer, context));
    this.key = '';
    this.shown = false;
    this.abort = null;
    slots.add(this);
  }

  release() {
    slots.delete(this);
    this.stop();
  }

  stop() {
    this.abort?.abort();
    clearTimeout(this.timer);
  }

  /** The next question is a new one, and there is no answer until then. */
  forget() {
    this.stop();
    this.key = '';
    this.answer = null;
  }

  /** Whether the page shows the answer. */
  get isSeen() {
    return this.answer && this.owner.isConnected && !this.owner.closest('[hidden]');
  }

  /** Asks if the question is a new one; leaves what is shown until there is an answer. */
  async ask(context, what, query) {
    const question = `${context.recording.id}/${what}?${new URLSearchParams(query)}`;
    const key = `${question}#${context.generation}`;
    this.context = context;
    this.what = what;
    if (key === this.key) {
      if (this.answer) this.put(this.answer);
      return;
    }
    // Live: the answer under way is shown first.
    if (this.busy && this.sameButOlder(key)) return;
    this.key = key;
    this.abort?.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.wait(context);
    try {
      this.busy = true;
      const part = BY_STEPS.includes(what) || context.recording.partial || context.part ? [['partial', '1']] : [];
      const answer = await get(of(context.recording.id, what), [...query, ...part], signal);
      await calm();
      if (signal.aborted) return;
      this.answer = answer;
      this.asked = question;
      this.done();
      this.put(answer);
      if (answer.partial) this.timer = setTimeout(() => this.goOn(what, query), MORE_MS);
      // It has grown.
      if (this.context.generation !== context.generation) this.ask(this.context, what, query);
    } catch (e) {
      if (signal.aborted) return;
      await calm();
      if (isAway(e) && this.shown && this.asked === question) {
        this.busy = false;
        // What is shown stays, and is asked for again.
        this.key = '';
        return;
      }
      this.done();
      this.answer = null;
      this.fail(e);
    }
  }

  /** Shows an answer, and that it is of a part where it is. */
  put(answer) {
    this.partNote?.remove();
    this.show(answer, this.context);
    this.sayPart(answer);
  }

  sayPart(answer) {
    if (!answer.partial) return;
    this.partNote ??= h('p.quiet.part-note', 'Of the part that has been read so far.');
    this.root.prepend(this.partNote);
  }

  /** Asks again for what is there by now. */
  goOn(what, query) {
    this.key = '';
    this.ask(this.context, what, query);
  }

  sameButOlder(key) {
    const question = (k) => k.slice(0, k.lastIndexOf('#'));
    return question(key) === question(this.key);
  }

  wait(context) {
    clearTimeout(this.timer);
    if (this.shown) return;
    this.timer = setTimeout(() => {
      this.root.replaceChildren(h('p.quiet.reading', `Reading ${context.recording.name}, ${formatWeight(context.recording.size_bytes, 'bytes')} \u2026`));
    }, SAY_AFTER_MS);
  }

  /** Shows these, unless they are there: the last of them is. */
  keep(...parts) {
    if (parts[parts.length - 1].parentNode !== this.root) this.root.replaceChildren(...parts);
  }

  done() {
    clearTimeout(this.timer);
    this.busy = false;
    if (!this.shown) this.root.replaceChildren();
    this.shown = true;
  }

  fail(e) {
    this.shown = false;
    const nothing = e.status === 404 && /none of the samples|no samples/i.test(e.why);
    exchange(this.root, nothing ? this.nothingFits(e) : errorBox(e));
  }

  nothingFits() {
    const { recording, state } = this.context;
    if (recording.partial) return emptyBox('No samples yet', 'What has been read so far has none of this event that lie in the chosen time and pass the filters. The rest is being read.');
    if (recording.live && !chipsOf(state).length && !state.to) return emptyBox('No samples yet', 'The first ones are on their way: a recording is read once a second.');
    if (!chipsOf(state).length && !state.to) return emptyBox('No samples', 'The recording has none to show here: choose another event above.');
    return emptyBox('No samples fit', 'Nothing of this event lies in the chosen time and passes the filters.',
      button('Remove all filters', () => this.context.navigate({ from: 0, to: 0, ...filtersOf(emptyState()) })));
  }
}

/** Whether an error says that a recording has nothing to answer with. */
export function isMissing(e) {
  return [404, 409, 422].includes(e.status);
}

/** The event types of a recording that are of one of these kinds. */
export function eventsOf(recording, kinds) {
  return recording.events.filter((e) => kinds.includes(e.kind) || kinds.includes(e.name));
}
