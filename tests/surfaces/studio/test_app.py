"""What is served, and how trouble is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_app import HOSTILE, Asked, browser

WEB = Path(__file__).parents[3] / "src/exitgate/surfaces/studio/web"


def test_every_file_of_the_page_is_served_with_its_kind(asked: Asked) -> None:
    client = browser(asked.app())
    kinds = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"}
    paths = [path for path in WEB.rglob("*") if path.suffix in kinds]
    assert len(paths) > 5
    for path in paths:
        answer = client.get(f"/{path.relative_to(WEB).as_posix()}")
        assert answer.content == path.read_bytes()
        assert answer.headers["content-type"].startswith(kinds[path.suffix])
    for shared in ("page.css", "timeline.js"):
        assert client.get(f"/{shared}").status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/../app.py", "/..%2f..%2fstart.py", "/vendor/../../__init__.py", "/%2e%2e/%2e%2e/http/app.py",
     "//etc/passwd",
     "/vendor/..%5c..%5capp.py", "/page.css%00.html", "/%00", "/vendor", "/vendor/",
     "/page.html.j2", "/" + "a" * 5000],
)  # fmt: skip
def test_nothing_else_is_served(asked: Asked, path: str) -> None:
    answer = browser(asked.app()).get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["what"] == "no such file"


def test_a_value_comes_as_json_whatever_is_in_it(asked: Asked) -> None:
    answer = browser(asked.app()).get("/api/state")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {"text": HOSTILE.replace("\ud800", "�")}


def test_a_name_may_hold_anything(asked: Asked) -> None:
    answer = browser(asked.app()).get("/api/policy/a%2F..%2Fb%3Ac%20%3Cd%3E?x=1&x=2")
    assert answer.json() == {"name": "a/../b:c <d>", "query": {"x": "2"}}


def test_what_is_not_there_is_said_with_what_to_do(asked: Asked) -> None:
    client = browser(asked.app())
    for path, where in (("policy/", ""), ("nothing", "/api/nothing"), ("runs/7.html", "run 7"),
                        ("runs/-1.html", "-1"), (f"runs/{'9' * 5000}.html", "9" * 200),
                        ("runs/\u0661.html", "\u0661")):  # fmt: skip
        answer = client.get(f"/api/{path}")
        assert (answer.status_code, answer.json()["error"]["where"]) == (404, where)
    assert client.post("/api/nothing", json={}).status_code == 404
    assert client.get("/api/runs/2.html").text == "<p>2</p>"


def test_something_wrong_in_the_user_s_own_text_is_told_with_its_place(asked: Asked) -> None:
    answer = browser(asked.app()).get("/api/wrong")
    assert answer.status_code == 422
    assert answer.json()["diagnostics"] == [
        {"code": "EP101", "severity": "error", "what": "bad", "help": "fix it", "where": "a.yaml:2:3",
         "place": [2, 3, 2, 4]}
    ]  # fmt: skip
    assert asked.crashed == []


def test_a_fault_of_our_own_shows_nothing_of_what_was_read(asked: Asked) -> None:
    answer = browser(asked.app()).get("/api/wrong?a=1")
    assert (answer.status_code, answer.json()["error"]["what"]) == (500, "internal error: RuntimeError")
    assert "img" not in answer.text
    assert [type(one) for one in asked.crashed] == [RuntimeError]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"a"', b"\xff", b"[" * 100_000, b'{"a": NaN}'])
def test_a_change_that_is_no_json_object_is_refused(asked: Asked, body: bytes) -> None:
    answer = browser(asked.app()).post(
        "/api/draft", content=body, headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]["where"]) == (400, "body")
    assert asked.done == []


def test_a_studio_that_only_reads_takes_no_change_of_a_file(asked: Asked) -> None:
    client = browser(asked.app(read_only=True))
    answer = client.post("/api/label", json={"run": 1})
    assert answer.status_code == 403
    assert answer.json()["error"]["help"] == "start the studio without `--read-only`"
    assert client.post("/api/draft", json={}).status_code == 200  # tried out, written nowhere
    assert [name for name, _ in asked.done] == ["draft"]
