"""Messages with values filled in."""

from __future__ import annotations

from exitgate.engine.shown import UNKNOWN, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy, Template

    #: From the record of one iteration to the text.
    Message = Callable[[Mapping[str, object]], str]


def compile_message(template: Template, policy: CompiledPolicy) -> Message:
    """
    Return a function from a record to the filled-in text of `template`.

    Parameters are written in once, here; facts at every call. What is unknown, not recorded or not
    declared reads ``unknown``. The function never raises.
    """
    parts: list[str | Message] = []
    for part in template:
        piece = part if isinstance(part, str) else _slot(part[0], policy)
        if isinstance(piece, str) and parts and isinstance(parts[-1], str):
            parts[-1] += piece
        else:
            parts.append(piece)
    if not parts:
        return lambda _: ""
    if len(parts) == 1 and isinstance(parts[0], str):
        text = parts[0]
        return lambda _: text
    return lambda record: "".join([p if p.__class__ is str else p(record) for p in parts])  # type: ignore[operator]


def _slot(name: str, policy: CompiledPolicy) -> str | Message:
    if name.startswith("$"):
        parameter = policy.parameters.get(name[1:])
        return shown(parameter.value, parameter.type) if parameter is not None else UNKNOWN
    spec = policy.facts.get(name)
    type_ = spec.type if spec is not None else None
    return _count(name, type_) if type_ is not None and type_.kind == "count" else _fact(name, type_)


def _fact(name: str, type: Type | None) -> Message:
    return lambda record: shown(record.get(name), type)


def _count(name: str, type: Type) -> Message:
    # Counts are what most messages hold: the short way for the values they nearly always have.
    def text(record: Mapping[str, object]) -> str:
        value = record.get(name)
        return str(value) if value.__class__ is int and -1 < value < 1000000 else shown(value, type)

    return text
