"""The first screen on a slow line and a slow processor: python benchmarks/first_screen.py

A site of its own in a scratch folder, and Chromium as a phone on 1.6 Mbit/s with a delay of 150 ms
and a processor slowed to a quarter. Printed are, over ``--times`` fresh browsers, the median and
the worst of: first text, picture there, the bytes and requests before it, how far the page moved
(layout shift), from a key to the choice that shows, and from Next to the next screen. The baseline
is the same browser and page on the plain line. Needs the development requirements.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import time

import annotate
from scratch import scratch_site

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
LINE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
WATCH = """
window.moved = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.moved += each.value;
}).observe({ type: "layout-shift", buffered: true });
"""
FIGURES = """
() => {
  const all = performance.getEntriesByType("resource");
  const page = performance.getEntriesByType("navigation")[0];
  const media = (each) => each.name.includes("/media/");
  const ours = [page, ...all.filter((each) => !media(each))];
  return {
    "first text, ms": performance.getEntriesByName("first-contentful-paint")[0].startTime,
    "picture there, ms": Math.max(0, ...all.filter(media).map((each) => each.responseEnd)),
    "KB of page": ours.reduce((sum, each) => sum + each.transferSize, 0) / 1024,
    "requests": ours.length,
    "layout shift": window.moved,
  };
}
"""
CHOOSE = """
() => new Promise((done) => {
  const start = performance.now();
  document.querySelector("input[type=radio]").closest("label").click();
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})
"""


def look(browser, address: str, *, slow: bool) -> dict[str, float]:
    """One fresh visitor."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, bypass_csp=True
    )
    page = context.new_page()
    if slow:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", LINE)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    found = page.evaluate(FIGURES)
    found["choice shown, ms"] = page.evaluate(CHOOSE)
    for scale in page.locator("fieldset.question").all():
        scale.locator("label").nth(1).click()
    heading = page.locator("#place").text_content()
    page.wait_for_load_state("networkidle")
    start = time.monotonic()
    page.locator("[data-next]").click()
    page.wait_for_function(
        "was => document.querySelector('#place').textContent !== was", arg=heading
    )
    found["Next to next, ms"] = 1000 * (time.monotonic() - start)
    context.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=7)
    arguments = parser.parse_args()
    with scratch_site("first-screen"):
        measure(arguments.times)
    return 0


def measure(times: int) -> None:
    from django.core.management import call_command
    from playwright.sync_api import sync_playwright

    from config.serve import free_port

    call_command("collectstatic", verbosity=0, interactive=False)
    site = argparse.Namespace(
        people=2 * times, units=200, k=30, session=20, repeats=0, workers=1, threads=8
    )
    tokens = annotate.build(site)
    port = free_port(8760)
    process = annotate.server(site, port)
    try:
        annotate.wait_for(port)
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        with sync_playwright() as player:
            browser = player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name, slow in (("plain line", False), ("slow line and processor", True)):
                part = tokens[:times] if slow else tokens[times:]
                addresses = [f"http://127.0.0.1:{port}/a/{token}/now/" for token in part]
                show(name, [look(browser, address, slow=slow) for address in addresses])
            browser.close()
    finally:
        process.terminate()
        process.wait(timeout=30)


def show(name: str, seen: list[dict[str, float]]) -> None:
    print(f"{name}, {len(seen)} visitors{'median':>24}{'worst':>10}")
    for figure in seen[0]:
        values = [each[figure] for each in seen]
        print(f"  {figure:<36}{statistics.median(values):>10.4g}{max(values):>10.4g}")


if __name__ == "__main__":
    sys.exit(main())
