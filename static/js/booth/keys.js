/*
 * Keys: digits answer the active question, Enter goes on, K plays, Z enlarges, ? helps.
 *
 * An input may name its digit in data-key; else it is its value (a scale) or its place (ticks).
 * Digits go by the key's place, so that other layouts work; never while a person types or composes,
 * never on a held key, never in the first moments of a new screen.
 */
(() => {
  "use strict";

  const SETTLE = 300; // ms in which a key cannot answer a screen that has just been painted

  const { cards } = booth;
  let active, activeRow, paintedAt;
  let byPointer = false; // was the last act with a pointer, rather than with an arrow key?

  /* ---- The active question, and within a long list its active row ---- */

  function activate(card, row = null) {
    active = card;
    activeRow = row ?? (card ? cards.rowsOf(card)[0] ?? null : null);
    for (const each of cards.all()) {
      each.classList.toggle("now", each === card);
      for (const line of cards.rowsOf(each)) line.classList.toggle("now", line === activeRow);
    }
  }

  // The next one that still needs an answer, looking down first; without one the mark rests.
  function nextOpen(from) {
    const shown = cards.shown();
    const at = shown.indexOf(from);
    const order = [...shown.slice(at + 1), ...shown.slice(0, at + 1)];
    return order.find((card) => cards.needed(card) && !cards.answered(card));
  }

  const firstOpen = () => nextOpen(cards.shown().at(-1)) ?? cards.shown().at(-1) ?? null;

  function openRow(card, from) {
    const rows = cards.rowsOf(card);
    const at = rows.indexOf(from);
    return [...rows.slice(at + 1), ...rows.slice(0, at + 1)].find((row) => !cards.hasChoice(row)) ?? null;
  }

  function focusOn(card, row = null) {
    const place = row ?? card;
    const field = place.querySelector("input:checked:not([hidden]), .tile, input:not([type=hidden], [hidden]), textarea");
    field?.focus();
  }

  /* ---- Answering by a digit ---- */

  // Radios or ticks that digits of this card reach: those of the active row, or all of them.
  function choices(card) {
    const within = activeRow && !activeRow.dataset.tile ? activeRow : card;
    return [...within.querySelectorAll("input[type=radio], input[type=checkbox]")];
  }

  function choiceFor(card, digit) {
    const inputs = choices(card);
    const own = inputs.find((input) => input.dataset.key === digit);
    if (own || inputs.some((input) => input.dataset.key)) return own;
    if (digit === "0") return card.querySelector("[data-na]");
    return inputs.find((input) => input.value === digit);
  }

  function answer(card, digit) {
    if (card.dataset.card === "ranking") return false; // its tiles take digits themselves
    const input = choiceFor(card, digit);
    if (!input || input.disabled) return false;
    byPointer = false;
    input.click();
    const label = input.closest("label").querySelector(".point-label, .pill-label") ?? input.closest("label");
    const row = activeRow?.contains(input) ? activeRow : null;
    if (input.type === "checkbox") {
      input.focus(); // several can be marked: the mark stays
      return true;
    }
    booth.say(`${card.dataset.number}: ${digit}, ${label.textContent.trim()}`);
    const below = row && openRow(card, row);
    const next = below ? card : nextOpen(card) ?? card;
    activate(next, below);
    focusOn(next, activeRow);
    return true;
  }

  /* ---- Which key is it? ---- */

  function digitOf(event) {
    const pressed = /^(Digit|Numpad)(\d)$/.exec(event.code);
    if (!pressed) return null;
    // With NumLock off the numeric pad gives arrows: then the event's key is no digit.
    return pressed[1] === "Numpad" && !/^\p{Nd}$/u.test(event.key) ? null : pressed[2];
  }

  // By its letter where the layout has Latin letters, else by its place.
  const isLetter = (event, letter) => (/^[a-z]$/i.test(event.key)
    ? event.key.toLowerCase() === letter
    : event.code === `Key${letter.toUpperCase()}`);

  function onKey(event) {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
    byPointer = false;
    const typing = event.target.closest(
      "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])",
    );
    // While a clip is larger its questions are out of sight: only the keys of clips count.
    const alone = document.documentElement.classList.contains("has-larger");
    if (event.key === "Enter") {
      if (!alone) onEnter(event, typing);
      return;
    }
    const early = performance.now() - paintedAt < SETTLE;
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || early) return;
    if (typing || document.querySelector("dialog[open]") || booth.form.dataset.shortcuts !== "on") return;
    const digit = digitOf(event);
    if (digit !== null) {
      if (active && !alone && answer(active, digit)) event.preventDefault();
    } else if (event.key === "?") {
      booth.unit.querySelector("[data-help]").click();
    } else if (isLetter(event, "k")) {
      booth.clips?.toggleLast();
    } else if (isLetter(event, "z")) {
      if (booth.clips?.enlargeLast()) return;
      const links = [...booth.unit.querySelectorAll("[data-zoom]")];
      links.find((link) => link.offsetParent !== null)?.click();
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
    const own = event.target.closest("a, button, summary, input");
    const onPage = !own || own.matches("input[type=range]");
    const inForm = own?.matches("input[type=radio], input[type=checkbox]");
    if (together || (onPage && booth.form.dataset.shortcuts === "on") || inForm) {
      event.preventDefault();
      booth.form.requestSubmit(booth.form.querySelector("[data-next]"));
    }
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", () => { byPointer = true; });
  document.addEventListener("focusin", (event) => {
    const card = event.target.closest("[data-card]");
    if (card && cards.all()?.includes(card)) activate(card, event.target.closest("[data-row]") ?? activeRowIn(card));
  });
  const activeRowIn = (card) => (activeRow && card.contains(activeRow) ? activeRow : null);

  document.addEventListener("change", (event) => {
    const card = event.target.closest("[data-card]");
    if (!card || !byPointer || event.target.type !== "radio" || card.dataset.card === "ranking") return;
    const row = event.target.closest("[data-row]");
    const below = row && openRow(card, row);
    const next = below ? card : nextOpen(card) ?? card;
    activate(next, below);
  });

  booth.keys = {
    activate,
    firstOpen,
    focusOn,
    digitOf,
    isTyping: () => document.activeElement?.matches("textarea, input[type=text], input[type=number]"),
    painted: () => { paintedAt = performance.now(); },
  };
  paintedAt = performance.now();
})();
