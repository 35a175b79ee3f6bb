"""What commands printed that failed in this iteration and did not succeed later in it."""

from __future__ import annotations

from exitgate.facts.structural import SHELL_PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

#: Calls that are looked at, the last ones, and characters of a result: its end, where a failure is told.
CALLS_LIMIT, RESULT_LIMIT, COMMAND_LIMIT = 50, 16_000, 4_000


def failed_output(calls: Sequence[object], shows: Collection[str]) -> str:
    """
    Return what those commands printed, in order, a line end between them; the empty text without any.

    Of a command its last run counts, and one that succeeds takes back what failed before with the same
    program and subcommand, whatever its other arguments. A line with one of the programs in `shows`, which
    print what is in files, counts for nothing.
    """
    failed: dict[tuple[str, ...], str] = {}
    for call in calls[-CALLS_LIMIT:]:
        if not isinstance(call, dict) or not isinstance(call.get("result"), str):
            continue
        called = _called(call.get("input"))
        if not called:
            continue
        for key in called:
            failed = {k: text for k, text in failed.items() if not _same(k, key)}
        if _failed(call) and not any(key[0] in shows for key in called):
            failed[called[-1]] = call["result"][-RESULT_LIMIT:]
    return "\n".join(failed.values())


def _failed(call: Mapping[str, object]) -> bool:
    status = call.get("exit_status")
    return call.get("error") is True or (isinstance(status, int) and status != 0)


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two commands are of one program, and of one subcommand where both name one."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _called(input: object) -> list[tuple[str, ...]]:
    """Return program and subcommand of each command of a call's line; none where it ran none."""
    line: object = input
    if isinstance(input, dict):
        line = input.get("command", input.get("cmd", input.get("script")))
    if isinstance(line, list | tuple):
        line = " ".join(str(part) for part in line)
    if not isinstance(line, str):
        return []
    line = line[:COMMAND_LIMIT]
    for mark in SHELL_PARTS:
        line = line.replace(mark, "\n")
    found = []
    for part in line.split("\n"):
        words = [word for word in part.split() if "=" not in word][:2]
        if words and words[0] != "cd":
            name = words[0].rpartition("/")[2] or words[0]
            found.append((name, *(word for word in words[1:] if word.isalpha())))
    return found
