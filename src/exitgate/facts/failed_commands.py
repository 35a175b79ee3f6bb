"""What commands printed that failed in this iteration and did not succeed later in it."""

from __future__ import annotations

from exitgate.facts.commands import commands, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

#: The last calls are looked at, and the last characters of a result: a failure is reported at its end.
CALLS_LIMIT, RESULT_LIMIT = 50, 16_000


def failed_output(calls: Sequence[object], shows: Collection[str]) -> str:
    """
    Return what those commands printed, in order, a line end between them; the empty text without any.

    Of a command its last run counts, and one that succeeds takes back what failed before with the same
    program and subcommand, no matter what its other arguments. A line with one of the programs in `shows`,
    which print what is in files, counts for nothing.
    """
    standing: dict[tuple[str, ...], str] = {}
    for call in calls[-CALLS_LIMIT:]:
        if not isinstance(call, dict) or not isinstance(call.get("result"), str):
            continue
        called = _called(call.get("input"))
        if not called:
            continue
        for key in called:
            standing = {k: text for k, text in standing.items() if not _same(k, key)}
        if failed(call) and not any(key[0] in shows for key in called):
            standing[called[-1]] = call["result"][-RESULT_LIMIT:]
    return "\n".join(standing.values())


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two commands are of one program, and of one subcommand where both name one."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _called(input: object) -> list[tuple[str, ...]]:
    """Return program and subcommand of each command of a call's line; none where it ran none."""
    found = []
    for part in commands(input):
        words = [word for word in part.split() if "=" not in word][:2]
        if words and words[0] != "cd":
            name = words[0].rpartition("/")[2] or words[0]
            found.append((name, *(word for word in words[1:] if word.isalpha())))
    return found
