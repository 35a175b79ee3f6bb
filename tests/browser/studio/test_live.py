"""The Live view: a transcript that grows, shrinks or goes away while the page is open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest
from browser_pages import Opened
from patience import PATIENCE
from playwright.sync_api import expect
from sessions_on_disk import session

from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.server import listening, server_of
from exitgate.surfaces.studio.workspace import live as following
from exitgate.surfaces.studio.workspace.api import api_of
from exitgate.surfaces.studio.workspace.live import Live
from exitgate.surfaces.studio.workspace.policies import Origin
from exitgate.surfaces.studio.workspace.workspace import Workspace

SAID = ["I am <b>unsure</b>.", "Likely right.", "Confidence: 95%. All tests pass.", "Done.", "Done.", "Done."]


class Running:
    """A whole studio on a folder, in threads."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.crashed: list[Exception] = []
        self._stopped = False
        events = Events()
        origins = [Origin(name, name, {}, ".") for name in ("bb3", "recommended")]
        workspace = Workspace([str(folder)], origins, publish=events.publish)
        live = Live(workspace, lambda: [str(folder)])
        self._place = listening(port)
        self.port: int = self._place.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        addresses: Queue[str] = Queue()
        workspace.load()
        self._server = server_of(
            api_of(workspace, events, True, live), self._place, read_only=True, tell=addresses.put,
            crashed=self.crashed.append,
        )  # fmt: skip
        self._threads = [
            threading.Thread(target=self._server.run_until_interrupted),
            threading.Thread(target=live.follow, args=(events, self.crashed.append)),
        ]
        for one in self._threads:
            one.start()
        self.address = addresses.get(timeout=PATIENCE)

    def stop(self) -> None:
        if self._stopped:
            return
        self._stopped = True
        self._server.should_exit = True
        for one in self._threads:
            one.join(PATIENCE)
        self._place.close()
        assert self.crashed == []


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Running]]:
    for name, value in (("PAUSE", 0.05), ("SEARCH", 0.05), ("RESTS", 1)):
        monkeypatch.setattr(following, name, value)
    started: list[Running] = []

    def start(folder: Path, port: int = 0) -> Running:
        started.append(Running(folder, port))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def test_a_run_grows_in_the_live_view_the_table_and_its_own_page(
    opened: Opened, running: Callable[..., Running], tmp_path: Path
) -> None:
    session(tmp_path, "a", SAID[:1])
    studio = running(tmp_path)
    watched = opened(studio.address)
    page = watched.page
    page.goto(f"{studio.origin}/#/live")
    loop = page.locator(".live-runs > li")
    expect(loop).to_have_count(1)
    expect(loop).to_contain_text("1 iteration")
    expect(loop).to_contain_text("since the last step")
    expect(loop.locator(".verdict .reason").first).not_to_be_empty()
    expect(loop.locator("meter").first).to_be_visible()
    session(tmp_path, "a", SAID[:3])
    expect(loop).to_contain_text("3 iterations")
    session(tmp_path, "b", SAID[:2])
    expect(loop).to_have_count(2)
    page.goto(f"{studio.origin}/#/runs")
    row = page.locator("tr[data-n='1']")
    expect(row).to_contain_text("live")
    expect(row.locator("td.number").first).to_contain_text("3")
    session(tmp_path, "a", SAID[:4])
    expect(row.locator("td.number").first).to_contain_text("4")
    page.goto(f"{studio.origin}/#/run/1")
    expect(page.locator(".iteration")).to_have_count(4)
    session(tmp_path, "a", SAID)
    notice = page.locator(".grown")
    expect(notice).to_contain_text("2 iterations")
    notice.get_by_role("button", name="Show").click()
    expect(page.locator(".iteration")).to_have_count(6)
    expect(notice).to_have_count(0)
    assert watched.trouble == []
    assert all(url.startswith(studio.origin) for url in watched.requests)


def test_what_goes_wrong_with_a_transcript_is_a_remark(
    opened: Opened, running: Callable[..., Running], tmp_path: Path
) -> None:
    path = session(tmp_path, "a", SAID[:3])
    studio = running(tmp_path)
    watched = opened(studio.address)
    page = watched.page
    expect(page.locator("tr[data-n='1']")).to_be_visible()
    path.unlink()
    remarks = page.locator(".remarks")
    expect(remarks).to_contain_text("cannot be read as before")
    expect(page.locator("tr[data-n='1']")).to_be_visible()
    assert watched.trouble == []


def test_a_studio_that_is_started_again_shows_what_came_meanwhile(
    opened: Opened, running: Callable[..., Running], tmp_path: Path
) -> None:
    session(tmp_path, "a", SAID[:2])
    studio = running(tmp_path)
    page = opened(studio.address).page
    page.goto(f"{studio.origin}/#/live")
    expect(page.locator(".live-runs > li")).to_contain_text("2 iterations")
    studio.stop()
    expect(page.locator(".lost")).to_be_visible()
    session(tmp_path, "a", SAID[:5])
    again = running(tmp_path, studio.port)
    page.goto(again.address)
    page.goto(f"{again.origin}/#/live")
    expect(page.locator(".live-runs > li")).to_contain_text("5 iterations")
    expect(page.locator(".lost")).to_have_count(0)
