// SPDX-License-Identifier: Apache-2.0
// What can be done to a recording while it is made: a moment is marked, other events are recorded from now on, it is stopped.
import { ApiError, of, post } from './api.js';
import { button, errorBox, h } from './dom.js';
import { clockOf } from './format.js';
import { Segment } from './segment.js';

/** What can be recorded: [as `wick record -e` has it, what it is called, whether it is unless something else is chosen]. */
export const EVENTS = [['cpu', 'CPU time', true], ['wall', 'Wall clock', true], ['alloc', 'Allocation', false], ['lock', 'Locks', false], ['live', 'Live objects', false], ['ttsp', 'Slow safepoints', false]];
const INTERVALS = [['', 'unchanged'], ['1ms', '1 ms'], ['5ms', '5 ms'], ['10ms', '10 ms'], ['50ms', '50 ms'], ['100ms', '100 ms']];
const MOST_BYTES = 255;
const MOST_NAME = 96;
const SHOWN = 20;
export const chosenOf = new Map(); // by recording: what was chosen last, as long as the page is open; some have no sample yet

/** Events in an order of their own: that of their weights changes while a recording grows. */
export function inOrder(events) {
  const rank = (e) => EVENTS.findIndex(([key]) => key === e.kind) + 1 || EVENTS.length + 1;
  return events.slice().sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/** Boxes to choose events from. */
export function eventBoxes(legend, isOn, onChange) {
  return h('fieldset.events', h('legend', legend), ...EVENTS.map(([key, text]) =>
    h('label', h('input', { type: 'checkbox', value: key, checked: isOn(key), onchange: (e) => onChange(key, e.target.checked) }), text)));
}

/** A dialog with a form; `send` is called when it is confirmed, and what it throws is shown in it. */
function askFor(title, text, fields, confirm, send) {
  const said = h('div', { role: 'alert' });
  const go = h('button.primary', confirm);
  const form = h('form', h('h2', { id: 'ask-title' }, title), h('p.quiet', text), ...fields, said,
    h('div.dialog-foot', button('Cancel', () => dialog.close()), go));
  const dialog = h('dialog.ask', { 'aria-labelledby': 'ask-title' }, form);
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    go.disabled = true;
    try {
      await send();
      dialog.close();
    } catch (error) {
      said.replaceChildren(errorBox(error, 'That did not work'));
      go.disabled = false;
    }
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function askForMark(recording, hooks) {
  const text = h('input', { type: 'text', name: 'text', maxlength: MOST_BYTES, required: true, autocomplete: 'off', 'aria-label': 'What happens now' });
  askFor('Mark this moment', 'It becomes a line in the pictures over time. What was before and after it can be chosen there.', [text], 'Mark', async () => {
    hooks.onChanged(await post(of(recording.id, 'mark'), { text: text.value.trim() }), 'The moment is marked');
  });
}

function askForChange(recording, hooks) {
  const kinds = recording.events.map((e) => e.kind);
  const chosen = new Set(chosenOf.get(recording.id) ?? EVENTS.map((e) => e[0]).filter((key) => kinds.includes(key)));
  let touched = false; // otherwise the events stay as they are, also those that have no box or no sample yet
  const boxes = eventBoxes('Record', (key) => chosen.has(key), (key, on) => {
    touched = true;
    if (on) chosen.add(key);
    else chosen.delete(key);
  });
  const interval = h('select', { 'aria-label': 'Interval' }, ...INTERVALS.map(([value, text]) => h('option', { value }, text)));
  askFor('Record something else', 'The recording goes on in the same file. What it has stays; between the two some hundredths of a second are not sampled, and live objects are followed anew.',
    [boxes, h('label.field', 'Interval ', interval)], 'Change', async () => {
      const events = EVENTS.map((e) => e[0]).filter((key) => chosen.has(key));
      if (touched && !events.length) throw new ApiError('No event is chosen.', 'Choose at least one, or stop the recording.', 0);
      hooks.onChanged(await post(of(recording.id, 'change'), { ...(touched ? { events } : {}), ...(interval.value ? { interval: interval.value } : {}) }), 'Recorded this way from now on');
      if (touched) chosenOf.set(recording.id, events);
    });
}

function askForName(recording, hooks) {
  const name = h('input', { type: 'text', name: 'name', maxlength: MOST_NAME, required: true, autocomplete: 'off', spellcheck: 'false', value: recording.name.replace(/\.jfr$/, ''), 'aria-label': 'Name of the recording' });
  askFor('Rename the recording', 'Its file stays in its folder. Addresses that were copied before lead to it no longer.', [h('label.field.name', name, '.jfr')], 'Rename', async () => {
    hooks.onRenamed(recording.id, await post(of(recording.id, 'rename'), { name: name.value.trim() }));
  });
  name.select();
}

/** The buttons beside the title. @param hooks {onChanged(recording, what), onRenamed(id, recording), onStop(recording)} */
export function liveTools(recording, hooks) {
  if (recording?.here && !recording.live) return [button('Rename \u2026', () => askForName(hooks.now(recording), hooks), { title: 'Give its file another name' })];
  if (!recording?.live) return [];
  const dot = h('span.badge.live', h('i.dot', { 'aria-hidden': 'true' }), 'recording');
  if (!recording.here) return [dot];
  const stop = button('Stop', () => {
    stop.disabled = true;
    stop.textContent = 'Stopping \u2026';
    hooks.onStop(recording);
  }, { title: 'End the recording; its file is kept' });
  return [dot, button('Mark \u2026', () => askForMark(hooks.now(recording), hooks), { title: 'Note what happens now' }),
    button('Change \u2026', () => askForChange(hooks.now(recording), hooks), { title: 'Record other events from now on' }), stop];
}

/** The marks of a recording; each chooses the time from it to the next one. */
export class Marks {
  /** @param onRange (from, to) */
  constructor(onRange) {
    this.onRange = onRange;
    this.row = new Segment('div.segment.small.marks', 'Marks', (at) => this.choose(at));
    this.root = this.row.root;
  }

  rangeOf(at) {
    const { marks, end_ns: end } = this.recording;
    return [marks[at].time_ns, marks[at + 1]?.time_ns ?? end];
  }

  choose(at) {
    const [from, to] = this.rangeOf(at);
    if (from === this.state.from) this.onRange(0, 0);
    else if (to > from) this.onRange(from, to);
  }

  update(recording, state) {
    this.recording = recording;
    this.state = state;
    const { marks } = recording;
    this.root.hidden = !marks.length;
    this.row.update(marks.slice(-SHOWN).map((m, i) => [i + Math.max(0, marks.length - SHOWN), `${clockOf(m.time_ns)} ${m.text}`, 'Choose the time from this mark to the next one']),
      (at) => state.to > state.from && marks[at].time_ns === state.from);
  }
}
