#!/usr/bin/python3
"""Opens the pages that `mercer compare` and `mercer plot` write in headless Chromium and looks at them.

    report_in_browser.py MERCER FOLDER

Checks, in light and dark and on a phone: every canvas has drawn, nothing was said on the console, nothing was loaded from
elsewhere. Then `mercer plot --png` makes a picture by itself. Keeps screenshots in FOLDER. Exit code 77 when there is no browser to be driven.
"""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import Select
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(77)

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-quic", "--hide-scrollbars"]
# How many different colours a canvas has: 1 where nothing was drawn.
COLORS = """
return [...document.querySelectorAll("canvas")].map((canvas) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return new Set(new Uint32Array(pixels.buffer)).size;
});"""


def run(mercer, *words, environment=None):
    done = subprocess.run([mercer, *words, "-q"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


def make_table(folder):
    table = folder / "rings & <b>bows.csv"
    lines = ["x,y,kind"]
    for i in range(200):
        lines.append(f"{(1 + i % 3) * ((i * 37) % 100 / 50 - 1):.4f},{(i % 3) + (i * 53 % 97) / 200:.4f},"
                     f"{['</script><b>', 'two', 'three'][i % 3]}")
    table.write_text("\n".join(lines) + "\n")
    return table


def make_report(mercer, table, folder):
    page = folder / "report.html"
    run(mercer, "compare", table, "--label-column", "last", "--landmarks", "10,40", "--ell", "3,4", "--components", "3",
        "--repeats", "2", "-o", page)
    return page


def make_plot(mercer, table, folder):
    model, page = folder / "model.mercer", folder / "plot.html"
    run(mercer, "fit", table, "-o", model, "--label-column", "last", "--components", "3")
    run(mercer, "plot", model, table, "--label-column", "last", "-o", page)
    return page


def make_graph_plot(mercer, table, folder):
    """Eigenvalues that explain no variance, places without coordinates, no labels."""
    model, page = folder / "graph.mercer", folder / "graph.html"
    run(mercer, "fit", table, "-o", model, "--label-column", "last", "--method", "diffusion_maps", "--gamma", "200")
    run(mercer, "plot", model, table, "-o", page)
    return page


def make_picture(mercer, table, folder):
    """By a browser named in MERCER_BROWSER, which runs without its sandbox as the other checks here do."""
    browser, picture = folder / "browser", folder / "plot.png"
    browser.write_text(f'#!/bin/sh\nexec {CHROMIUM} --no-sandbox "$@"\n')
    browser.chmod(0o755)
    run(mercer, "plot", folder / "model.mercer", table, "--png", picture,
        environment={**os.environ, "MERCER_BROWSER": str(browser)})
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    assert width == 1200 and 900 < height < 1400, f"a picture of {width} x {height}"
    print(picture)


def check_text(page):
    text = page.read_text()
    assert not re.search(r"""\b(src|href)\s*=\s*["']?(https?:)?//""", text), "the page names something outside"
    assert "default-src 'none'" in text
    assert "Released under the MIT License" in text
    assert text.count("</script>") == 3, "text of the table has ended a script"


def look_at_report(browser, name):
    rows = browser.execute_script("return document.querySelectorAll('tbody tr').length")
    assert rows == 5, f"{name}: {rows} rows in the table"
    choice = Select(browser.find_element("css selector", "select"))
    before = browser.execute_script("return document.querySelectorAll('canvas')[3].toDataURL()")
    choice.select_by_index(1)
    assert browser.execute_script("return document.querySelectorAll('canvas')[3].toDataURL()") != before


def look_at_plot(browser, name):
    text = browser.find_element("css selector", "main").text
    assert "200 rows" in text and "Component 1" in text and "a line every" in text, f"{name}: {text}"


def look(browser, page, name, folder, size, dark, canvases, closer):
    browser.set_window_size(*size)
    scheme = "dark" if dark else "light"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get(page.as_uri())
    colors = browser.execute_script(COLORS)
    assert len(colors) == canvases and min(colors) > 5, f"{name}: colours of the canvases: {colors}"
    wide = browser.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{name}: the page is {wide} pixels too wide"
    closer(browser, name)
    said = [entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]]
    assert not said, f"{name}: {said}"
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert not [one for one in loaded if not one.startswith("data:")], f"{name}: loaded {loaded}"
    browser.save_screenshot(str(folder / f"{name}.png"))
    print(folder / f"{name}.png")


def main():
    if not CHROMIUM.exists() or not DRIVER.exists():
        print("skipped: chromium and chromium-driver are not installed")
        sys.exit(77)
    mercer, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    table = make_table(folder)
    report, plot, graph = (make(mercer, table, folder) for make in (make_report, make_plot, make_graph_plot))
    for page in (report, plot, graph):
        check_text(page)
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in FLAGS:
        options.add_argument(flag)
    try:
        browser = webdriver.Chrome(service=Service(str(DRIVER)), options=options)
    except WebDriverException as error:
        print(f"skipped: Chromium does not start here: {error.msg}")
        sys.exit(77)
    try:
        for page, name, canvases, closer in ((report, "", 4, look_at_report), (plot, "plot_", 5, look_at_plot),
                                             (graph, "graph_", 4, look_at_plot)):
            look(browser, page, f"{name}light", folder, (1200, 1700), False, canvases, closer)
            look(browser, page, f"{name}dark", folder, (1200, 1700), True, canvases, closer)
            look(browser, page, f"{name}phone", folder, (500, 1400), False, canvases, closer)
    finally:
        browser.quit()
    make_picture(mercer, table, folder)


if __name__ == "__main__":
    main()
