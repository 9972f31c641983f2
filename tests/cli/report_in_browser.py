#!/usr/bin/python3
"""Opens a page that `mercer compare` wrote in headless Chromium and looks at it.

    report_in_browser.py MERCER FOLDER

Checks, in light and dark and on a phone: every canvas has drawn, nothing was said on the console, nothing was loaded from
elsewhere. Keeps screenshots in FOLDER. Exit code 77 when there is no browser to be driven.
"""

import re
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


def make_page(mercer, folder):
    table = folder / "rings & <b>bows.csv"
    lines = ["x,y,kind"]
    for i in range(200):
        lines.append(f"{(1 + i % 3) * ((i * 37) % 100 / 50 - 1):.4f},{(i % 3) + (i * 53 % 97) / 200:.4f},"
                     f"{['</script><b>', 'two', 'three'][i % 3]}")
    table.write_text("\n".join(lines) + "\n")
    page = folder / "report.html"
    done = subprocess.run([mercer, "compare", table, "--label-column", "last", "--landmarks", "10,40", "--ell", "3,4",
                           "--components", "3", "--repeats", "2", "-q", "-o", page], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return page


def check_text(page):
    text = page.read_text()
    assert not re.search(r"""\b(src|href)\s*=\s*["']?(https?:)?//""", text), "the page names something outside"
    assert "default-src 'none'" in text
    assert "Released under the MIT License" in text
    assert text.count("</script>") == 3, "text of the table has ended a script"


def look(browser, page, name, folder, size, dark):
    browser.set_window_size(*size)
    scheme = "dark" if dark else "light"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get(page.as_uri())
    colors = browser.execute_script(COLORS)
    assert len(colors) == 4 and min(colors) > 5, f"{name}: colours of the canvases: {colors}"
    rows = browser.execute_script("return document.querySelectorAll('tbody tr').length")
    assert rows == 5, f"{name}: {rows} rows in the table"
    wide = browser.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{name}: the page is {wide} pixels too wide"
    choice = Select(browser.find_element("css selector", "select"))
    before = browser.execute_script("return document.querySelectorAll('canvas')[3].toDataURL()")
    choice.select_by_index(1)
    assert browser.execute_script("return document.querySelectorAll('canvas')[3].toDataURL()") != before
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
    page = make_page(mercer, folder)
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
        look(browser, page, "light", folder, (1200, 1700), dark=False)
        look(browser, page, "dark", folder, (1200, 1700), dark=True)
        look(browser, page, "phone", folder, (500, 1400), dark=False)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
