/*
 * What the parts of the rating screen share. Each part registers what it does with a new screen;
 * parts that are loaded late (clips, a ranking) get the screen that is already open.
 */
window.booth = (() => {
  "use strict";

  const openers = [];
  const loaded = new Map(); // address of a script -> promise
  const booth = {
    unit: null, // main#unit
    form: null, // form#answers
    words: document.getElementById("words").dataset,
  };

  /* A number in the digits of the page's language. For people only: machines keep 0 to 9. */
  const digits = [...booth.words.digits];
  booth.figures = (value) => String(value).replace(/[0-9]/g, (digit) => digits[digit]);

  /* The words of the page with their numbers: fill("{n} of {total}", {n: 2, total: 3}). */
  booth.fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (
    values[name] == null ? whole : booth.figures(values[name])));

  /* Tell those who hear the page. The same words twice in a row are said again. */
  booth.say = (text, region = "said") => {
    const place = document.getElementById(region);
    if (place.textContent === text) place.textContent = "";
    place.textContent = text;
  };

  /* Storage may be full or forbidden; whatever is kept there is a second copy, or a convenience. */
  booth.onDevice = (act) => {
    try {
      return { done: true, value: act(window.localStorage) };
    } catch (refusal) {
      if (refusal instanceof DOMException) return { done: false };
      throw refusal;
    }
  };

  booth.load = (address) => {
    if (!loaded.has(address)) {
      loaded.set(address, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = address;
        script.onload = resolve;
        script.onerror = () => {
          loaded.delete(address); // the line may be back at the next screen
          script.remove();
          reject(new Error(`could not load ${address}`));
        };
        document.head.append(script);
      }));
    }
    return loaded.get(address);
  };

  /* `opener({arrived, same})` is called for each screen. arrived: it came by a swap, not with the page;
     same: it is the one that was there, with another step open or with gaps named. */
  booth.onScreen = (opener) => {
    openers.push(opener);
    if (booth.unit) opener({ arrived: false, same: false });
  };

  booth.open = (arrived) => {
    const before = booth.form?.elements.key.value;
    booth.unit = document.getElementById("unit");
    booth.form = document.getElementById("answers");
    const same = arrived && before !== "" && before === booth.form.elements.key.value;
    for (const opener of openers) opener({ arrived, same });
    const late = [...booth.unit.querySelectorAll("[data-script]")].map((part) => part.dataset.script);
    if (booth.form.querySelector("[data-rank-table]")) late.push(booth.words.rankingScript);
    for (const address of late) {
      // Without it the part works as plain form fields, or with the browser's own controls.
      booth.load(address).catch((failure) => console.warn(failure.message));
    }
  };

  return booth;
})();
