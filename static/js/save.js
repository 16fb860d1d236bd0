/*
 * Nothing an annotator enters is lost. Each answer is kept on this device at once and on the server
 * a moment later; a screen that could not be sent stays, says so, and is sent again with the same key.
 *
 * Draft: POST to form[data-draft], form-encoded: every field of the form and `counter`, which only grows.
 */
(() => {
  "use strict";

  const WAITS = [1, 2, 4, 8, 15, 30]; // seconds between attempts
  const CHOICE_DELAY = 150;
  const TEXT_DELAY = 1500;
  const REQUEST_LIMIT = 20000;
  const SLOW = 4000;

  const words = document.getElementById("words").dataset;
  const say = (region, text) => { document.getElementById(region).textContent = text; };

  let form, counter, acknowledged, draftTimer;
  let failures = 0; // attempts in a row that did not arrive, drafts and submits alike
  let sending = false; // a submit is on its way
  let stuck = false; // a submit failed and is waiting for its next attempt
  let waitTimer, slowTimer;

  const part = (name) => form.querySelector(`[data-${name}]`);
  const unsent = () => counter > acknowledged;

  function showState(text, trouble = false) {
    const place = form.closest("#unit").querySelector("[data-save-state]");
    place.textContent = text;
    place.classList.toggle("trouble", trouble);
  }

  /* ---- This device ---- */

  const storeName = () => `concord:draft:${form.dataset.draft}:${form.elements.key.value}`;

  const fields = () => [...new FormData(form)].filter(
    ([name]) => name !== "csrfmiddlewaretoken" && name !== "key",
  );

  // Storage may be full or forbidden: then the server's draft is the only one.
  function onDevice(act) {
    try {
      return { done: true, value: act(window.localStorage) };
    } catch (refusal) {
      if (refusal instanceof DOMException) return { done: false };
      throw refusal;
    }
  }

  const keep = () => onDevice((store) => {
    store.setItem(storeName(), JSON.stringify({ counter, fields: fields() }));
  });

  const forget = (name) => onDevice((store) => store.removeItem(name));

  function restore() {
    const { value: kept } = onDevice((store) => store.getItem(storeName()));
    if (!kept) return;
    const draft = JSON.parse(kept);
    if (draft.counter <= counter) {
      forget(storeName());
      return;
    }
    counter = draft.counter;
    form.querySelectorAll("input[type=radio]:checked").forEach((radio) => { radio.checked = false; });
    for (const [name, value] of draft.fields) {
      const field = form.elements[name];
      if (field) field.value = value; // a group of radio buttons takes a value as a text box does
    }
    sendDraft();
  }

  /* ---- Drafts ---- */

  function changed(delay) {
    counter += 1;
    keep();
    clearTimeout(draftTimer);
    draftTimer = setTimeout(sendDraft, delay);
  }

  async function sendDraft(leaving = false) {
    clearTimeout(draftTimer);
    if (!form || !unsent() || sending) return;
    const from = form;
    const name = storeName();
    const sent = counter;
    const body = new URLSearchParams(new FormData(form));
    body.set("counter", sent);
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    if (failures === 0) showState(words.saving);
    let status = 0;
    try {
      const reply = await fetch(form.dataset.draft, {
        method: "POST", body, headers, keepalive: leaving === true,
      });
      status = reply.status;
    } catch (failure) {
      if (!(failure instanceof TypeError)) throw failure; // a TypeError is a line that is down
    }
    if (from !== form) return;
    if (status >= 200 && status < 300) draftArrived(name, sent);
    else draftFailed(status);
  }

  function draftArrived(name, sent) {
    acknowledged = Math.max(acknowledged, sent);
    if (unsent()) return;
    forget(name);
    if (stuck) return;
    if (failures) say("said", words.back);
    showState(failures ? words.back : words.saved);
    failures = 0;
  }

  function draftFailed(status) {
    showState(words.kept, true);
    if (status >= 400 && status < 500) return; // trying again would not help; the submit will tell why
    if (failures === 0) say("alarm", words.offline);
    failures += 1;
    draftTimer = setTimeout(sendDraft, wait() * 1000);
  }

  const wait = () => WAITS[Math.min(failures, WAITS.length) - 1];

  /* ---- Sending a screen ---- */

  function showSending(on) {
    sending = on;
    const button = part("next");
    clearTimeout(slowTimer);
    if (on) {
      button.dataset.name = button.textContent;
      button.textContent = words.sending;
      button.setAttribute("aria-disabled", "true");
      slowTimer = setTimeout(() => {
        trouble(words.slow);
        say("said", words.slow);
      }, SLOW);
    } else {
      button.textContent = button.dataset.name;
      button.removeAttribute("aria-disabled");
    }
  }

  function trouble(text, button) {
    part("trouble").hidden = !text;
    part("trouble").classList.toggle("bad", Boolean(button));
    part("trouble-text").textContent = text;
    part("try-now").hidden = button !== "try-now";
    part("carry-on").hidden = button !== "carry-on";
  }

  function submitFailed(status) {
    stuck = true;
    showState(words.kept, true);
    if (status >= 400 && status < 500 && status !== 429) {
      trouble(words.away, "carry-on");
      say("alarm", words.away);
      return;
    }
    const kept = keep().done;
    const what = status ? words.refused : kept ? words.offline : words.offlineOpen;
    if (failures === 0) say("alarm", what);
    failures += 1;
    const spread = 1 + Math.random() * 0.25; // so that a room of people does not return at once
    countDown(what, Math.round(wait() * spread));
  }

  function countDown(what, seconds) {
    clearTimeout(waitTimer);
    if (seconds <= 0) {
      sendAgain();
      return;
    }
    trouble(`${what} ${words.again.replace("{n}", seconds)}`, "try-now");
    waitTimer = setTimeout(() => countDown(what, seconds - 1), 1000);
  }

  function sendAgain() {
    clearTimeout(waitTimer);
    if (sending || !stuck) return;
    showState(words.retrying, true);
    form.requestSubmit(part("next"));
  }

  /* ---- Each new screen ---- */

  function open() {
    clearTimeout(draftTimer);
    clearTimeout(waitTimer);
    clearTimeout(slowTimer);
    const recovered = stuck && failures > 0;
    sending = stuck = false;
    failures = 0;
    form = document.querySelector("form[data-draft]");
    if (!form) return;
    counter = acknowledged = Number(form.dataset.counter) || 0;
    restore();
    if (recovered) {
      showState(words.back);
      say("said", words.back);
    }
  }

  const ours = (event) => form && event.detail.requestConfig?.elt === form;

  document.addEventListener("change", (event) => {
    if (form?.contains(event.target) && event.target.type === "radio") changed(CHOICE_DELAY);
  });
  document.addEventListener("input", (event) => {
    if (form?.contains(event.target) && event.target.matches("textarea")) changed(TEXT_DELAY);
  });
  document.addEventListener("focusout", (event) => {
    if (form?.contains(event.target) && event.target.matches("textarea")) sendDraft();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") sendDraft(true);
  });
  window.addEventListener("pagehide", () => sendDraft(true));
  window.addEventListener("online", () => (stuck ? sendAgain() : sendDraft()));
  window.addEventListener("beforeunload", (event) => {
    // Anything younger goes out with the page itself; only what has already failed is at risk.
    if (form && (stuck || (failures && unsent()))) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-try-now]")) sendAgain();
    if (event.target.closest("[data-carry-on]")) stuck = false;
  });
  document.addEventListener("submit", (event) => {
    if (event.target === form && sending) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, true);
  document.addEventListener("htmx:configRequest", (event) => {
    if (form && event.detail.elt === form) event.detail.timeout = REQUEST_LIMIT;
  });
  document.addEventListener("htmx:beforeSend", (event) => {
    if (!ours(event)) return;
    clearTimeout(draftTimer);
    if (!stuck) trouble("");
    showSending(true);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    // A screen that was taken needs no copy here; one that came back with gaps does.
    if (ours(event) && event.detail.xhr.status < 300) forget(storeName());
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!ours(event) || !form.isConnected) return;
    if (event.detail.xhr.getResponseHeader("HX-Redirect")) stuck = false; // taken, and the page is leaving
    else showSending(false);
  });
  document.addEventListener("htmx:sendError", (event) => { if (ours(event)) submitFailed(0); });
  document.addEventListener("htmx:timeout", (event) => { if (ours(event)) submitFailed(0); });
  document.addEventListener("htmx:responseError", (event) => {
    if (ours(event) && event.detail.xhr.status !== 422) submitFailed(event.detail.xhr.status);
  });
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt.id === "unit") open();
  });
  open();
})();
