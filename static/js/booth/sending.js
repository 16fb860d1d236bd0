/*
 * Sending a screen. One that could not be sent stays, says so, and is sent again with the same key,
 * so that nothing is doubled. A form that was open for too long gets a new token quietly, once.
 */
(() => {
  "use strict";

  const WAITS = [1, 2, 4, 8, 15, 30]; // seconds between attempts
  const REQUEST_LIMIT = 20000;
  const SLOW = 4000;

  const { words, say } = booth;

  /* failures: attempts in a row that did not arrive, drafts and submits alike.
     sending: a submit is on its way. stuck: one failed and waits for its next attempt.
     renewed: the form got a new token since something last arrived. */
  const line = { failures: 0, sending: false, stuck: false, renewed: false };
  let form, waitTimer, slowTimer;
  let renewing = null; // a new token is being asked for

  const part = (name) => form.querySelector(`[data-${name}]`);
  // The button that sends: of a step, or of the screen.
  const sender = () => form.querySelector("[data-next]");

  function showState(text, trouble = false) {
    const place = booth.unit.querySelector("[data-save-state]");
    place.textContent = text;
    place.classList.toggle("trouble", trouble);
  }

  function trouble(text, button) {
    part("trouble").hidden = !text;
    part("trouble").classList.toggle("bad", Boolean(button));
    part("trouble-text").textContent = text;
    part("try-now").hidden = button !== "try-now";
    part("carry-on").hidden = button !== "carry-on";
  }

  const wait = () => WAITS[Math.min(line.failures, WAITS.length) - 1];

  function showSending(on) {
    line.sending = on;
    const button = sender();
    clearTimeout(slowTimer);
    if (on) {
      button.dataset.name = button.textContent;
      button.textContent = words.sending;
      button.setAttribute("aria-disabled", "true");
      slowTimer = setTimeout(() => {
        trouble(words.slow);
        say(words.slow);
      }, SLOW);
    } else {
      button.textContent = button.dataset.name;
      button.removeAttribute("aria-disabled");
    }
  }

  /* ---- A token that ran out ---- */

  // True: the form has a new token and its screen is still this one.
  function renew() {
    if (renewing) return renewing; // a draft and a submit were refused together
    if (line.renewed) return Promise.resolve(false);
    line.renewed = true;
    renewing = renewed().finally(() => { renewing = null; });
    return renewing;
  }

  async function renewed() {
    const from = form;
    let reply;
    try {
      reply = await fetch(form.action, { headers: { Accept: "text/html" } });
    } catch (failure) {
      if (!(failure instanceof TypeError)) throw failure; // a TypeError is a line that is down
      line.renewed = false;
      return false;
    }
    if (!reply.ok || from !== form) return false;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const fresh = page.getElementById("answers")?.elements;
    if (!fresh || fresh.key.value !== form.elements.key.value) return false;
    for (const field of document.getElementsByName("csrfmiddlewaretoken")) {
      field.value = fresh.csrfmiddlewaretoken.value;
    }
    return true;
  }

  /* ---- A screen that did not arrive ---- */

  async function submitFailed(status) {
    if (status === 403) {
      line.stuck = true;
      if (await renew()) {
        sendAgain();
        return;
      }
    }
    line.stuck = true;
    showState(words.kept, true);
    if (status >= 400 && status < 500 && status !== 429) {
      away(words.away);
      return;
    }
    const kept = booth.save.keep();
    const what = status ? words.refused : kept ? words.offline : words.offlineOpen;
    if (line.failures === 0) say(what, "alarm");
    line.failures += 1;
    const spread = 1 + Math.random() * 0.25; // so that a room of people does not return at once
    countDown(what, Math.round(wait() * spread));
  }

  // Only opening the screen anew helps; the link does, and the answers come back from the draft.
  function away(text) {
    trouble(text, "carry-on");
    say(text, "alarm");
  }

  function countDown(what, seconds) {
    clearTimeout(waitTimer);
    if (seconds <= 0) {
      sendAgain();
      return;
    }
    trouble(`${what} ${booth.fill(words.again, { n: seconds })}`, "try-now");
    waitTimer = setTimeout(() => countDown(what, seconds - 1), 1000);
  }

  function sendAgain() {
    clearTimeout(waitTimer);
    if (line.sending || !line.stuck) return;
    showState(words.retrying, true);
    form.requestSubmit(sender());
  }

  /* ---- Events ---- */

  const ours = (event) => form && event.detail.requestConfig?.elt === form;

  booth.onScreen(() => {
    clearTimeout(waitTimer);
    clearTimeout(slowTimer);
    const recovered = line.stuck && line.failures > 0;
    Object.assign(line, { failures: 0, sending: false, stuck: false, renewed: false });
    form = booth.form.matches("[data-draft]") ? booth.form : null;
    if (form && recovered) {
      showState(words.back);
      say(words.back);
    }
  });

  window.addEventListener("online", () => { if (line.stuck) sendAgain(); });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-try-now]")) sendAgain();
    if (event.target.closest("[data-carry-on]")) line.stuck = false;
  });
  document.addEventListener("submit", (event) => {
    if (event.target === form && line.sending) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, true);
  document.addEventListener("htmx:configRequest", (event) => {
    if (form && event.detail.elt === form) event.detail.timeout = REQUEST_LIMIT;
  });
  document.addEventListener("htmx:beforeSend", (event) => {
    if (!ours(event)) return;
    booth.save.rest();
    if (!line.stuck) trouble("");
    showSending(true);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    // A screen that was taken needs no copy here; one that came back with gaps does.
    if (ours(event) && event.detail.xhr.status < 300) booth.save.forget();
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!ours(event) || !form.isConnected) return;
    if (event.detail.xhr.getResponseHeader("HX-Redirect")) line.stuck = false; // taken; the page is leaving
    else showSending(false);
  });
  document.addEventListener("htmx:sendError", (event) => { if (ours(event)) submitFailed(0); });
  document.addEventListener("htmx:timeout", (event) => { if (ours(event)) submitFailed(0); });
  document.addEventListener("htmx:responseError", (event) => {
    if (ours(event) && event.detail.xhr.status !== 422) submitFailed(event.detail.xhr.status);
  });

  booth.line = line;
  booth.sending = { showState, trouble, away, renew, wait };
})();
