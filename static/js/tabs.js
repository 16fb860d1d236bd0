// The row of tabs is wider than a phone: it opens with the current one in sight.
{
  const tabs = document.querySelector(".tabs");
  const current = tabs?.querySelector("[aria-current]");
  if (current) {
    const row = tabs.getBoundingClientRect();
    const tab = current.getBoundingClientRect();
    tabs.scrollLeft += tab.left + tab.width / 2 - (row.left + row.width / 2);
  }
}
