/*
 * Nothing an annotator enters is lost. Each answer is kept on this device at once and on the server
 * a moment later. The copy here stays until the screen is sent: a page that is loaded meanwhile may
 * have been drawn before the server had the last draft.
 *
 * Draft: POST to form[data-draft], form-encoded: every field of the form and `counter`, which only
 * grows. 204: kept. 409: this screen is no longer open, the study went on elsewhere.
 */
(() => {
  "use strict";

  const CHOICE_DELAY = 150;
  const TEXT_DELAY = 1500;
  const PRIVATE = new Set(["csrfmiddlewaretoken", "key"]);

  const { words, say, line, onDevice } = booth;
  const { showState, trouble, away, renew, wait } = booth.sending;

  let form, counter, acknowledged, draftTimer;
  let onItsWay = null; // the draft that is

  const unsent = () => counter > acknowledged;

  /* ---- This device ---- */

  const storeName = () => `concord:draft:${form.dataset.draft}:${form.elements.key.value}`;

  const fields = () => [...new FormData(form)].filter(([name]) => !PRIVATE.has(name));

  const keep = () => onDevice((store) => {
    booth.timing.tick();
    store.setItem(storeName(), JSON.stringify({ counter, fields: fields() }));
  }).done;

  const forget = () => onDevice((store) => store.removeItem(storeName()));

  /* Copies of this person's other screens, which are closed: skipped, or sent from another window. */
  const clear = () => onDevice((store) => {
    const own = `concord:draft:${form.dataset.draft.replace(/\d+\/draft\/$/, "")}`;
    for (const name of Object.keys(store)) {
      if (name.startsWith(own) && name !== storeName()) store.removeItem(name);
    }
  });

  function restore() {
    const { value: kept } = onDevice((store) => store.getItem(storeName()));
    if (!kept) return;
    const draft = JSON.parse(kept);
    if (draft.counter <= counter) {
      forget();
      return;
    }
    counter = draft.counter;
    const has = ({ name, value }) => draft.fields.some((pair) => pair[0] === name && pair[1] === value);
    for (const field of form.elements) {
      if (!field.name || PRIVATE.has(field.name)) continue;
      if (field.type === "radio" || field.type === "checkbox") field.checked = has(field);
      else if ("value" in field && field.localName !== "button") {
        field.value = draft.fields.find(([name]) => name === field.name)?.[1] ?? field.value;
      }
    }
    send();
  }

  /* ---- Drafts ---- */

  function changed(delay) {
    if (!form) return; // a preview saves nothing
    counter += 1;
    keep();
    clearTimeout(draftTimer);
    draftTimer = setTimeout(send, delay);
  }

  // The reply's status; 0: the line is down; null: the screen itself is being sent instead.
  async function post(body, leaving) {
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    const { signal } = onItsWay = new AbortController();
    try {
      return (await fetch(form.dataset.draft, { method: "POST", body, headers, signal, keepalive: leaving })).status;
    } catch (failure) {
      if (signal.aborted) return null;
      if (!(failure instanceof TypeError)) throw failure; // a TypeError is a line that is down
      return 0;
    }
  }

  // A draft that the sent screen overtakes would be told that its screen is closed.
  function rest() {
    clearTimeout(draftTimer);
    onItsWay?.abort();
  }

  async function send(leaving = false) {
    clearTimeout(draftTimer);
    if (!form || !unsent() || line.sending) return;
    const from = form;
    const sent = counter;
    booth.timing.tick();
    const body = new URLSearchParams(new FormData(form));
    body.set("counter", sent);
    if (line.failures === 0) showState(words.saving);
    let status = await post(body, leaving === true);
    if (status === 403 && from === form && (await renew())) {
      body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
      status = await post(body, false);
    }
    if (from !== form || status === null) return;
    if (status >= 200 && status < 300) arrived(sent);
    else failed(status);
  }

  function arrived(sent) {
    acknowledged = Math.max(acknowledged, sent);
    line.renewed = false;
    if (unsent()) return;
    if (line.stuck) return;
    if (line.failures) {
      say(words.back);
      trouble("");
    }
    showState(line.failures ? words.back : words.saved);
    line.failures = 0;
  }

  function failed(status) {
    showState(words.kept, true);
    if (status === 409) away(words.elsewhere);
    if (status >= 400 && status < 500) return; // trying again would not help; the submit will tell why
    const what = status ? words.refused : words.offline;
    if (line.failures === 0) say(what, "alarm");
    if (!line.stuck) trouble(what); // on a phone the head, with the state of saving, may be out of sight
    line.failures += 1;
    draftTimer = setTimeout(send, wait() * 1000);
  }

  /* ---- Events ---- */

  booth.onScreen(() => {
    clearTimeout(draftTimer);
    form = booth.form.matches("[data-draft]") ? booth.form : null;
    if (!form) return;
    counter = acknowledged = Number(form.dataset.counter) || 0;
    clear();
    restore();
  });

  const isAnswer = (field) => Boolean(form?.contains(field) && field.name);
  const isText = (field) => field.matches("textarea, input[type=number], input[type=text]");

  document.addEventListener("change", (event) => {
    if (isAnswer(event.target) && !event.target.matches("textarea")) changed(CHOICE_DELAY);
  });
  document.addEventListener("input", (event) => {
    if (isAnswer(event.target) && isText(event.target)) changed(TEXT_DELAY);
  });
  document.addEventListener("focusout", (event) => {
    if (isAnswer(event.target) && isText(event.target)) send();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") send(true);
  });
  window.addEventListener("pagehide", () => send(true));
  window.addEventListener("online", () => { if (!line.stuck) send(); });
  window.addEventListener("beforeunload", (event) => {
    // Anything younger goes out with the page itself; only what has already failed is at risk.
    if (form && (line.stuck || (line.failures && unsent()))) event.preventDefault();
  });

  booth.save = { keep, forget, changed: () => changed(CHOICE_DELAY), rest };
})();
