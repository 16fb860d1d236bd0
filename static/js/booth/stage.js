/*
 * Pictures: loading, failing, the larger view; the wish and folded parts; the next screen's media,
 * fetched while this one is being rated.
 */
(() => {
  "use strict";

  const LOADING_AFTER = 400;
  const ZOOMS = [1, 1.5, 2, 3, 4]; // times the size that fits the window

  const zoom = document.querySelector("dialog.zoom");
  const view = zoom.querySelector(".zoom-view");
  const watched = new WeakSet(); // pictures that have their listeners
  const ahead = new Map(); // address -> element that fetches it for the next screen
  let unit, zoomStep, asked;

  /* ---- Pictures ---- */

  const stimulusOf = (element) => element.closest(".stimulus");
  const pictures = () => [...unit.querySelectorAll("img[data-stimulus]")];

  function showFailure(picture, failed) {
    picture.closest(".picture").hidden = failed;
    stimulusOf(picture).querySelector("[data-failed]").hidden = !failed;
    const zoomed = stimulusOf(picture).querySelector("[data-zoom]") ?? unit.querySelector("[data-zoom]");
    if (zoomed) zoomed.hidden = failed;
  }

  function settled() {
    const all = pictures();
    if (!all.every((picture) => picture.complete)) return;
    const line = unit.querySelector("[data-loading]");
    if (line) line.hidden = true;
    if (unit.querySelector("[data-clip]") === null) ready();
  }

  function ready() {
    booth.timing.mediaReady();
    fetchAhead();
  }

  function watchPictures() {
    for (const picture of pictures()) {
      if (!watched.has(picture)) {
        watched.add(picture);
        picture.addEventListener("load", () => { showFailure(picture, false); settled(); });
        picture.addEventListener("error", () => { showFailure(picture, true); settled(); });
      }
      if (picture.complete && picture.naturalWidth === 0) showFailure(picture, true);
    }
    setTimeout(() => {
      const line = unit.querySelector("[data-loading]");
      if (line) line.hidden = pictures().every((picture) => picture.complete);
    }, LOADING_AFTER);
    settled();
  }

  // A failed answer may be remembered under the old address.
  function fresh(address) {
    const url = new URL(address, document.baseURI);
    url.searchParams.set("again", Date.now());
    return url.href;
  }

  /* ---- The next screen's media ---- */

  // data-ahead: an address that names them. Not on a line that is paid by volume.
  async function fetchAhead() {
    const { ahead: address } = unit.querySelector("[data-stimuli]").dataset;
    const { value: screen } = booth.form.elements.key;
    if (!address || asked === screen || navigator.connection?.saveData) return;
    asked = screen; // once a screen
    let media;
    try {
      const reply = await fetch(address, { headers: { Accept: "application/json" }, priority: "low" });
      if (!reply.ok) return;
      ({ media } = await reply.json());
    } catch (failure) {
      // The line is down, or the page is leaving: then the next screen fetches its media itself.
      if (failure instanceof TypeError || failure instanceof DOMException) return;
      throw failure;
    }
    for (const { url, kind } of media) {
      if (ahead.has(url)) continue;
      const element = kind === "image" ? new Image() : document.createElement(kind);
      if (kind !== "image") Object.assign(element, { preload: "auto", muted: true });
      element.src = url;
      ahead.set(url, element); // held, so that loading goes on until it is needed
    }
  }

  /* ---- Larger ---- */

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

  // `link` is the picture's own, in a set; the one of a single picture lies outside of it.
  function openZoom(link) {
    const own = link.closest(".stimulus")?.querySelector("img[data-stimulus]");
    const picture = own ?? pictures()[0];
    if (!picture?.naturalWidth) return;
    const larger = new Image();
    larger.alt = picture.alt;
    larger.src = picture.currentSrc;
    view.replaceChildren(larger);
    zoom.showModal();
    larger.decode().then(() => scaleZoom(0, false));
  }

  /* ---- Folded parts remember how the person left them ---- */

  const meaningsName = (part) => `concord:meanings:${part.dataset.meanings}`;

  function foldParts() {
    for (const part of unit.querySelectorAll("[data-meanings]")) {
      const left = booth.onDevice((store) => store.getItem(meaningsName(part))).value;
      if (left) part.open = left === "open";
      part.addEventListener("toggle", () => booth.onDevice((store) => {
        store.setItem(meaningsName(part), part.open ? "open" : "closed");
      }));
    }
  }

  // A long wish is cut to two lines on phones and opens on a tap or with Enter.
  function foldWish() {
    const wish = unit.querySelector("[data-asked]");
    if (!wish || wish.scrollHeight <= wish.clientHeight + 2) return;
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

  booth.onScreen(() => {
    unit = booth.unit;
    for (const used of unit.querySelectorAll("[data-stimulus]")) ahead.delete(used.getAttribute("src"));
    watchPictures();
    foldParts();
    foldWish();
  });

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    if (on("[data-zoom]")) {
      event.preventDefault();
      openZoom(on("[data-zoom]"));
    } else if (on("[data-zoom-by]")) {
      scaleZoom(zoomStep + Number(on("[data-zoom-by]").dataset.zoomBy));
    } else if (on("[data-zoom-close]")) {
      zoom.close();
    } else if (on("[data-load-again]")) {
      const picture = stimulusOf(on("[data-load-again]")).querySelector("img[data-stimulus]");
      if (picture) picture.src = fresh(picture.src);
    }
  });
  view.addEventListener("dblclick", () => scaleZoom(zoomStep ? 0 : 2));
  view.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons === 1) view.scrollBy(-event.movementX, -event.movementY);
  });
  view.addEventListener("dragstart", (event) => event.preventDefault());

  booth.stage = { fresh, ready };
})();
