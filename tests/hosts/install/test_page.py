"""The page on agents is played: every command prints what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli_pages import DOCS, play

from exitgate.hosts.install.host import EntrySpec
from exitgate.hosts.install.inspect import HOSTS

if TYPE_CHECKING:
    import pytest
    from install_place import Place

PAGE = "how-to/use-in-your-agent.md"


def test_every_command_prints_what_the_page_says(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = list(play(PAGE, place.project, monkeypatch, capsys))
    assert len(played) == 6
    for one in played:
        assert one.code == 0, one.command
        assert (one.err + one.out).rstrip("\n") == one.said.rstrip("\n"), one.command
    assert [path for path in place.everything() if "codex" in path] == [], "it was taken out again"


def test_the_table_is_that_of_the_hosts() -> None:
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert [row[0] for row in rows] == [f"| `{name}`" for name in HOSTS]
    for row, host in zip(rows, HOSTS.values(), strict=True):
        assert row[1] == f"`{host.project}`"
        assert row[2] == f"`~/{host.home}/{host.user}`"
        assert row[3] == ", ".join(f"`{event}`" for event in host.events)
        entry = host.entry(EntrySpec(""))
        limit = next(value for key, value in entry.items() if key.startswith("timeout"))
        assert row[4].startswith(f"{limit:,} {'ms' if limit == 30_000 else 's'}")
