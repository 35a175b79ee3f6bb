"""The page for Python programs: its code runs, in order, and prints what the page shows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("own_event_loop")

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "use-from-python.md"
PROMISE = "<promise>COMPLETE</promise>"
SCRIPT = (
    ("The parser reads both forms.", "- [x] parse\n- [ ] format\n- [ ] README\n"),
    (f"Dates are formatted.\n\n{PROMISE}", "- [x] parse\n- [x] format\n- [ ] README\n"),
    (f"The README explains it.\n\n{PROMISE}", "- [x] parse\n- [x] format\n- [x] README\n"),
)


def agent() -> Iterator[tuple[str, str]]:
    yield from SCRIPT


def test_the_page_runs_from_top_to_bottom(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```(python|text)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    names: dict[str, object] = {"agent": agent}
    printed, shown = "", 0
    for kind, text in blocks:
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            printed = capsys.readouterr().out
        else:
            assert printed.startswith(text)
            shown += 1
    assert shown == 3
    assert asyncio.run(names["turn"]("going on")) is True  # type: ignore[operator]
    assert (place / ".ralph/exitgate/ledger.jsonl").exists()
