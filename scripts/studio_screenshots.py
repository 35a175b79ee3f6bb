"""Write the pictures of the studio for its how-to: `python scripts/studio_screenshots.py` in a clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
TO = ROOT / "docs" / "how-to"
#: Name of a picture -> its width, height, scheme of colours, and what is on it.
SHOTS = {
    "studio-runs": (1400, 720, "light", "runs"),
    "studio-policy": (1400, 860, "dark", "policy"),
    "studio-run": (420, 900, "light", "run"),
    "studio-compare": (420, 900, "dark", "compare"),
}


def shoot(page: Page, base: str, what: str) -> None:
    """Go to what is on a picture."""
    if what == "policy":
        page.goto(f"{base}/#/policy/bb3")
        typed = page.get_by_label("min_completion, as a number")
        typed.fill("90")
        typed.press("Tab")
        page.locator(".outcome .moved a").first.wait_for()
    elif what == "run":
        page.goto(f"{base}/#/run/3/6")
        page.locator(".iteration.shown").wait_for()
    elif what == "compare":
        page.goto(f"{base}/#/compare?a=bb3&b=recommended")
        page.locator(".group-of").first.wait_for()
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)


def main() -> None:
    """Start a studio on a copy of the examples, and take the pictures."""
    from PIL import Image

    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        shutil.copytree(ROOT / "examples" / "transcripts", Path(place, "runs"))
        command = [sys.executable, "-P", "-m", "exitgate", "studio", "runs", "-p", "bb3", "-p", "recommended"]
        command += ["-l", "runs/labels.yaml", "--no-open"]
        studio = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)
        assert studio.stdout is not None
        address = studio.stdout.readline().strip()
        base = re.match(r"http://[^/]+", address)
        assert base is not None
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            for name, (width, height, scheme, what) in SHOTS.items():
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if scheme == "dark" else "light",
                    reduced_motion="reduce",
                )
                page = context.new_page()
                page.goto(address)
                page.locator("tr[data-n]").first.wait_for()
                shoot(page, base[0], what)
                file = TO / f"{name}.png"
                page.screenshot(path=str(file))
                Image.open(file).quantize(192).save(file, optimize=True)
                context.close()
        finally:
            browser.close()
            studio.terminate()
            studio.wait()


if __name__ == "__main__":
    main()
