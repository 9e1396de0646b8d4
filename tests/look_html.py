"""Opens the HTML reports in headless Chromium, measures them, and takes their pictures.

    python -m tests.look_html [OUT]      the reports and their pictures go to the folder OUT (default html-look)

A finding is printed and makes the exit code 1: a message on the browser's console, a formula that cannot be seen, or
a page that scrolls sideways at the width of a phone or of a desk.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from symroof import hardware, library
from symroof.publishing import edition
from symroof.settings import worked_settings

PHONE, DESK = 360, 1280
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# The page in a frame of the wanted width, since a browser's own window has a least width; measured from outside.
_FRAME = """<!DOCTYPE html><meta charset="utf-8"><style>body {{ margin: 0 }} iframe {{ border: 0 }}</style>
<iframe width="{width}" height="{height}" srcdoc="{page}"></iframe>
"""
_MEASURE = """<script>
addEventListener("load", () => {
  const frame = document.querySelector("iframe"), page = frame.contentDocument, root = page.documentElement
  const size = one => one.getBoundingClientRect()
  const clipped = one => one.parentElement.closest(".scroll, .formula, figure, p, dd")
  const found = {
    formulas: page.querySelectorAll("math").length,
    unseen: [...page.querySelectorAll("math")].filter(one => !(size(one).width > 1 && size(one).height > 4)).length,
    width: Math.max(root.scrollWidth, page.body.scrollWidth),
    wide: [...page.body.querySelectorAll("*")].filter(one => !clipped(one) && size(one).right > frame.width)
      .map(one => one.tagName + "." + one.className),
    height: root.scrollHeight,
  }
  document.body.innerHTML = "<pre id=measured></pre>"
  document.getElementById("measured").textContent = JSON.stringify(found)
})
</script>
"""


def browser() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def written(name: str, *, figures: bool = True) -> str:
    settings = worked_settings(library.find(name), {}, on=hardware.DEFAULT_CHIP, dtype=hardware.DEFAULT_DTYPE)
    return edition(settings, figures=figures).text("html")


def opened(page: Path, *options: str) -> tuple[str, list[str]]:
    """What the browser prints for a page, and what the page said on its console."""
    command = [str(browser()), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
    done = subprocess.run(
        [*command, "--enable-logging=stderr", "--log-level=0", *options, page.resolve().as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout, re.findall(r":CONSOLE.*", done.stderr)


def framed(page: str, folder: Path, width: int, height: int, script: str = "") -> Path:
    path = folder / "frame.html"
    path.write_text(_FRAME.format(width=width, height=height, page=html.escape(page)) + script, encoding="utf-8")
    return path


def measured(page: str, folder: Path, width: int) -> tuple[int, list[str]]:
    """The height of the page at a width, and what is wrong with it."""
    text, console = opened(framed(page, folder, width, 800, _MEASURE), "--dump-dom", f"--window-size={DESK},900")
    match = re.search(r'<pre id="measured">(.*?)</pre>', text, re.DOTALL)
    assert match, text[:500]
    found = json.loads(html.unescape(match[1]))
    wrong = [f"{width} px: {line}" for line in console]
    if not found["formulas"] or found["unseen"]:
        wrong.append(f"{width} px: {found['unseen']} of {found['formulas']} formulas cannot be seen")
    if found["width"] > width or found["wide"]:
        wrong.append(f"{width} px: the page is {found['width']} px wide: {', '.join(found['wide'][:5])}")
    return found["height"], wrong


def look(name: str, folder: Path) -> list[str]:
    """Writes a report, its pictures and its print; returns what is wrong with it."""
    page = written(name)
    path = folder / f"{name}.html"
    path.write_text(page, encoding="utf-8")
    findings = []
    for width in (DESK, PHONE):
        height, wrong = measured(page, folder, width)
        findings += wrong
        for scheme, options in {"light": (), "dark": ("--blink-settings=preferredColorScheme=0",)}.items():
            picture = folder / f"{name}-{width}-{scheme}.png"
            size = f"--window-size={max(width, 500)},{height}"
            opened(framed(page, folder, width, height), f"--screenshot={picture}", size, *options)
    opened(path, f"--print-to-pdf={folder / f'{name}.pdf'}", "--no-pdf-header-footer")
    (folder / "frame.html").unlink()
    return findings


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "html-look")
    folder.mkdir(parents=True, exist_ok=True)
    if browser() is None:
        print(f"none of {', '.join(BROWSERS)} is installed")
        return 2
    failed = False
    for name in library.shipped():
        findings = look(name, folder)
        print(f"{name}: {'; '.join(findings) or 'ok'}")
        failed |= bool(findings)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
