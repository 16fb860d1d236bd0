/* Small helpers of plain pages: copy buttons, and forgetting what this device kept of a finished study. */
(() => {
  "use strict";

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard; // absent on plain http; the text can still be selected
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      const source = document.querySelector(button.dataset.copy);
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      button.textContent = button.dataset.copied;
    });
  }

  if (document.querySelector("[data-forget]")) {
    try {
      const ours = Object.keys(localStorage).filter((name) => name.startsWith("concord:"));
      ours.forEach((name) => localStorage.removeItem(name));
    } catch (refusal) {
      if (!(refusal instanceof DOMException)) throw refusal; // storage is forbidden: nothing was kept
    }
  }
})();
