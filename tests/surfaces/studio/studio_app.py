"""A studio without runs of its own, and who asks it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.testclient import TestClient

from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.json_object import JsonObject
from exitgate.surfaces.studio.http.app import Action, Api, studio_app
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.guard import Guard

PORT = 8765
HERE = f"http://127.0.0.1:{PORT}"
TOKEN = "the-token"
HOSTILE = "<img src=x onerror=alert(1)>\ud800\x1b[2J\u202e"


class Asked:
    """What reached the studio."""

    def __init__(self) -> None:
        self.done: list[tuple[str, JsonObject]] = []
        self.crashed: list[Exception] = []
        self.events = Events()

    def api(self) -> Api:
        def policy(rest: str, query: Mapping[str, str]) -> object:
            return {"name": rest, "query": dict(query)} if rest else None

        def wrong(_: str, query: Mapping[str, str]) -> object:
            if query:
                raise RuntimeError(HOSTILE)
            raise ExitgateError([Diagnostic("EP101", "bad", Location("a.yaml", 2, 3), help="fix it")])

        def note(name: str) -> Action:
            def do(body: JsonObject) -> object:
                self.done.append((name, body))
                return {"revision": 1}

            return Action(do, writes=name == "label")

        reads = {"state": lambda *_: {"text": HOSTILE}, "policy": policy, "wrong": wrong}
        actions = {name: note(name) for name in ("draft", "label")}
        return Api(reads, lambda n: f"<p>{n}</p>" if n < 3 else None, actions, self.events)

    def app(self, *, read_only: bool = False) -> Guard:
        return studio_app(self.api(), TOKEN, PORT, read_only=read_only, crashed=self.crashed.append)


def browser(app: Guard, *, entered: bool = True) -> TestClient:
    """Return a client that sends what a browser sends of the page's own requests."""
    sent = {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}
    client = TestClient(app, base_url=HERE, headers=sent, follow_redirects=False)
    if entered:
        typed = TestClient(app, base_url=HERE, follow_redirects=False)
        answer = typed.get(f"/?token={TOKEN}", headers={"Sec-Fetch-Site": "none"})
        client.cookies = typed.cookies
        assert answer.status_code == 303
    return client
