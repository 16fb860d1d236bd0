/* Each new screen: which question is active, where focus goes, what the window is called. */
(() => {
  "use strict";

  const { cards, keys } = booth;

  // The first thing that is wrong, as the server named it.
  const firstGap = () => cards.all().find((card) => card.classList.contains("gap"));

  function settleFocus(gap, arrived, same) {
    const step = booth.unit.querySelector(".step[data-state=now]");
    if (gap) {
      keys.focusOn(gap, gap.querySelector("[data-row].gap"));
    } else if (arrived && same && step) {
      const heading = step.querySelector(".step-title");
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      step.scrollIntoView({ block: booth.deck.pinned() ? "start" : "nearest" });
    } else if (arrived) {
      document.getElementById("place").focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
  }

  booth.onScreen(({ arrived, same }) => {
    keys.painted();
    booth.form.querySelector("[data-key-hint]")?.removeAttribute("hidden");
    const gap = firstGap();
    keys.activate(gap ?? keys.firstOpen());
    if (arrived) document.title = booth.unit.dataset.title;
    if (arrived && !same) document.getElementById("said").textContent = "";
    settleFocus(gap, arrived, same);
  });

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    if (on("[data-next]") && event.detail > 1) {
      event.preventDefault(); // a double click's second half was meant for the screen before
    } else if (on(".foot a[href^='#']")) {
      event.preventDefault();
      keys.focusOn(document.getElementById(on("a").hash.slice(1)));
    }
  });
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt.id === "unit") booth.open(true);
  });
  booth.open(false);
})();
