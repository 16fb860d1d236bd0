/*
 * The watching rule: questions in [data-waits] open when the asked share (data-watch-share, 0..1)
 * of each clip was played once. Jumping ahead is possible and does not count.
 *
 * It never traps anyone: a clip whose length is unknown counts as watched after 30 s of visible play,
 * one that was played for twice its length in any case; a clip that fails or waits for long offers a
 * way on; and answers that are already there (a reload, a return) are not locked again.
 */
(() => {
  "use strict";

  const UNKNOWN = 30; // s of visible play that stand for a clip of unknown length
  const EXIT_AFTER = 30; // s of waiting for the line after which the lock line offers a way on

  const { words, fill, clips } = booth;
  let rule, locks, kind, open;

  const playedFor = (clip) => clip.counts.played;

  function watched(clip) {
    const length = clips.lengthOf(clip);
    if (!length) return playedFor(clip) >= UNKNOWN;
    return clips.share(clip) >= rule || playedFor(clip) >= Math.max(UNKNOWN, 2 * length);
  }

  // Never shows 100 before it counts as watched.
  const percent = (clip) => Math.min(99, Math.floor(100 * clips.share(clip)));

  const isLocked = (lock) => lock.matches(":disabled");
  const holdsAnswers = (lock) => [...lock.elements].some((field) => (
    field.matches("input[type=radio], input[type=checkbox]") ? field.checked : field.name && field.value.trim()
  ));

  // What waits is put into a fieldset: disabled, its text stays readable and its fields are told as off.
  function lockOf(part) {
    let lock = part.querySelector(":scope > fieldset.lock");
    if (!lock) {
      lock = Object.assign(document.createElement("fieldset"), { className: "lock" });
      lock.append(...part.childNodes);
      part.append(lock);
    }
    return lock;
  }

  /* ---- The lines ---- */

  function lineOf(lock) {
    let line = lock.previousElementSibling;
    if (!line) {
      line = document.createElement("p");
      line.className = "lock-line note";
      line.id = `lock-${locks.indexOf(lock)}`;
      const text = Object.assign(document.createElement("span"), { dir: "auto" });
      const exit = Object.assign(document.createElement("button"), {
        className: "btn", textContent: words.skip, hidden: true,
      });
      exit.setAttribute("form", "skip");
      line.append(text, " ", exit);
      lock.before(line); // outside, or its button would be locked with the rest
      lock.setAttribute("aria-describedby", line.id);
    }
    return line;
  }

  function lockText(lock) {
    const all = clips.all();
    if (all.some((clip) => clip.failed)) return words.doesNotPlay;
    if (all.length === 1) {
      return fill(kind === "audio" ? words.listenFirst : words.watchFirst, { n: percent(all[0]) });
    }
    const left = all.filter((clip) => !watched(clip)).map((clip) => clip.section.dataset.letter);
    const inStep = lock.closest(".step");
    const text = kind === "audio" ? words.listenEach : inStep ? words.watchEachStep : words.watchEach;
    return fill(text, { left: left.join(words.comma) });
  }

  function tell(clip) {
    const done = watched(clip);
    if (done && !clip.told) {
      clip.told = true;
      if (!open) booth.save.changed(); // a reload does not ask for it again
    }
    const short = done ? words.watchedShort : playedFor(clip) ? `${percent(clip)} %` : "";
    const line = clip.section.querySelector("[data-watched]");
    if (line) {
      line.textContent = done ? words.watched : fill(words.watchedPart, { n: percent(clip) });
      line.classList.toggle("done", done);
    }
    const tab = booth.unit.querySelector(`[data-show="${CSS.escape(clip.id)}"] [data-watched-short]`);
    if (tab) tab.textContent = short;
  }

  /* ---- Opening ---- */

  function unlock() {
    open = true;
    const now = locks.find((lock) => isLocked(lock));
    for (const lock of locks) {
      lock.disabled = false;
      lock.removeAttribute("aria-describedby");
    }
    if (!now) return;
    const step = now.closest(".step");
    const text = step ? fill(words.stepOpen, { n: step.dataset.step }) : words.questionsOpen;
    // The line keeps its place: a question that moves up under a finger is answered by mistake.
    for (const lock of locks) {
      const line = lock.previousElementSibling;
      line.firstElementChild.textContent = text;
      line.lastElementChild.hidden = true;
      line.classList.add("ok");
    }
    booth.say(text);
    pinWhileAnswering();
    // The deck took the place of the stack: the page is shorter, and the step elsewhere.
    if (step && booth.deck.pinned()) step.scrollIntoView();
    booth.cards.count();
    if (!booth.keys.isTyping()) booth.keys.activate(booth.keys.firstOpen());
  }

  // The deck replaces the stack for questions about the clips, not for those about the words only.
  function pinWhileAnswering() {
    const step = booth.unit.querySelector(".step[data-state=now]");
    if (!step || step.querySelector("[data-waits]")) booth.deck.pin();
  }

  function weigh() {
    if (!rule) return;
    for (const clip of clips.all()) tell(clip);
    if (open) return;
    if (clips.all().every(watched)) {
      unlock();
      return;
    }
    for (const lock of locks) {
      const line = lineOf(lock);
      const text = lockText(lock);
      if (line.firstElementChild.textContent !== text) line.firstElementChild.textContent = text;
      line.lastElementChild.hidden = !clips.all().some(stuck);
    }
  }

  // A clip that failed has its own way on, in its frame.
  const stuck = (clip) => !clip.failed && clip.counts.stalled
    + (clip.waitingSince ? (performance.now() - clip.waitingSince) / 1000 : 0) >= EXIT_AFTER;

  booth.onScreen(({ same }) => {
    const stimuli = booth.unit.querySelector("[data-stimuli]");
    rule = Number(stimuli?.dataset.watchShare);
    locks = [];
    open = true;
    if (!rule || clips.all().length === 0) {
      if (stimuli) pinWhileAnswering();
      return;
    }
    kind = clips.all()[0].section.dataset.kind;
    locks = [...booth.form.querySelectorAll("[data-waits]")].map(lockOf).filter((lock) => !holdsAnswers(lock));
    open = clips.all().every(watched);
    for (const lock of locks) lock.disabled = !open;
    if (open) pinWhileAnswering();
    weigh();
    if (open) return;
    booth.keys.activate(booth.keys.firstOpen());
    if (same && locks.some(isLocked)) window.scrollTo(0, 0); // the clips come first
  });

  clips.onChange(() => weigh());
  setInterval(() => { if (!open) weigh(); }, 5000); // waiting makes no events

  // Next while locked: say what is left, and go to the clip that is.
  document.addEventListener("submit", (event) => {
    if (event.target !== booth.form || open || !locks.some(isLocked)) return;
    event.preventDefault();
    event.stopPropagation();
    const lock = locks.find(isLocked);
    booth.say(lockText(lock), "alarm");
    const next = clips.all().find((clip) => !watched(clip) && !clip.failed);
    next?.section.querySelector("[data-play]").focus();
  }, true);
})();
