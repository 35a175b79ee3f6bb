"""Who is let in: this machine's browser by the printed address, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping

import pytest
from starlette.testclient import TestClient
from studio_app import HERE, PORT, TOKEN, Asked, browser

from exitgate.surfaces.studio.http.guard import HEADERS, MOST


def why(answer: object) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["where"]  # type: ignore[attr-defined]


def test_the_address_gives_a_cookie_that_no_script_reads(asked: Asked) -> None:
    client = TestClient(asked.app(), base_url=HERE, follow_redirects=False)
    entered = client.get(f"/?token={TOKEN}")
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert cookie.startswith(f"exitgate-studio-{PORT}=")
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert TOKEN not in cookie
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("path", ["/", "/main.js", "/page.css", "/api/state", "/api/events", "/nothing"])
def test_nothing_is_served_without_the_cookie(asked: Asked, path: str) -> None:
    assert why(browser(asked.app(), entered=False).get(path)) == (401, "cookie")


@pytest.mark.parametrize("value", ["", "wrong", "é", "x" * 10_000])
def test_another_token_or_cookie_is_refused(asked: Asked, value: str) -> None:
    client = browser(asked.app(), entered=False)
    assert why(client.get("/", params={"token": value or " "})) == (401, "token")
    sent = f"exitgate-studio-{PORT}={value}".encode()
    assert why(client.get("/api/state", headers={"Cookie": sent})) == (401, "cookie")


def test_two_tokens_are_no_token(asked: Asked) -> None:
    assert why(browser(asked.app(), entered=False).get(f"/?token={TOKEN}&token={TOKEN}")) == (401, "token")


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"0.0.0.0:{PORT}",
             f"127.0.0.1.evil.example:{PORT}", f"[::]:{PORT}", "", f"127.0.0.1:{PORT}@evil.example"],
)  # fmt: skip
def test_a_name_that_somebody_points_here_is_refused(asked: Asked, host: str) -> None:
    assert why(browser(asked.app()).get("/api/state", headers={"Host": host})) == (421, "Host")


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}"])
def test_the_machine_s_own_names_are_its_own(asked: Asked, host: str) -> None:
    sent = {"Host": host, "Origin": f"http://{host}"}
    assert browser(asked.app()).get("/api/state", headers=sent).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1", f"https://127.0.0.1:{PORT}",
               f"http://localhost:{PORT}", "http://127.0.0.1:1", ""],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_page_of_another_origin_is_refused(asked: Asked, origin: str, method: str) -> None:
    client = browser(asked.app())
    answer = client.request(
        method, "/api/draft", headers={"Origin": origin}, json={} if method == "POST" else None
    )
    assert why(answer) == (403, "Origin")
    assert asked.done == []


@pytest.mark.parametrize("site", ["cross-site", "same-site", "other"])
def test_a_page_of_another_site_is_refused(asked: Asked, site: str) -> None:
    client = browser(asked.app())
    assert why(client.get("/api/state", headers={"Sec-Fetch-Site": site})) == (403, "Sec-Fetch-Site")
    typed = TestClient(asked.app(), base_url=HERE)
    assert why(typed.get(f"/?token={TOKEN}", headers={"Sec-Fetch-Site": site})) == (403, "Sec-Fetch-Site")


def test_a_change_says_where_it_is_from(asked: Asked) -> None:
    app = asked.app()
    client = browser(app)
    del client.headers["Origin"]
    assert why(client.post("/api/draft", json={})) == (403, "Origin")
    client = browser(app)
    assert why(client.post("/api/draft", json={}, headers={"Sec-Fetch-Site": "none"})) == (
        403,
        "Sec-Fetch-Site",
    )
    assert browser(app).post("/api/draft", json={"a": 1}).json() == {"revision": 1}
    assert asked.done == [("draft", {"a": 1})]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(asked: Asked, method: str) -> None:
    assert why(browser(asked.app()).request(method, "/api/draft")) == (405, "method")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_what_a_form_can_send_is_no_change(asked: Asked, kind: str) -> None:
    answer = browser(asked.app()).post("/api/draft", content=b"{}", headers={"Content-Type": kind})
    assert why(answer) == (415, "Content-Type")


@pytest.mark.parametrize("length", [str(MOST + 1), "9" * 5000, "-1", "x", "\u0661"])
def test_a_body_that_is_said_to_be_too_long_is_not_read(asked: Asked, length: str) -> None:
    sent = {"Content-Type": "application/json", "Content-Length": length.encode()}
    answer = browser(asked.app()).post("/api/draft", content=b"{}", headers=sent)  # type: ignore[arg-type]
    assert why(answer) == (413, "Content-Length")


@pytest.mark.usefixtures("own_event_loop")
def test_a_body_that_goes_on_is_not_read_to_its_end(asked: Asked) -> None:
    app = asked.app()
    cookie = browser(app).cookies[app.cookie]
    sent = {"host": f"127.0.0.1:{PORT}", "origin": HERE, "content-type": "application/json",
            "cookie": f"{app.cookie}={cookie}", "transfer-encoding": "chunked"}  # fmt: skip
    headers = [(name.encode(), value.encode()) for name, value in sent.items()]
    scope = {"type": "http", "method": "POST", "path": "/api/draft", "query_string": b"", "headers": headers}
    parts, answers = [], []

    async def receive() -> dict[str, object]:
        parts.append(1)
        assert len(parts) <= MOST // 65536 + 1
        return {"type": "http.request", "body": b" " * 65536, "more_body": True}

    async def send(message: MutableMapping[str, object]) -> None:
        answers.append(message)

    asyncio.run(app(scope, receive, send))
    assert answers[0]["status"] == 413
    assert asked.done == []


def test_every_answer_has_the_headers(asked: Asked) -> None:
    client = browser(asked.app())
    answers = [
        client.get("/"), client.get("/nothing"), client.get("/api/state"), client.put("/api/draft"),
        client.post("/api/draft", json={}), client.get("/api/wrong"),
        client.get("/", headers={"Host": "evil"}),
        client.post("/nothing", json={}), browser(asked.app(), entered=False).get(f"/?token={TOKEN}"),
    ]  # fmt: skip
    for answer in answers:
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")


def test_no_socket_of_another_kind_is_opened(asked: Asked) -> None:
    from starlette.websockets import WebSocketDisconnect

    client = browser(asked.app())
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/events"):
        pass
