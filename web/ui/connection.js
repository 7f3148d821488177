// SPDX-License-Identifier: Apache-2.0
// The stream of news from the server, and what is said while there is none.
//
// A stream that breaks, or that has been silent for longer than the server ever is, is opened again until the server answers. The
// server is asked for its list between two attempts, because a stream does not say why it was refused: it may have been started anew, with
// another token, or have too many streams. Whatever is shown and chosen stays.
import { get } from './api.js';
import { h, say } from './dom.js';

const RETRY_MS = 2000;
const SILENT_MS = 30000; // the server says something every ten seconds at least
const ANSWER_MS = 15000;

const TEXTS = {
  lost: ['There is no connection to wick', 'What is shown is what it had, and what was recorded is in its files. This page goes on by itself as soon as wick ui answers again. If it has been ended, start it again and enter the address that it prints:'],
  token: ['wick ui was started again', 'It has another token now. Enter the address that it prints, and this page goes on where it is:'],
  many: ['This page is not refreshed', 'As many pages are open as wick ui keeps up to date. Close another one: this one goes on by itself then.'],
  missing: ['wick ui does not have this recording any more', 'What is shown is what it had. Its file has been removed, or wick ui was started with other files: end it and start it with this one to go on.'],
};

/** The address that `wick ui` prints, as one to go to with what is chosen now; '' if it is none. */
export function addressWith(text, hash) {
  let url;
  try {
    url = new URL(text.trim());
  } catch {
    return '';
  }
  const token = url.searchParams.get('token') ?? '';
  const here = url.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname);
  return here && /^[0-9a-f]{32}$/.test(token) ? `${url.origin}/?token=${token}${hash}` : '';
}

export class Connection {
  /** @param hooks {onRecording(recording), onBack(): the server answers again} */
  constructor(box, hooks) {
    this.box = box;
    this.hooks = hooks;
    this.state = '';
    this.open();
    document.addEventListener('visibilitychange', () => (document.hidden ? this.rest() : this.wake()));
  }

  /** A browser has six connections to a server: pages that nobody sees leave them to the others. */
  rest() {
    if (this.state !== '') return;
    clearTimeout(this.timer);
    this.source.close();
    this.resting = true;
  }

  wake() {
    if (!this.resting) return;
    this.resting = false;
    this.open();
    this.hooks.onBack();
  }

  open() {
    this.source = new EventSource('/api/v1/events');
    this.source.addEventListener('recording', (e) => {
      this.heard();
      try {
        this.hooks.onRecording(JSON.parse(e.data));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error; // half a line: the next one is a second away
      }
    });
    this.source.addEventListener('alive', () => this.heard());
    this.source.addEventListener('open', () => this.heard());
    this.source.addEventListener('error', () => this.broken());
    this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.broken(), SILENT_MS);
  }

  heard() {
    this.wait();
    const back = this.state !== '' && this.state !== 'missing';
    if (this.state === '') document.documentElement.dataset.connected = 'true';
    if (!back) return;
    this.show('');
    say('Connected to wick again');
    this.hooks.onBack();
  }

  async broken() {
    clearTimeout(this.timer);
    this.source.close();
    if (!['token', 'many'].includes(this.state)) this.show('lost');
    let why = 'many';
    try {
      await get('recordings', [], AbortSignal.timeout(ANSWER_MS));
    } catch (e) {
      why = e.status === 401 || e.status === 403 ? 'token' : 'lost';
    }
    // A stream that only broke is opened again before anything is said of it.
    if (why !== 'many' || this.before === 'many') this.show(why);
    this.before = why;
    this.timer = setTimeout(() => this.open(), why === 'many' && this.state !== 'many' ? 0 : RETRY_MS);
  }

  /** The recording of the page is not among those that the server has now. */
  missing(is) {
    if (is && this.state === '') this.show('missing');
    else if (!is && this.state === 'missing') this.show('');
  }

  show(state) {
    if (state === this.state) return;
    this.state = state;
    document.documentElement.dataset.connected = String(state === '');
    this.box.hidden = state === '';
    if (state === '') {
      this.box.replaceChildren();
      return;
    }
    const [title, text] = TEXTS[state];
    const typed = this.box.querySelector('input')?.value ?? '';
    const focus = this.box.contains(document.activeElement);
    this.box.replaceChildren(h('p', h('b', `${title}.`), ` ${text}`), ...(['lost', 'token'].includes(state) ? [this.form(typed)] : []));
    if (focus) this.box.querySelector('input')?.focus();
    say(`${title}. ${text}`);
  }

  form(typed) {
    const said = h('span.quiet', { role: 'alert' });
    const input = h('input', { type: 'text', value: typed, 'aria-label': 'Address that wick ui prints', placeholder: 'http://127.0.0.1:41235/?token=\u2026', autocomplete: 'off', spellcheck: 'false' });
    return h('form', { onsubmit: (e) => {
      e.preventDefault();
      const to = addressWith(input.value, location.hash);
      if (to) location.assign(to);
      else said.textContent = 'That is not an address of wick ui: it has a token, as in the example.';
    } }, input, h('button.plain', 'Open'), said);
  }
}
