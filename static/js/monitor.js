/*
 * The monitor asks for its live part every ten seconds: while the page is seen, no row menu is open
 * and it is not paused. Answers say when they were counted (X-Counted-At); 204 says nothing is new.
 */
(() => {
  "use strict";

  const EVERY = 10000;
  const live = document.querySelector("#monitor");
  const line = document.querySelector("[data-freshness]");
  const pause = line.querySelector("[data-pause]");
  const words = line.firstElementChild;
  const fresh = words.cloneNode(true);
  let last = performance.now();
  let paused = false;

  const holds = () => paused || document.visibilityState !== "visible" || live.querySelector(".row-menu[open]");

  function poll() {
    if (holds() || performance.now() - last < EVERY) return;
    last = performance.now();
    window.htmx.trigger(live, "poll");
  }

  const updated = () => words.querySelector("[data-updated]")?.textContent ?? "";

  function tellFresh(at) {
    if (line.classList.contains("stopped")) {
      line.classList.remove("stopped");
      words.replaceChildren(...fresh.cloneNode(true).childNodes);
      words.querySelector("[data-every]").hidden = false;
    }
    if (at) words.querySelector("[data-updated]").textContent = at;
  }

  function tellStopped() {
    if (line.classList.contains("stopped")) return;
    const since = updated();
    line.classList.add("stopped");
    const time = Object.assign(document.createElement("time"), { textContent: since });
    time.dataset.updated = "";
    words.replaceChildren("Live figures stopped at ", time, " UTC. Trying again.");
  }

  line.querySelector("[data-reload]").hidden = true;
  words.querySelector("[data-every]").hidden = false;
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Go on" : "Pause";
    poll();
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    const { xhr, successful } = event.detail;
    if (successful) tellFresh(xhr.getResponseHeader("X-Counted-At"));
    else tellStopped();
  });

  // A table that somebody has unfolded stays so when figures come in.
  document.addEventListener("htmx:beforeSwap", () => {
    const open = [...live.querySelectorAll("details[open][id]")].map((part) => part.id);
    document.addEventListener("htmx:afterSwap", () => {
      for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    }, { once: true });
  });

  // One menu at a time, closed by Esc and by a click elsewhere.
  document.addEventListener("click", (event) => {
    for (const menu of live.querySelectorAll(".row-menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && live.querySelector(".row-menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  setInterval(poll, 500);
})();
