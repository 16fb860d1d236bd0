/*
 * The rating screen under the hand: digit keys, the active question, counters, a rationale that
 * becomes needed, the larger picture, and where focus goes when a new screen arrives.
 */
(() => {
  "use strict";

  const SETTLE = 300; // ms in which a key cannot answer a screen that has just been painted
  const LOADING_AFTER = 400;
  const ZOOMS = [1, 1.5, 2, 3, 4]; // times the size that fits the window

  const words = document.getElementById("words").dataset;
  const zoom = document.querySelector("dialog.zoom");
  const view = zoom.querySelector(".zoom-view");
  const fill = (text, n, total) => text.replace("{n}", n).replace("{total}", total);

  let unit, form, cards, active, paintedAt, zoomStep;
  let byPointer = false; // was the last act with a pointer, rather than with an arrow key?

  /* ---- What is answered ---- */

  const box = (card) => card.querySelector("textarea");
  const chosen = (card) => card.querySelector("input:checked");
  const letters = (card) => [...box(card).value.trim()].length;
  const needed = (card) => "required" in card.dataset;

  function answered(card) {
    if (card.dataset.card === "likert") return Boolean(chosen(card));
    return letters(card) >= Math.max(1, Number(card.dataset.min));
  }

  // data-required-if="q_7:3-5" : needed once question q_7 is answered with 3, 4 or 5.
  function weighNeed(card) {
    const rule = /^(.+):(-?\d+)-(-?\d+)$/.exec(card.dataset.requiredIf ?? "");
    if (!rule) return;
    const [, name, low, high] = rule;
    const value = form.elements[name]?.value ?? "";
    const on = value !== "" && Number(value) >= Number(low) && Number(value) <= Number(high);
    card.toggleAttribute("data-required", on);
    box(card).required = on;
    card.querySelector("[data-optional]").hidden = on;
    card.querySelector("[data-needed]").hidden = !on;
  }

  function count() {
    for (const card of cards) {
      if (card.dataset.card !== "text") continue;
      weighNeed(card);
      const least = Number(card.dataset.min);
      if (least) card.querySelector("[data-letters]").textContent = fill(words.letters, letters(card), least);
    }
    const done = cards.filter(answered);
    const wanted = cards.filter((card) => needed(card) || answered(card));
    form.querySelector("[data-answered]").textContent = fill(words.answered, done.length, wanted.length);
  }

  /* ---- The active question ---- */

  function activate(card) {
    active = card;
    for (const each of cards) each.classList.toggle("now", each === card);
  }

  // The next one that still needs an answer, looking down first; without one the mark rests.
  function nextOpen(from) {
    const at = cards.indexOf(from);
    const order = [...cards.slice(at + 1), ...cards.slice(0, at + 1)];
    return order.find((card) => needed(card) && !answered(card));
  }

  const focusOn = (card) => (card.querySelector("input:checked, input") ?? box(card)).focus();

  function answer(card, digit) {
    const radio = card.querySelector(`input[type=radio][value="${digit}"]`);
    if (!radio) return;
    byPointer = false;
    radio.click();
    const label = radio.closest(".point").querySelector(".point-label").textContent.trim();
    document.getElementById("said").textContent = `${card.dataset.number}: ${digit}, ${label}`;
    const next = nextOpen(card) ?? card;
    activate(next);
    focusOn(next);
  }

  /* ---- Keys ---- */

  function digitOf(event) {
    const pressed = /^(Digit|Numpad)(\d)$/.exec(event.code);
    if (!pressed) return null;
    // With NumLock off the numeric pad gives arrows: then the event's key is no digit.
    return pressed[1] === "Numpad" && !/^\p{Nd}$/u.test(event.key) ? null : pressed[2];
  }

  // By its letter where the layout has Latin letters, else by its place.
  const isZ = (event) => (/^[a-z]$/i.test(event.key) ? /^z$/i.test(event.key) : event.code === "KeyZ");

  function onKey(event) {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
    byPointer = false;
    const typing = event.target.closest("textarea, select, [contenteditable], input:not([type=radio])");
    if (event.key === "Enter") {
      onEnter(event, typing);
      return;
    }
    const early = performance.now() - paintedAt < SETTLE;
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || early) return;
    if (typing || document.querySelector("dialog[open]") || form.dataset.shortcuts !== "on") return;
    const digit = digitOf(event);
    if (digit !== null && active?.dataset.card === "likert") {
      event.preventDefault();
      answer(active, digit);
    } else if (event.key === "?") {
      unit.querySelector("[data-help]").click();
    } else if (isZ(event)) {
      unit.querySelector("[data-zoom]")?.click();
    }
  }

  function onEnter(event, typing) {
    if (document.querySelector("dialog[open]")) return;
    const together = event.ctrlKey || event.metaKey;
    if (!together && typing) return;
    // A key still held from the last screen must not send this one.
    if (event.repeat || performance.now() - paintedAt < SETTLE) {
      event.preventDefault();
      return;
    }
    const onPage = !event.target.closest("a, button, summary, input");
    if (together || (onPage && form.dataset.shortcuts === "on")) {
      event.preventDefault();
      form.requestSubmit(form.querySelector("[data-next]"));
    }
  }

  /* ---- The picture ---- */

  const failPanel = (picture) => picture.closest(".picture").nextElementSibling;

  function showFailure(picture, failed) {
    picture.closest(".picture").hidden = failed;
    failPanel(picture).hidden = !failed;
    unit.querySelector("[data-zoom]").hidden = failed;
  }

  function watchPictures() {
    const pictures = [...unit.querySelectorAll("[data-stimulus]")];
    const line = unit.querySelector("[data-loading]");
    const settled = () => {
      if (pictures.every((picture) => picture.complete)) line.hidden = true;
    };
    for (const picture of pictures) {
      picture.addEventListener("load", () => { showFailure(picture, false); settled(); });
      picture.addEventListener("error", () => { showFailure(picture, true); settled(); });
      if (picture.complete && picture.naturalWidth === 0) showFailure(picture, true);
    }
    setTimeout(() => { line.hidden = pictures.every((picture) => picture.complete); }, LOADING_AFTER);
    settled();
  }

  function loadAgain(panel) {
    const picture = panel.previousElementSibling.querySelector("[data-stimulus]");
    const address = new URL(picture.src);
    address.searchParams.set("again", Date.now()); // a failed answer may be remembered under the old address
    picture.src = address;
  }

  function scaleZoom(step, keepMiddle = true) {
    zoomStep = Math.max(0, Math.min(ZOOMS.length - 1, step));
    const picture = view.firstElementChild;
    const fit = Math.min(view.clientWidth / picture.naturalWidth, view.clientHeight / picture.naturalHeight);
    const middle = [
      (view.scrollLeft + view.clientWidth / 2) / view.scrollWidth,
      (view.scrollTop + view.clientHeight / 2) / view.scrollHeight,
    ];
    picture.style.setProperty("inline-size", `${picture.naturalWidth * fit * ZOOMS[zoomStep]}px`);
    if (!keepMiddle) return;
    view.scrollLeft = middle[0] * view.scrollWidth - view.clientWidth / 2;
    view.scrollTop = middle[1] * view.scrollHeight - view.clientHeight / 2;
  }

  function openZoom() {
    const picture = unit.querySelector("[data-stimulus]");
    if (!picture.naturalWidth) return;
    const larger = new Image();
    larger.alt = picture.alt;
    larger.src = picture.currentSrc;
    view.replaceChildren(larger);
    zoom.showModal();
    larger.decode().then(() => scaleZoom(0, false));
  }

  /* ---- Folded parts remember how the person left them ---- */

  const meaningsName = (part) => `concord:meanings:${part.dataset.meanings}`;

  // Storage may be forbidden; then the parts simply start as the server sent them.
  function remembered(act) {
    try {
      return act(window.localStorage);
    } catch (refusal) {
      if (refusal instanceof DOMException) return null;
      throw refusal;
    }
  }

  function foldParts() {
    for (const part of unit.querySelectorAll("[data-meanings]")) {
      const left = remembered((store) => store.getItem(meaningsName(part)));
      if (left) part.open = left === "open";
      part.addEventListener("toggle", () => remembered((store) => {
        store.setItem(meaningsName(part), part.open ? "open" : "closed");
      }));
    }
  }

  // A long wish is cut to two lines on phones and opens on a tap or with Enter.
  function foldWish() {
    const wish = unit.querySelector("[data-asked]");
    if (wish.scrollHeight <= wish.clientHeight + 2) return;
    wish.tabIndex = 0;
    wish.setAttribute("role", "button");
    const turn = (event) => {
      if (event.type === "keydown" && event.key !== "Enter") return;
      event.preventDefault();
      wish.setAttribute("aria-expanded", wish.classList.toggle("open"));
    };
    wish.setAttribute("aria-expanded", "false");
    wish.addEventListener("click", turn);
    wish.addEventListener("keydown", turn);
  }

  /* ---- Each new screen ---- */

  function open(arrived) {
    unit = document.getElementById("unit");
    form = document.getElementById("answers");
    cards = [...form.querySelectorAll("[data-card]")];
    paintedAt = performance.now();
    count();
    form.querySelector("[data-key-hint]")?.removeAttribute("hidden");
    const gap = cards.find((card) => card.classList.contains("gap"));
    activate(gap ?? nextOpen(cards.at(-1)) ?? cards.at(-1));
    watchPictures();
    foldParts();
    foldWish();
    if (arrived) {
      document.title = unit.dataset.title;
      document.getElementById("said").textContent = "";
    }
    if (gap) {
      focusOn(gap);
    } else if (arrived) {
      document.getElementById("place").focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", () => { byPointer = true; });
  document.addEventListener("focusin", (event) => {
    const card = event.target.closest("[data-card]");
    if (card) activate(card);
  });
  document.addEventListener("change", (event) => {
    const card = event.target.closest("[data-card]");
    if (!card) return;
    count();
    if (byPointer && card.dataset.card === "likert") activate(nextOpen(card) ?? card);
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("textarea")) count();
  });
  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    if (on("[data-zoom]")) {
      event.preventDefault();
      openZoom();
    } else if (on("[data-zoom-by]")) {
      scaleZoom(zoomStep + Number(on("[data-zoom-by]").dataset.zoomBy));
    } else if (on("[data-zoom-close]")) {
      zoom.close();
    } else if (on("[data-next]") && event.detail > 1) {
      event.preventDefault(); // a double click's second half was meant for the screen before
    } else if (on("[data-load-again]")) {
      loadAgain(on(".picture-failed"));
    } else if (on(".foot a[href^='#']")) {
      event.preventDefault();
      focusOn(document.getElementById(on("a").hash.slice(1)));
    }
  });
  view.addEventListener("dblclick", () => scaleZoom(zoomStep ? 0 : 2));
  view.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons === 1) view.scrollBy(-event.movementX, -event.movementY);
  });
  view.addEventListener("dragstart", (event) => event.preventDefault());
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt.id === "unit") open(true);
  });
  open(false);
})();
