"""A studio in a thread, and what its pages may do."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from queue import Queue

import msgspec
from browser_pages import Watched
from patience import PATIENCE

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.page.assemble import collect
from exitgate.recordings.page.render import fragment
from exitgate.recordings.scoring.labels import load
from exitgate.surfaces.studio.http.app import Action, Api
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.server import listening, server_of
from exitgate.surfaces.studio.workspace.column import Column
from exitgate.surfaces.studio.workspace.policies import Origin
from exitgate.surfaces.studio.workspace.policy_view import policy_json

EXAMPLES = Path(__file__).parents[3] / "examples" / "transcripts"


def whole_runs() -> dict[int, str]:
    """Return the pages of the example runs by their numbers."""
    policies = {name: load_policy(name) for name in ("recommended", "bb3")}
    page = collect([str(EXAMPLES)], policies, load(str(EXAMPLES / "labels.yaml"))).page
    return {int(run.anchor.removeprefix("run-")): fragment(run, page.signs) for run in page.runs}


class Studio:
    """
    A studio that runs until `stop`.

    Args:
        runs: What `runs` answers.
        fragments: Pages of runs by their numbers; others are not there.
        port: Where it listens, by default anywhere.
        read_only: Whether it only reads.
    """

    def __init__(
        self,
        runs: Mapping[str, object],
        fragments: Mapping[int, str],
        port: int = 0,
        *,
        read_only: bool = False,
    ) -> None:
        self.events = Events()
        self.runs = dict(runs)
        self.posted: list[tuple[str, object]] = []
        self.crashed: list[Exception] = []
        self._place = listening(port)
        self.port: int = self._place.getsockname()[1]
        addresses: Queue[str] = Queue()
        api = Api(
            {
                "state": lambda *_: self._state(read_only),
                "runs": lambda *_: self.runs,
                "policy": self._policy,
                "kept": lambda *_: {"undo": []},
                "live": lambda *_: {"loops": []},
                "compare": self._compare,
            },
            fragments.get,
            {
                name: Action(lambda body, name=name: self.posted.append((name, body)) or {})
                for name in ("draft",)
            },
            self.events,
        )
        self._server = server_of(
            api, self._place, read_only=read_only, tell=addresses.put, crashed=self.crashed.append
        )
        self._thread = threading.Thread(target=self._server.run_until_interrupted)
        self._thread.start()
        self.address = addresses.get(timeout=PATIENCE)
        self.origin = f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """End it."""
        self._server.should_exit = True
        self._thread.join(timeout=PATIENCE)
        self._place.close()
        assert self.crashed == []

    def _state(self, read_only: bool) -> object:
        names = self.runs["policies"]
        return {
            "version": "1", "read_only": read_only, "static": False, "project": "example", "revision": 1,
            "policies": [{"name": name, "title": name, "version": "1.0.0", "draft": False} for name in names],  # type: ignore[attr-defined]
            "labels": None, "runs": len(self.runs["rows"]), "loading": None, "notes": [],  # type: ignore[arg-type]
        }  # fmt: skip

    def _compare(self, _: str, query: Mapping[str, str]) -> object:
        none = dict.fromkeys(("stops", "right", "late", "premature", "missed", "wasted"), 0)
        return {**query, "runs": 5, "same": 5, "groups": [], "totals": [none, none], "changes": []}

    def _policy(self, name: str, _: object) -> object:
        if name not in ("recommended", "bb3"):
            return None
        return msgspec.to_builtins(policy_json(Column(Origin(name, name, {}, "."))))


def own_requests(watched: Watched, studio: Studio) -> None:
    """Assert that the page said nothing on the console and asked its studio alone."""
    assert watched.trouble == [], watched.trouble
    assert [url for url in watched.requests if not url.startswith(f"{studio.origin}/")] == []
