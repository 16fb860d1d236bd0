/*
 * What is asked: which cards are shown, which are needed, which are answered, and the rules inside
 * a card ("none of these" clears the others, a slider that was not touched has no value).
 */
(() => {
  "use strict";

  const { words, fill, figures } = booth;
  let form, cards;
  let changed = null; // the field whose change is being weighed

  const box = (card) => card.querySelector("textarea");
  const letters = (text) => [...text.value.trim()].length;
  const needed = (card) => "required" in card.dataset;
  const shown = (card) => !card.closest("[hidden], details.step:not([open])");
  const rowsOf = (card) => [...card.querySelectorAll("[data-row]")];
  const hasChoice = (part) => part.querySelector("input:checked") !== null;

  const complete = {
    text: (card) => letters(box(card)) >= Math.max(1, Number(card.dataset.min)),
    slider: (card) => card.querySelector("[data-slider-number]").value !== "" || hasChoice(card),
    ranking: (card) => [...card.querySelectorAll("[data-tile]")].every(hasChoice),
    descriptors: (card) => rowsOf(card).every(hasChoice)
      && [...card.querySelectorAll(".scale")].every(hasChoice),
  };
  const answered = (card) => (complete[card.dataset.card] ?? hasChoice)(card);

  /* ---- Rules between cards: "q_7:3-5" holds while q_7 is answered with 3, 4 or 5.
          Several with blanks between: one of them is enough. ---- */

  function holds(rules) {
    return rules.split(" ").some((rule) => {
      const [, name, low, high] = /^(.+):(-?\d+)-(-?\d+)$/.exec(rule);
      const value = valueOf(name);
      return value !== "" && Number(value) >= Number(low) && Number(value) <= Number(high);
    });
  }

  // The one value of a group of radio buttons, or of a number field (a tick may share its name).
  function valueOf(name) {
    const fields = [...form.querySelectorAll(`[name="${CSS.escape(name)}"]`)];
    const chosen = fields.filter((field) => (field.type === "radio" ? field.checked : field.type === "number"));
    return chosen[0]?.value ?? "";
  }

  function weighNeed(card) {
    if (!card.dataset.requiredIf) return;
    const on = holds(card.dataset.requiredIf);
    card.toggleAttribute("data-required", on);
    box(card).required = on;
    card.querySelector("[data-optional]").hidden = on;
    card.querySelector("[data-needed]").hidden = !on;
  }

  function weighShown() {
    for (const part of form.querySelectorAll("[data-shown-if]")) {
      const was = part.hidden;
      part.hidden = !holds(part.dataset.shownIf);
      if (part.hidden === was || !changed) continue;
      const card = part.querySelector("[data-card]");
      if (part.hidden) tellLeftOut(card);
      else form.querySelector(`[data-left-out="${CSS.escape(card.id)}"]`)?.remove(); // it is back
    }
  }

  // A question that an answer of an earlier step has closed: what is kept, and what is left out.
  function tellLeftOut(card) {
    const from = changed.closest("details.step");
    const step = card.closest(".step");
    if (!from || !step || step === from || !hasValue(card)) return;
    const text = fill(words.leftOut, {
      step: step.dataset.step, n: card.dataset.number, because: changed.closest("[data-card]").dataset.number,
    });
    const line = Object.assign(document.createElement("p"), { className: "note", textContent: text, dir: "auto" });
    line.dataset.leftOut = card.id;
    from.querySelector(".step-cards").after(line);
    booth.say(text);
  }

  function weighLetters(card) {
    const least = Number(card.dataset.min);
    const place = card.querySelector("[data-letters]");
    if (least && place) place.textContent = fill(words.letters, { n: letters(box(card)), total: least });
  }

  /* ---- Inside a card ---- */

  // "None of these" clears the others of its row, and each of them clears it.
  function none(tick) {
    const group = tick.closest("[data-row]");
    if (!group) return;
    const others = [...group.querySelectorAll("input[type=checkbox]")].filter((each) => each !== tick);
    if (!tick.checked) return;
    const cleared = others.filter(
      (each) => each.checked && ("none" in tick.dataset || "none" in each.dataset),
    );
    for (const each of cleared) each.checked = false;
    if (!("none" in tick.dataset) || cleared.length === 0) return;
    const names = new Intl.ListFormat(document.documentElement.lang).format(cleared.map(faceOf));
    booth.say(fill(words.noneCleared, { what: names }));
  }

  const faceOf = (input) => input.getAttribute("aria-label") ?? input.closest("label").textContent.trim();

  /* ---- What the server found missing: each gap goes when it is filled ---- */

  const isFilled = (card) => answered(card) || !(needed(card) || hasValue(card));
  const hasValue = (card) => card.querySelector("input:checked") !== null || Boolean(box(card)?.value.trim());

  function closeGaps() {
    for (const row of form.querySelectorAll(".gap[data-row]")) if (hasChoice(row)) clearGap(row);
    for (const card of cards) {
      if (!card.classList.contains("gap") || !isFilled(card)) continue;
      clearGap(card);
      const link = form.querySelector(`.gap-link[href="#${CSS.escape(card.id)}"]`);
      const told = link?.closest(".error");
      link?.remove();
      if (!told) continue;
      told.querySelector("[data-gaps]").textContent = words.stillMissing;
      if (told.querySelector(".gap-link")) continue;
      told.remove();
      document.title = document.title.slice(document.title.indexOf(" · ") + 3);
    }
  }

  function clearGap(part) {
    part.classList.remove("gap");
    for (const error of part.querySelectorAll(".error")) error.remove();
    for (const field of [part, ...part.querySelectorAll("[aria-invalid]")]) field.removeAttribute("aria-invalid");
  }

  function count() {
    weighShown();
    closeGaps();
    for (const card of cards) {
      if (card.dataset.card === "text") {
        weighNeed(card);
        weighLetters(card);
      }
      const marked = card.querySelector("[data-marked]");
      if (marked) {
        const rows = rowsOf(card);
        marked.textContent = fill(words.marked, { n: rows.filter(hasChoice).length, total: rows.length });
      }
    }
    const open = cards.filter(shown);
    const done = open.filter(answered);
    const wanted = open.filter((card) => needed(card) || answered(card));
    form.querySelector("[data-answered]").textContent = fill(words.answered, {
      n: done.length, total: wanted.length,
    });
  }

  /* ---- A slider: the number field is what is sent; the range is made for the hand ---- */

  function makeSlider(card) {
    const number = card.querySelector("[data-slider-number]");
    const range = Object.assign(document.createElement("input"), {
      type: "range", min: number.min || 0, max: number.max || 100, step: 1, className: "slider",
    });
    const named = number.getAttribute("aria-labelledby") ?? card.getAttribute("aria-labelledby");
    if (named) range.setAttribute("aria-labelledby", named);
    else range.setAttribute("aria-label", card.querySelector("legend, label").textContent.trim());
    const described = card.getAttribute("aria-describedby");
    if (described) range.setAttribute("aria-describedby", described);
    const told = document.createElement("output");
    told.className = "slider-value figures";
    const show = () => {
      const untouched = number.value === "";
      card.classList.toggle("untouched", untouched);
      if (!untouched) range.value = number.value;
      range.setAttribute("aria-valuetext", untouched ? words.notSet : number.value);
      told.textContent = untouched ? words.notSet : figures(number.value);
    };
    const take = () => {
      number.value = range.value;
      const na = card.querySelector("[data-na]");
      if (na) na.checked = false;
      show();
      number.dispatchEvent(new Event("change", { bubbles: true }));
    };
    range.addEventListener("input", take);
    // A press on the middle, where the thumb would be, sets 50 though the value does not change.
    range.addEventListener("pointerup", () => { if (number.value === "") take(); });
    range.addEventListener("keydown", (event) => {
      if (number.value === "" && /^(Enter| )$/.test(event.key)) {
        event.preventDefault();
        take();
      }
    });
    number.addEventListener("change", show);
    card.addEventListener("change", (event) => {
      if (event.target.matches("[data-na]") && event.target.checked) {
        number.value = "";
        show();
      }
    });
    number.hidden = true;
    number.after(range, told);
    show();
  }

  /* ---- A finished step says its answers in a few words; they follow a change ---- */

  const SHORT = 40;

  function inWords(card) {
    if (card.dataset.card === "descriptors") return null; // counted in words by the server
    if (card.dataset.card === "text") return box(card).value.trim().replace(/\s+/g, " ").slice(0, SHORT);
    const chosen = [...card.querySelectorAll("input:checked")];
    if (card.dataset.card === "ranking") {
      const inOrder = chosen.sort((one, other) => one.value - other.value);
      return inOrder.map((radio) => radio.closest("[data-tile]").dataset.letter).join(" · ");
    }
    const number = card.querySelector("[data-slider-number]")?.value;
    return (number && figures(number)) || chosen.map((input) => {
      const label = input.closest("label");
      return (label.querySelector(".point-label") ?? label).textContent.trim();
    }).join(words.comma);
  }

  function summarise(step) {
    const lines = [...step.querySelectorAll("[data-card]")].map((card) => [card, inWords(card)]);
    if (lines.some(([, text]) => text === null)) return;
    const told = lines.filter(([card, text]) => text && !card.closest("[hidden]")).map(([card, text]) => {
      const line = document.createElement("span");
      const answer = document.createElement("bdi");
      answer.textContent = text;
      line.append(`${figures(card.dataset.number)}: `, answer);
      return line;
    });
    step.querySelector(".step-summary").replaceChildren(...told);
  }

  booth.onScreen(() => {
    form = booth.form;
    cards = [...form.querySelectorAll("[data-card]")];
    for (const card of cards) {
      const number = card.querySelector("[data-slider-number]");
      if (number && !number.hidden) makeSlider(card);
    }
    for (const step of form.querySelectorAll("details.step")) summarise(step); // a restored draft may differ
    count();
  });

  document.addEventListener("change", (event) => {
    if (!event.target.closest("[data-card]")) return;
    if (event.target.type === "checkbox") none(event.target);
    changed = event.target;
    count();
    changed = null;
    const done = event.target.closest("details.step");
    if (done) summarise(done);
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("textarea")) count();
  });

  booth.cards = {
    all: () => cards,
    shown: () => cards.filter(shown),
    answered,
    needed,
    hasChoice,
    rowsOf,
    box,
    count,
  };
})();
