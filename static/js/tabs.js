// The row of tabs may be wider than the window: it opens with the current one in sight.
{
  const tabs = document.querySelector(".tabs");
  const current = tabs?.querySelector("[aria-current]");
  if (current) {
    const row = tabs.getBoundingClientRect();
    const tab = current.getBoundingClientRect();
    tabs.scrollLeft += tab.left + tab.width / 2 - (row.left + row.width / 2);
  }

  // A finger chooses from the device's own list, and means it. Keys pass through the choices on
  // their way, so they keep the button.
  const menu = document.querySelector(".tabs-menu");
  if (menu && matchMedia("(pointer: coarse)").matches) {
    menu.elements.to.addEventListener("change", () => menu.requestSubmit());
  }
}
