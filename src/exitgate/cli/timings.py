"""`--timings` of `check` and `dry-run`: what each part took, on stderr, so that stdout stays as it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.engine.timed import Timings


def timings_form(timings: Timings, given: Given, terminal: Terminal) -> str:
    """Return the table, or one JSON object where the command's own format is JSON."""
    if given.word("format") in ("json", "jsonl"):
        from exitgate.report.json import json_text
        from exitgate.report.timings import timings_json

        return json_text(timings_json(timings))
    from exitgate.report.timings import timings_text

    return timings_text(timings, terminal.err)
