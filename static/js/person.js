/* Arrow keys go to the person before and after: never while somebody writes, never with other keys. */
(() => {
  "use strict";

  const TO = { ArrowLeft: "prev", ArrowRight: "next" };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.repeat || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable], dialog, .table")) return;
    const link = TO[event.key] && document.querySelector(`.people-nav [rel=${TO[event.key]}]`);
    if (!link) return;
    event.preventDefault();
    link.click();
  });
})();
