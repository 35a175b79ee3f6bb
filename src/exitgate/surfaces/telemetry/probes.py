"""What telemetry has of probes: names and numbers; other texts only where messages may leave the machine."""

from __future__ import annotations

import os

from exitgate.core.model.json_object import JsonObject
from exitgate.core.probes.answer import LENGTH, NAMES, STATUSES, is_fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Probes of one decision that are sent, characters of a name or a reason.
MOST, LONGEST = 32, 200
#: Bounds of the histogram of durations, seconds: a linter takes one, a suite of tests minutes.
BOUNDS = (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)
#: Stands for a status that is not one of exitgate's, and for the probes beyond those that are counted apart.
OTHER = "(other)"
#: Beyond these no amount and no instant, in seconds since the epoch, is believed.
_LARGEST, _LATEST = 1e15, 9e9
_COUNTS = ("exit_status", "total", "failed", "skipped")
_AMOUNTS = ("coverage", "cost", "seconds")


def told_of(answers: Mapping[str, JsonObject], messages: bool) -> list[dict[str, object]]:
    """
    Return a record for each answer of a decision, as the ledger keeps it; what is not known is left out.

    One that was asked for this decision has the `id` of its span and `start`, nanoseconds since the epoch.

    Args:
        answers: By the names of the probes.
        messages: Whether reasons and the names of failing tests are part of it.
    """
    return [_told(name, answer, messages) for name, answer in list(answers.items())[:MOST]]


def _told(name: str, answer: JsonObject, messages: bool) -> dict[str, object]:
    found: dict[str, object] = {
        "name": name[:LONGEST],
        "status": status_of(answer),
        "passed": answer.flag("passed"),
        "reused": "reused" in answer,
        "judged": answer.flag("judged"),
        **{key: answer.whole(key) for key in _COUNTS if amount_of(answer, key) is not None},
        **{key: amount_of(answer, key) for key in _AMOUNTS},
    }
    at, seconds = answer.number("at", 0.0), amount_of(answer, "seconds") or 0.0
    if is_fresh(answer) and at + seconds < _LATEST:
        found |= {"id": os.urandom(8).hex(), "start": round(at * 1000) * 10**6}
    if messages:
        found["reason"] = (answer.text("reason") or "")[:LONGEST] or None
        found["failing"] = [one[:LENGTH] for one in answer.texts("failing")[:NAMES]] or None
    return {key: value for key, value in found.items() if value is not None}


def status_of(answer: JsonObject) -> str:
    """Return how a question came out: one of `STATUSES`, or `OTHER`."""
    status = answer.text("status", "")
    return status if status in STATUSES else OTHER


def amount_of(answer: JsonObject, key: str) -> float | None:
    """Return a count, seconds, USD or percent that can be; None otherwise."""
    found = answer.number(key)
    return float(found) if found is not None and 0 <= found < _LARGEST else None
