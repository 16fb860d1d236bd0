/*
 * Several stimuli on a phone: a stack while they are watched, a pinned deck with a switch while
 * questions are answered. The elements stay the same; only classes change (see booth/sets.css).
 */
(() => {
  "use strict";

  let stimuli, choice; // choice: what the person last picked: an id, "all", or nothing yet

  const sections = () => [...stimuli.querySelectorAll(".stimulus")];

  function show(id) {
    for (const section of sections()) {
      const on = section.dataset.medium === id;
      section.classList.toggle("on", on);
      if (!on && stimuli.classList.contains("deck") && section.offsetParent === null) {
        section.querySelector("[data-clip]")?.pause(); // nobody would see it
      }
    }
    for (const button of stimuli.querySelectorAll("[data-show]")) {
      button.setAttribute("aria-pressed", button.dataset.show === id);
    }
  }

  function turn(on) {
    stimuli.classList.toggle("deck", on);
    stimuli.classList.toggle("spread", !on); // by choice: the switch stays, to pin one again
    stimuli.querySelector("[data-show-all]")?.setAttribute("aria-pressed", !on);
    if (on) show(stimuli.querySelector(".stimulus.on")?.dataset.medium ?? sections()[0].dataset.medium);
    else for (const button of stimuli.querySelectorAll("[data-show]")) button.setAttribute("aria-pressed", false);
  }

  // Pins the deck unless the person asked for all of them.
  function pin() {
    if (stimuli?.classList.contains("several") && choice !== "all") turn(true);
  }

  booth.onScreen(({ same }) => {
    stimuli = booth.unit.querySelector("[data-stimuli]");
    if (!stimuli) return;
    if (!same) choice = undefined;
    const bar = stimuli.querySelector("[data-switch]");
    if (bar) bar.hidden = false;
    // Clips that have to be watched first are pinned when that is done: see clips/watching.js.
    const toWatch = Number(stimuli.dataset.watchShare) > 0 && stimuli.querySelector("[data-clip]");
    if (!toWatch) pin();
  });

  document.addEventListener("click", (event) => {
    const picked = event.target.closest("[data-show]");
    if (picked) {
      choice = picked.dataset.show;
      turn(true);
      show(choice);
    } else if (event.target.closest("[data-show-all]")) {
      choice = "all";
      turn(false);
    }
  });

  booth.deck = {
    pin,
    // Whether one is pinned on top right now, as on a phone; wide windows show all of them.
    pinned: () => {
      const bar = stimuli?.querySelector("[data-switch]");
      return Boolean(bar) && stimuli.classList.contains("deck") && bar.offsetParent !== null;
    },
    reveal: (id) => { if (stimuli.classList.contains("deck")) show(id); },
  };
})();
