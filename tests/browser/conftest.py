"""Debian's Chromium, and pages of our own making in it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.page.assemble import collect
from exitgate.recordings.page.render import html
from exitgate.recordings.scoring.labels import load

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "recordings" / "page")]

from browser_pages import Opened, Watched  # noqa: E402  # the tests share it

EXAMPLES = Path(__file__).parents[2] / "examples" / "transcripts"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--js-flags=--max-lazy",  # each context compiles the scripts of its page anew: only what it calls
)  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if os.environ.get("EXITGATE_NO_BROWSER") == "1":
        pytest.skip("EXITGATE_NO_BROWSER=1")
    path = os.environ.get("EXITGATE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("no Chromium: run scripts/browser.sh, or set EXITGATE_NO_BROWSER=1 to skip these tests")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of the report on the examples."""
    policies = {name: load_policy(name) for name in ("bb3", "recommended")}
    found = collect([str(EXAMPLES)], policies, load(str(EXAMPLES / "labels.yaml")))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html(found.page), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Give a function that opens a URL in a window of its own."""
    contexts = []

    def open_(url: str, width: int = 1440, height: int = 900, **options: object) -> Watched:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.page.goto(url)
        return watched

    yield open_
    for context in contexts:
        context.close()
