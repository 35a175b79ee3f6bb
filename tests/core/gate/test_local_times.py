"""A time of day that an agent's program names is one on this machine's clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.state.request import Request

NOW = 1_900_000_031.0
POLICY = """\
policy: p
format: 1
version: 1.0.0
title: Waits
facts: {infra: {extract: infrastructure, lexicon: infrastructure}}
rules:
  - {id: limit, when: infra.limited, exit: wait, because: "{infra.excerpt}"}
  - {id: later, when: infra.retry_after > 2400h, exit: wait, because: never}
  - {id: broken, when: infra.failed, exit: failed, because: broken}
"""


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "XXX-03:00")  # three hours ahead of UTC, all the year
    time.tzset()
    (tmp_path / "p.yaml").write_text(POLICY, encoding="utf-8")
    yield tmp_path
    monkeypatch.undo()
    time.tzset()


def wait(text: str, **options: object) -> object:
    Path("r.md").write_text(text, encoding="utf-8")
    asked = {"response": "r.md", "policy": "./p.yaml", "record": False, "time": NOW}
    request = Request(**asked, **options)  # type: ignore[arg-type]
    return check(request).facts["infra.retry_after"].value


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("You've hit your limit · resets {clock}", {"agent_exit": 1}),
        ('{{"type":"result","is_error":true,"result":"You\'ve hit your limit · resets {clock}"}}', {}),
    ],
)
def test_the_machines_zone_is_meant_where_none_is_said(loop: Path, text: str, options: dict) -> None:
    there = time.gmtime(NOW + 3 * 3600 + 7200)
    clock = f"{there.tm_hour:02}:{there.tm_min:02}"
    seconds = wait(text.format(clock=clock), **options)
    assert isinstance(seconds, int)
    assert seconds == 7200 - NOW % 60
