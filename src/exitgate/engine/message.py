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
    return lambda record: "".join([p if isinstance(p, str) else p(record) for p in parts])


def _slot(name: str, policy: CompiledPolicy) -> str | Message:
    if name.startswith("$"):
        parameter = policy.parameters.get(name[1:])
        return shown(parameter.value, parameter.type) if parameter is not None else UNKNOWN
    spec = policy.facts.get(name)
    type_ = spec.type if spec is not None else None
    sign = _SIGNS.get(type_.kind) if type_ is not None else None
    return _fact(name, type_) if sign is None else _whole(name, type_, sign)


def _fact(name: str, type: Type | None) -> Message:
    return lambda record: shown(record.get(name), type)


def _whole(name: str, type: Type | None, sign: str) -> Message:
    # Small whole numbers are what most messages hold: the short way for them.
    def text(record: Mapping[str, object]) -> str:
        value = record.get(name)
        if value.__class__ is int and -1 < value < 1000000:
            return f"{value}{sign}"
        return shown(value, type)

    return text


#: Kind -> what stands behind a whole number of it.
_SIGNS = {"count": "", "number": "", "percent": "%"}
