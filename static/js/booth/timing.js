/*
 * How long a screen took, in the hidden field `timing`: JSON of at most 2 KB that goes out with
 * drafts and with the screen. Coming back to a screen goes on from what is there: it adds, it never
 * doubles. Seconds are rounded to tenths.
 *
 *   {"v": 1,
 *    "opened": 2,          times the screen was opened: first visit, reload, return
 *    "wall": 41.3,         seconds it was open
 *    "visible": 38.0,      of these, seconds it was the visible page
 *    "active": 30.5,       of these, seconds with a hand on it within the last 30 s, or a clip playing
 *    "first": 2.4,         seconds until the first act on the screen; absent before it
 *    "media": 0.8,         seconds until all its media could be shown; absent before
 *    "clips": {"<public id>": {
 *       "length": 5.0,     seconds; absent where the browser does not know
 *       "seen": 0.97,      share of the clip played at least once
 *       "played": 9.6,     seconds of visible play, repeats included
 *       "starts": 3,       presses of Play (and turns of "play in turn")
 *       "replays": 1,      starts over after it had ended
 *       "stalls": 1,       times it waited for the line
 *       "stalled": 2.2,    seconds it waited
 *       "errors": 0,       loads that failed, the silent retry included
 *       "parts": [[0, 4.9]] what was played, at most 8 pieces, so that a reload keeps it
 *    }}}
 *
 * Where there is no script there is no timing: that is "not measured", never 0.
 */
(() => {
  "use strict";

  const TICK = 1000;
  const IDLE_AFTER = 30000; // ms without a hand on the page until time is no longer active
  const ASLEEP = 5000; // a tick that comes later: the machine slept, nobody was here

  const tenth = (n) => Math.round(n * 10) / 10;
  const clips = new Map(); // public id -> () => record of the clip, while it is on screen

  let field, record, lastTick, lastAct;

  function earlier() {
    try {
      const kept = JSON.parse(field.value || "{}");
      return kept && typeof kept === "object" && kept.v === 1 ? kept : {};
    } catch (unreadable) {
      if (unreadable instanceof SyntaxError) return {}; // measured anew
      throw unreadable;
    }
  }

  function tick() {
    if (!record) return;
    const now = performance.now();
    const passed = now - lastTick;
    lastTick = now;
    if (passed > 0 && passed < ASLEEP) {
      record.wall += passed / 1000;
      if (document.visibilityState === "visible") {
        record.visible += passed / 1000;
        const playing = booth.unit.querySelector(".stimulus.playing");
        if (playing || now - lastAct < IDLE_AFTER) record.active += passed / 1000;
      }
    }
    write();
  }

  function write() {
    for (const [id, told] of clips) record.clips[id] = told();
    const { wall, visible, active, ...rest } = record;
    field.value = JSON.stringify({ ...rest, wall: tenth(wall), visible: tenth(visible), active: tenth(active) });
  }

  function act() {
    lastAct = performance.now();
    if (record && record.first === undefined) record.first = tenth(sinceOpened());
  }

  const sinceOpened = () => record.wall + (performance.now() - lastTick) / 1000;

  function mediaReady() {
    if (record && record.media === undefined) record.media = tenth(sinceOpened());
  }

  booth.onScreen(({ same }) => {
    field = booth.form.elements.timing;
    if (!field) {
      field = Object.assign(document.createElement("input"), { type: "hidden", name: "timing" });
      booth.form.append(field);
    }
    if (!same || !record) {
      const kept = earlier();
      record = { v: 1, opened: 0, wall: 0, visible: 0, active: 0, clips: {}, ...kept };
      record.opened += 1;
      clips.clear();
      lastTick = lastAct = performance.now();
    }
    write();
  });

  setInterval(tick, TICK);
  document.addEventListener("visibilitychange", tick, true);
  document.addEventListener("submit", tick, true); // before the form is read
  for (const kind of ["pointerdown", "keydown", "input", "wheel", "touchmove"]) {
    document.addEventListener(kind, act, { passive: true, capture: true });
  }
  for (const kind of ["pointermove", "scroll"]) {
    document.addEventListener(kind, () => { lastAct = performance.now(); }, { passive: true, capture: true });
  }

  booth.timing = {
    tick,
    mediaReady,
    earlierClip: (id) => record.clips[id] ?? {},
    follow: (id, told) => clips.set(id, told),
  };
})();
