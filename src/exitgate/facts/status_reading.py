"""The status that a text, or a record in its place, gives: the block that counts and its values."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.scan import Text
from exitgate.facts.status_blocks import Block, blocks
from exitgate.facts.status_examples import Examples, commented, guard_of
from exitgate.facts.status_values import EMPTY, TEMPLATE, Reading, normal, read
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.facts.status_fields import Field
    from exitgate.facts.status_options import Form
    from exitgate.model.iteration import Iteration

#: So many words of a text field agree with the task only where it was copied.
COPIED_WORDS = 3
#: A task is looked through so far for blocks, in characters.
TASK_LIMIT = 400_000


class Judged(Value):
    """A block with what its fields read as; `guard` names what keeps it from counting, or is None."""

    __slots__ = ("block", "guard", "readings")

    def __init__(self, block: Block, readings: tuple[Reading, ...], guard: str | None) -> None:
        self.block = block
        self.readings = readings
        self.guard = guard


def judged(
    text: Text, form: Form, wordings: Examples, task: str | None, guards: frozenset[str] | None = None
) -> tuple[Judged, ...]:
    """
    Return the blocks in `text`, each with the guard that refuses it, of `guards` where those are given.

    `template`: no field of it was filled in. `echoed`: it is in the task, text and all, and the
    agent went on behind it. The others are `status_examples.guard_of`'s.
    """
    found = blocks(text, form.names, form.known)
    if not found:
        return ()
    echoes = _copies(task, form) if task else frozenset()
    every = (_judged(text, block, wordings, echoes) for block in found)
    return tuple(_allowed(one, guards) for one in every)


def _allowed(one: Judged, guards: frozenset[str] | None) -> Judged:
    if one.guard is None or one.guard == "template" or guards is None or one.guard in guards:
        return one
    return Judged(one.block, one.readings, None)


def last_message(iteration: Iteration, source: str, wordings: Examples) -> int:
    """
    Return where the agent's last message begins in the text of `source`.

    0 where that is all of it, or where the message does nothing but take leave.
    """
    said, last = iteration.source(source).text, iteration.source("response").text
    if source == "response" or not said or not last or not last.strip() or len(last) >= len(said):
        return 0
    return 0 if wordings.parts(last) else max(0, said.rfind(last.strip()))


def of_earlier(found: tuple[Judged, ...], border: int) -> tuple[Judged, ...]:
    """Return the blocks, those refused that set a flag before `border`: the agent said more behind them."""
    return tuple(
        Judged(one.block, one.readings, "continued")
        if one.guard is None and one.block.end <= border and any(r.value is True for r in one.readings)
        else one
        for one in found
    )


def readings_of(fields: tuple[Field, ...]) -> tuple[Reading, ...]:
    """Return what each field reads as."""
    return tuple(read(field.wanted, field.raw) for field in fields)


def _judged(text: Text, block: Block, wordings: Examples, echoes: frozenset[object]) -> Judged:
    readings = readings_of(block.fields)
    if all(reading.fault in (TEMPLATE, EMPTY) for reading in readings):
        return Judged(block, readings, "template")
    guard = guard_of(text, block.start, block.end, wordings)
    if guard is None and _hidden(text, block, readings):
        guard = "fenced"
    goes_on = any(letter.isalnum() for letter in text.original[block.end : block.end + COPIED_WORDS * 100])
    if guard is None and goes_on and echoes and _image(block) in echoes:
        guard = "echoed"
    return Judged(block, readings, guard)


def _hidden(text: Text, block: Block, readings: tuple[Reading, ...]) -> bool:
    """
    Return whether a block is commented out.

    Some agents report in a comment that begins with the block's name. That counts, but sets no flag.
    """
    first = block.fields[0].start
    if not commented(text, first):
        return False
    head = text.original[block.start : first].replace(structural.COMMENT_START, "")
    ruled = any(2 * mark in head for mark in structural.RULES)
    return ruled or any(reading.value is True for reading in readings)


def _image(block: Block) -> object:
    """Return what two copies of a block have in common."""
    return tuple((field.wanted.fact, normal(field.raw)) for field in block.fields)


def _copies(task: str, form: Form) -> frozenset[object]:
    """Return the images of the task's blocks that hold enough text of their own to be known again."""
    found = blocks(Text(task[:TASK_LIMIT]), form.names, form.known)
    return frozenset(
        _image(block)
        for block in found
        if any(f.wanted.kind == "text" and len(f.raw.split()) >= COPIED_WORDS for f in block.fields)
    )
