// SPDX-License-Identifier: Apache-2.0
// No update of a page while a button of the mouse is down: a click goes to the element in which the button was both pressed and
// released, and is lost if that one has been exchanged.
let down = false;
let waiting = [];

function release() {
  if (!down) return;
  setTimeout(() => { // the click comes first
    down = false;
    const those = waiting;
    waiting = [];
    for (const go of those) go();
  });
}

/** Called once, with the window. */
export function watchPointer(target) {
  target.addEventListener('pointerdown', (e) => {
    if (e.button === 0) down = true;
  }, true);
  target.addEventListener('pointermove', (e) => e.buttons === 0 && release(), true); // released where no event came from
  target.addEventListener('keydown', release, true);
  for (const type of ['pointerup', 'pointercancel', 'contextmenu', 'dragend', 'blur']) target.addEventListener(type, release, true);
}

/** Resolves when a page may be changed. */
export function calm() {
  return down ? new Promise((go) => waiting.push(go)) : Promise.resolve();
}
