"""The folder of a task that Cline and Roo keep, or one file of it, as a run."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.look import look_at
from exitgate.transcripts.opened import trouble_with
from exitgate.transcripts.readers import cline_api, cline_ui
from exitgate.transcripts.readers.chat_file import name_of, read_json
from exitgate.transcripts.readers.chat_turn import Chat
from exitgate.transcripts.run import TURN, Begin, End, Problem
from exitgate.transcripts.unwrapped import JSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.chat_turn import Turn
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

SHOWN, HISTORY = "ui_messages.json", "api_conversation_history.json"
_BESIDE = frozenset(("task_metadata.json", "history_item.json", "context_history.json"))


def is_task(look: Look) -> bool:
    """Return whether the folder is a task's."""
    return look.place.is_folder and bool({SHOWN, HISTORY} & set(look.names))


def claimed(look: Look) -> frozenset[str]:
    """Return the names of a task's files in its folder."""
    return (frozenset((SHOWN, HISTORY)) | _BESIDE) & frozenset(look.names) if is_task(look) else frozenset()


def shown_in(look: Look) -> Sequence[Event] | None:
    """Return the first messages that were shown, None where the place has none that can be read."""
    if look.place.is_folder:
        if SHOWN not in look.names:
            return None
        try:
            look = look_at(look.place.at(SHOWN))
        except OSError:
            return None
    value = look.value
    return value if isinstance(value, list) and cline_ui.is_shown(value) else None


def read_task(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """
    Yield the one run of a task's folder, or of a single file of it.

    What was shown tells turns, costs and words; the history tells calls and results as the model had them,
    for the turns that it still has after summaries took the place of earlier ones.
    """
    if not place.is_folder:
        value, problems = read_json(place)
        yield from problems
        yield from _run(place, place.parent().name or name_of(place), value, None, wants)
        return
    names = place.names()
    values: list[object] = []
    for name in (SHOWN, HISTORY):
        wrong = trouble_with(place.at(name)) if name in names else None
        if wrong is not None:
            yield wrong
        value, problems = read_json(place.at(name)) if name in names and wrong is None else (None, ())
        yield from problems
        values.append(value)
    shown, history = values
    file = place.at(SHOWN if shown is not None else HISTORY)
    yield from _run(file, place.name, *((shown, history) if shown is not None else (history, None)), wants)


def _run(place: Place, id: str, value: object, history: object, wants: frozenset[str]) -> Iterator[Part]:
    messages = _messages(value)
    shown = cline_ui.is_shown(messages)
    turns = cline_ui.turns_of(messages) if shown else cline_api.turns_of(messages)
    if not messages:
        yield Problem(place.path, "it has no messages")
    elif shown and history is not None:
        _join(turns, cline_api.steps_of(_messages(history)))
    yield Begin(id if id != "." else name_of(place), TURN, place.path, turns[0].started_at if turns else None)
    chat = Chat(place.path, JSON, wants)
    for turn in turns:
        yield chat.concluded(turn)
    how, why = cline_ui.how_ended(messages) if shown else (None, "")
    yield End(how, why, instant(messages[-1].get("ts")) if messages else None)


def _messages(value: object) -> list[Event]:
    """Return the messages in a value; what is none of either kind is left out."""
    found: list[Event] = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    shown = [one for one in found if cline_ui.is_shown([one])]
    return shown or [one for one in found if "role" in one and "content" in one]


def _join(turns: Sequence[Turn], steps: Sequence[tuple[float, Turn]]) -> None:
    """Put the calls of the history instead of those that were shown, where it has as many."""
    told: dict[int, list[Turn]] = {}
    for at, step in steps:
        begun = [n for n, turn in enumerate(turns) if turn.started_at is not None and turn.started_at <= at]
        if begun:
            told.setdefault(begun[-1], []).append(step)
    for number, answers in told.items():
        calls = [call for step in answers for call in step.calls]
        turn = turns[number]
        if len(calls) < len(turn.calls) or not calls:
            continue
        turn.forget_calls()
        for call in calls:
            at_place = turn.call(call.name, call.input, call.id)
            if call.result is not None:
                turn.answer(at_place, call.result, error=call.is_error, exit_status=call.exit_status)
        turn.denials += [denied for step in answers for denied in step.denials]
