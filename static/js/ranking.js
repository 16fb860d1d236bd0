/*
 * Ranking by tiles and empty numbered places: by tap, by drag, by keys. The table of radio buttons
 * stays the form: whatever a tile does is done by checking or clearing the radios of its row.
 *
 * Loaded only where a ranking opens. Dragging needs SortableJS, which is loaded after it; without it
 * taps and keys do the same.
 */
(() => {
  "use strict";

  const { words, fill, say } = booth;

  function open(card) {
    const table = card.querySelector("[data-rank-table]");
    const rows = [...table.querySelectorAll("[data-tile]")];
    const places = [...table.querySelectorAll("[data-place]")].map((head) => ({
      value: head.dataset.place, label: head.dataset.label, end: head.dataset.end,
    }));
    const total = places.length;
    const make = (name, properties = {}) => Object.assign(document.createElement(name), properties);
    const labelOf = (value) => places.find((place) => place.value === value).label;
    const locked = () => table.matches(":disabled") || card.matches(":disabled") || card.closest("fieldset:disabled");

    /* ---- What holds: the radios ---- */

    const radiosOf = (row) => [...row.querySelectorAll("input[type=radio]")];
    const placeOf = (row) => radiosOf(row).find((radio) => radio.checked)?.value ?? null;
    const holderOf = (value) => rows.find((row) => placeOf(row) === value);

    function set(row, value) {
      for (const radio of radiosOf(row)) radio.checked = radio.value === value;
    }

    /* ---- What is seen ---- */

    const board = make("div", { className: "board" });
    const keysToo = matchMedia("(hover: hover) and (pointer: fine)").matches
      && booth.form.dataset.shortcuts === "on";
    const hint = make("p", {
      className: "field-hint board-hint", textContent: fill(keysToo ? words.tapKeys : words.tap, { total }),
      dir: "auto",
    });
    const trayHead = make("p", { className: "tray-head quiet", textContent: words.notPlaced });
    const tray = make("div", { className: "tray" });
    tray.setAttribute("role", "group");
    trayHead.id = `${card.id}-tray`;
    tray.setAttribute("aria-labelledby", trayHead.id);
    const slots = make("ol", { className: "slots" });
    const again = make("button", { type: "button", className: "btn btn-quiet", textContent: words.startAgain });
    const tiles = new Map(rows.map((row) => [row, makeTile(row)]));
    const slotOf = new Map(places.map((place) => [place.value, makeSlot(place)]));
    slots.append(...slotOf.values());
    const head = make("div", { className: "board-head" });
    head.append(hint, again);
    board.append(head, trayHead, tray, slots);
    table.after(board);
    table.hidden = true;

    function makeTile(row) {
      const tile = make("button", { type: "button", className: "tile" });
      const letter = make("span", { className: "letter", textContent: row.dataset.letter });
      tile.append(letter);
      const section = booth.unit.querySelector(`.stimulus[data-medium="${CSS.escape(row.dataset.tile)}"]`);
      const shown = section?.querySelector("video, img");
      const source = shown?.poster || (shown?.localName === "img" ? shown.src : "");
      if (source) tile.append(make("img", { src: source, alt: "", draggable: false }));
      tile.append(make("span", { className: "tile-name", textContent: row.dataset.name }));
      const item = make("div", { className: "tile-item" });
      item.append(tile);
      tile.addEventListener("click", () => press(row));
      tile.addEventListener("keydown", (event) => onKey(event, row));
      return tile;
    }

    function makeSlot(place) {
      const slot = make("li", { className: "slot" });
      slot.dataset.slot = place.value;
      slot.append(make("b", { className: "figures", textContent: place.label }));
      slot.append(make("span", { className: "slot-end quiet", textContent: place.end }));
      slot.append(make("div", { className: "slot-hold" }));
      return slot;
    }

    // Puts every tile where its radios say it is. Focus stays on the tile that has it.
    function draw() {
      const held = document.activeElement;
      for (const [row, tile] of tiles) {
        const value = placeOf(row);
        const home = value ? slotOf.get(value).querySelector(".slot-hold") : tray;
        const item = tile.parentElement;
        if (item.parentElement !== home) home.append(item);
        tile.setAttribute("aria-label", value
          ? fill(words.tilePlaced, { name: row.dataset.name, place: labelOf(value), total })
          : fill(words.tileNotPlaced, { name: row.dataset.name }));
      }
      for (const row of rows) if (!placeOf(row)) tray.append(tiles.get(row).parentElement); // in letter order
      for (const [value, slot] of slotOf) {
        slot.classList.toggle("full", Boolean(holderOf(value)));
        slot.querySelector(".slot-end").hidden = Boolean(holderOf(value)) && !slot.querySelector(".slot-end").textContent;
      }
      const n = rows.filter(placeOf).length;
      const all = n === total;
      tray.hidden = trayHead.hidden = all;
      hint.hidden = all;
      again.classList.toggle("unseen", n === 0); // its place stays, so that nothing jumps
      if (held?.classList.contains("tile") && board.contains(held)) held.focus({ preventScroll: true });
    }

    /* ---- Acts ---- */

    // After an act: the last tile goes to the last place by itself, the form is told, the page says so.
    function settle(row, text) {
      const left = rows.filter((each) => !placeOf(each));
      if (left.length === 1 && placeOf(row)) {
        const free = places.find((place) => !holderOf(place.value));
        set(left[0], free.value);
        text += ` ${fill(words.lastOne, { name: left[0].dataset.name, place: free.label })}`;
      }
      draw();
      radiosOf(row)[0].dispatchEvent(new Event("change", { bubbles: true }));
      say(text);
    }

    function put(row, value) {
      if (locked()) return;
      const from = placeOf(row);
      if (from === value) return;
      const other = holderOf(value);
      const { name } = row.dataset;
      const place = labelOf(value);
      set(row, value);
      if (other) set(other, from); // they swap; from the tray, the other one goes there
      if (other && from) {
        settle(row, fill(words.swapped, { name, place, other: other.dataset.name, second: labelOf(from) }));
      } else if (from) {
        settle(row, fill(words.moved, { name, place }));
      } else {
        const text = fill(words.place, { name, place, total });
        settle(row, other ? `${text} ${fill(words.takenBack, { name: other.dataset.name })}` : text);
      }
    }

    function takeBack(row) {
      if (locked() || !placeOf(row)) return;
      set(row, null);
      settle(row, fill(words.takenBack, { name: row.dataset.name }));
    }

    function press(row) {
      if (placeOf(row)) takeBack(row);
      else put(row, places.find((place) => !holderOf(place.value)).value);
    }

    function onKey(event, row) {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      const at = places.findIndex((place) => place.value === placeOf(row));
      const digit = booth.keys.digitOf(event);
      const rtl = getComputedStyle(board).direction === "rtl";
      const steps = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: rtl ? 1 : -1, ArrowRight: rtl ? -1 : 1 };
      if (digit !== null && booth.form.dataset.shortcuts === "on") {
        const place = places.find(({ value }) => value === digit);
        if (place && !event.repeat) put(row, place.value);
      } else if (event.key in steps) {
        const next = at < 0 ? places.find((place) => !holderOf(place.value)) : places[at + steps[event.key]];
        if (next) put(row, next.value);
      } else if (event.key === "Backspace" || event.key === "Delete") {
        takeBack(row);
      } else {
        return; // Enter and Space press the button
      }
      event.preventDefault();
    }

    again.addEventListener("click", () => {
      if (locked()) return;
      for (const row of rows) set(row, null);
      draw();
      radiosOf(rows[0])[0].dispatchEvent(new Event("change", { bubbles: true }));
      say(words.allFree);
      tiles.get(rows[0]).focus();
    });
    table.addEventListener("change", draw); // a draft that was restored, or a script that checks a radio
    draw();

    /* ---- Dragging: the pointer decides, the tiles move only when it lets go ---- */

    const slotAt = (element) => element?.closest?.("[data-slot]") ?? null;

    function mark(slot) {
      for (const each of slotOf.values()) each.classList.toggle("target", each === slot);
    }

    let dragging = false;

    function dropped(item, event) {
      mark(null);
      if (!dragging) return; // Escape
      dragging = false;
      const { clientX, clientY } = event.changedTouches?.[0] ?? event;
      const under = document.elementFromPoint(clientX, clientY);
      if (!board.contains(under)) return;
      const row = rows.find((each) => tiles.get(each).parentElement === item);
      const slot = slotAt(under);
      if (slot) put(row, slot.dataset.slot);
      else if (under.closest(".tray, .tray-head")) takeBack(row);
    }

    document.addEventListener("keydown", (event) => {
      if (!dragging || event.key !== "Escape") return;
      event.preventDefault();
      dragging = false;
      mark(null);
      document.querySelector(".sortable-fallback")?.remove(); // what follows the pointer
    });

    booth.load(words.sortableScript).then(() => {
      for (const home of [tray, ...board.querySelectorAll(".slot-hold")]) {
        Sortable.create(home, {
          group: card.id,
          draggable: ".tile-item",
          sort: false,
          delay: 120, // a finger that scrolls is not dragging
          delayOnTouchOnly: true,
          touchStartThreshold: 4,
          forceFallback: true, // the browsers' own dragging does not start on a button everywhere
          fallbackOnBody: true,
          fallbackTolerance: 4, // a hand that shakes while it presses drags nothing
          ghostClass: "tile-ghost",
          onStart: () => { dragging = true; },
          onMove: ({ to }) => {
            if (dragging) mark(slotAt(to));
            return false;
          },
          onEnd: ({ item, originalEvent }) => dropped(item, originalEvent),
        });
      }
    }).catch((failure) => console.warn(failure.message)); // taps and keys remain
  }

  booth.onScreen(() => {
    for (const card of booth.form.querySelectorAll("[data-card=ranking]")) {
      if (!card.querySelector(".board")) open(card);
    }
    booth.cards.count();
  });
})();
