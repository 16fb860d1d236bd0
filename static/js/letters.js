/* Counts the characters of a text as it is written. The server decides; without scripts it says so. */
(() => {
  "use strict";

  for (const field of document.querySelectorAll("[data-letters]")) {
    const line = document.getElementById(field.dataset.letters);
    const shortest = Number(field.dataset.shortest);
    const count = () => {
      const n = [...field.value.trim().replaceAll("\r\n", "\n")].length;
      const words = n < shortest ? line.dataset.few : line.dataset.enough;
      line.textContent = words.replace("{n}", n);
      line.classList.toggle("too-few", n < shortest);
    };
    field.addEventListener("input", count);
    count();
  }

  // A second click while the first one travels: the server sends once, the button says so.
  for (const form of document.querySelectorAll(".act form")) {
    form.addEventListener("submit", () => {
      const button = form.querySelector("button");
      setTimeout(() => { button.disabled = true; });
    });
  }

  addEventListener("pageshow", () => {
    for (const button of document.querySelectorAll(".act form button")) button.disabled = false;
  });
})();
