"""Calls of tools to read: what each was called with and gave back, shortened, and whether it failed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from exitgate.core.facts.text.secrets import Mask
from exitgate.recordings.model import RecordedIteration, ToolCall
from exitgate.recordings.page.cells import counted
from exitgate.recordings.page.room import roughly_capped, shortened
from exitgate.recordings.page.view import Call, Calls

#: Calls of an iteration, and arguments of a call, that are listed.
MOST, ARGUMENTS = 40, 6
#: Characters of a name, an argument, a result.
NAME, ARGUMENT, RESULT = 60, 160, 320
#: Bytes that a call takes beside its texts, and the least for the calls of one iteration.
AROUND, LEAST = 160, 400


def calls(of: Sequence[RecordedIteration], room: int, mask: Mask) -> Mapping[int, Calls]:
    """
    Return the calls of those iterations that have some, by number.

    Args:
        of: Iterations.
        room: Bytes that all calls together may take.
        mask: Hides secrets.
    """
    called = {one.index: one for one in of if one.tool_calls}
    sizes = {number: sum(map(_roughly, one.tool_calls or ())) for number, one in called.items()}
    most = roughly_capped(list(sizes.values()), room, LEAST)
    return {number: _listed(one, most, mask) for number, one in called.items()}


def _listed(one: RecordedIteration, room: int, mask: Mask) -> Calls:
    """Return what failed first, then the newest, as many as there is room for, in their order."""
    made = one.tool_calls or ()
    taken: dict[int, Call] = {}
    for at in sorted(range(len(made)), key=lambda at: (not is_failed(made[at]), -at))[:MOST]:
        call = _call(at + 1, made[at], mask)
        room -= AROUND + _bytes((call.name, *call.arguments, call.result))
        if room < 0 and taken:
            break
        taken[at] = call
    failed = sum(map(is_failed, made))
    listed = tuple(taken[at] for at in sorted(taken))
    missing = shortened(mask.mask(one.not_known.get("tool_calls", "")), ARGUMENT)
    return Calls(listed, len(made), failed, len(made) - len(listed), missing)


def is_failed(call: ToolCall) -> bool:
    """Return whether the recording says that a call failed."""
    return call.is_error is True or bool(call.exit_status)


def _call(number: int, call: ToolCall, mask: Mask) -> Call:
    status = "" if call.exit_status is None else f"exit status {call.exit_status}"
    failed = "failed" if call.is_error is True else ""
    result = _middle(mask.mask((call.result or "").strip()), RESULT)
    silent = "" if result else "no result recorded" if call.result is None else "an empty result"
    return Call(
        number, shortened(mask.mask(call.name), NAME), tuple(_arguments(call.input, mask)), result, silent,
        ", ".join(filter(None, (failed, status))), is_failed(call), call.own,
    )  # fmt: skip


def _arguments(given: object, mask: Mask) -> Iterable[str]:
    """Yield the arguments, each with its name; a secret is known by its name as well."""
    if given is None or given == {}:
        return
    named = given.items() if isinstance(given, Mapping) else (("", given),)
    for at, (name, value) in enumerate(named):
        if at == ARGUMENTS:
            yield f"and {len(named) - at} more"
            return
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        yield shortened(mask.mask(f"{name}: {text}" if name else text), ARGUMENT)


def _middle(text: str, room: int) -> str:
    """Return the beginning and the end of a text: the end of a result often says how it came out."""
    if len(text) <= room:
        return text
    cut = counted(len(text) - room, "character")
    return f"{text[: room // 2]} … {cut} left out … {text[-(room // 2) :]}"


def _roughly(call: ToolCall) -> int:
    return AROUND + (ARGUMENT if call.input else 0) + min(len(call.result or ""), RESULT)


def _bytes(texts: Iterable[str]) -> int:
    return sum(len(text.encode("utf-8", "replace")) for text in texts)
