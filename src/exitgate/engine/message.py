"""Messages with values filled in."""

from __future__ import annotations

from exitgate.engine.shown import UNKNOWN, shown
from exitgate.model.value import Unknown
from exitgate.policy.compiled import NUMBER, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy, Slot, Template

    #: Of the iterations of one run, oldest first.
    Records = Sequence[Mapping[str, object]]
    #: From the records to the text.
    Message = Callable[[Records], str]


def compile_message(template: Template, policy: CompiledPolicy) -> Message:
    """
    Return a function from records to the filled-in text of `template`.

    Parameters are written in once, here; facts at every call, as they are in the last record. What is
    unknown, not recorded or not declared reads ``unknown``, or as the slot says for that case. The function
    never raises.
    """
    parts: list[str | Message] = []
    for part in template:
        piece = part if isinstance(part, str) else _slot(part, policy)
        if isinstance(piece, str) and parts and isinstance(parts[-1], str):
            parts[-1] += piece
        else:
            parts.append(piece)
    if not parts:
        return lambda _: ""
    if len(parts) == 1 and isinstance(parts[0], str):
        text = parts[0]
        return lambda _: text
    return lambda records: "".join([p if isinstance(p, str) else p(records) for p in parts])


def _slot(slot: Slot, policy: CompiledPolicy) -> str | Message:
    name = slot[0]
    if name.startswith("$"):
        parameter = policy.parameters.get(name[1:])
        return shown(parameter.value, parameter.type) if parameter is not None else UNKNOWN
    spec = policy.facts.get(name)
    type_ = spec.type if spec is not None else None
    if len(slot) == 3:
        return _other(name, type_, slot[2])
    if len(slot) == 2:
        return _history(name, type_, listed(slot[1], policy.values()))
    sign = _SIGNS.get(type_.kind) if type_ is not None else None
    return _fact(name, type_) if sign is None else _whole(name, type_, sign)


def _fact(name: str, type: Type | None) -> Message:
    return lambda records: shown(records[-1].get(name), type)


def _other(name: str, type: Type | None, said: str) -> Message:
    def text(records: Records) -> str:
        value = records[-1].get(name)
        return said if value is None or isinstance(value, Unknown) else shown(value, type)

    return text


def _whole(name: str, type: Type | None, sign: str) -> Message:
    # Small whole numbers are what most messages hold: the short way for them.
    def text(records: Records) -> str:
        value = records[-1].get(name)
        if value.__class__ is int and -1 < value < 1000000:
            return f"{value}{sign}"
        return shown(value, type)

    return text


def _history(name: str, type: Type | None, window: int) -> Message:
    """Return a list in Markdown of the fact's last values, one line for each iteration, newest last."""

    def text(records: Records) -> str:
        values = [shown(record.get(name), type) for record in records[-window:]]
        last = records[-1].get(NUMBER)
        if not isinstance(last, int) or last is True:
            return "\n".join([f"- {value}" for value in values])
        first = last - len(values) + 1
        # how things were before the first iteration is not an iteration
        return "\n".join(
            [f"- Iteration {shown(n)}: {value}" for n, value in enumerate(values, first) if n > 0]
        )

    return text


#: Kind -> what follows a whole number of it.
_SIGNS = {"count": "", "number": "", "percent": "%"}
