"""The studio as files, shown by a web server that knows nothing of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser_pages import Opened
from playwright.sync_api import expect
from studio_pages import EXAMPLES

from exitgate.cli.main import main


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of the examples as files."""
    folder = tmp_path_factory.mktemp("files") / "studio"
    words = ["-p", "recommended", "-p", "bb3", "-l", str(EXAMPLES / "labels.yaml")]
    assert main(["studio", str(EXAMPLES), *words, "--export", str(folder)]) == 0
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder.parent))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/studio/"
        server.shutdown()
        thread.join()


def test_each_view_reads_files_alone(opened: Opened, shown: str) -> None:
    watched = opened(shown)
    page = watched.page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    expect(page.get_by_text("read-only")).to_be_visible()
    page.get_by_role("link", name="csv-export").click()
    expect(page.get_by_role("heading", name="csv-export")).to_be_visible()
    expect(page.locator("mark.counted:visible").first).to_be_visible()
    assert page.locator(".iteration").count() == 9
    assert page.locator(".what-if").count() == 0, "nobody is there to decide anew"
    page.goto(f"{shown}#/policy/bb3")
    expect(page.get_by_role("textbox", name="Text of bb3")).to_contain_text("policy: bb3")
    assert watched.trouble == []
    assert [url for url in watched.requests if not url.startswith(shown)] == []
