"""Values as people read them in messages: percents, durations, money, lists, and texts made safe."""

from __future__ import annotations

from exitgate.core.model.decimals import ABOUT, decimals, milliseconds, negative
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.model.value import Type


_INFINITE = float("inf")

TEXT_LIMIT = 200
LIST_LIMIT = 10
UNKNOWN = "unknown"

#: Seconds of each unit, largest first.
_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))
#: Printable for people although `str.isprintable` refuses them.
_SPACES = "\u00a0\u3000"


def shown(value: object, type: Type | None = None) -> str:
    """
    Return `value` as messages show it.

    Args:
        value: As `exitgate.core.model.value.Type` says for `type`; `Unknown` gives ``unknown``, or its
        bounds:
            ``at least 10, at most 45``.
        type: Its type, or None: then the form follows the value itself.

    A value that does not match its type is shown by what it is. Never raises.
    """
    if isinstance(value, Unknown):
        if value.least is None:
            return UNKNOWN
        from exitgate.core.model.exact import bounds_text

        return bounds_text(value, lambda end: shown(end, type))
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, tuple | list):
        return _list(value, type.item if type is not None else None)
    if isinstance(value, int | float):
        form = _FORMS.get(type.kind) if type is not None else None
        if form is _money and type is not None and type.currency:
            return _money(value, type.currency)
        return form(value) if form is not None else number(value)
    return plain_text(str(value)) if value is not None else UNKNOWN


def plain_text(text: str) -> str:
    """Return at most `TEXT_LIMIT` characters of `text`; what could steer a terminal is escaped."""
    if len(text) > TEXT_LIMIT:
        text = text[: TEXT_LIMIT - 1] + "…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _SPACES else _escape(c) for c in text)


def number(value: float) -> str:
    """
    Return a number in full where it has few digits, else rounded with `~` in front: ``79.96``, ``~33.33``.

    No message must contradict the comparison it reports: see `exitgate.core.model.decimals`.
    """
    if isinstance(value, int):
        return _whole(value)
    if not is_finite(value):
        return str(value)
    if value.is_integer():
        return _whole(int(value))
    return decimals(value)


def is_finite(value: float) -> bool:
    """Return True for every number but the infinite ones and NaN; no integer is too large to ask."""
    return -_INFINITE < value < _INFINITE


def percent(value: float) -> str:
    """Return a percent between 0 and 100 with its sign."""
    return number(value) + "%"


def duration(seconds: float) -> str:
    """
    Return seconds as the language writes them, largest units first: ``2h 5m``, ``1.5s``, ``250ms``.

    There are two units at most. What is left out, or rounded, makes it ``~2h 5m``.
    """
    if not is_finite(seconds):
        return str(seconds)
    if seconds < 0:
        return negative(duration(-seconds))
    if 0 < seconds < 1:
        return milliseconds(seconds)
    if seconds < 60:
        return number(seconds) + "s"
    rest, parts = int(seconds), []
    for size, unit in _UNITS:
        if rest >= size:
            parts.append(f"{_whole(rest // size)}{unit}")
            rest %= size
    text = " ".join(parts[:2])
    return text if len(parts) < 3 and seconds == int(seconds) else ABOUT + text


def _money(amount: float, currency: str = "") -> str:
    text = number(amount)
    if text[-2:-1] == "." and text[:1] != ABOUT:
        text += "0"
    return f"{text} {currency}".rstrip()


def _list(items: tuple[object, ...] | list[object], item: Type | None) -> str:
    if not items:
        return "none"
    parts = [shown(one, item) for one in items[:LIST_LIMIT]]
    more = len(items) - LIST_LIMIT
    return ", ".join(parts) + (f" and {more} more" if more > 0 else "")


def _whole(value: int) -> str:
    # Python refuses to print integers of more than some thousand digits; they are not readable either.
    return str(value) if -(10**30) < value < 10**30 else f"about 2^{value.bit_length() - 1}"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


_FORMS: dict[str, Callable[[float], str]] = {
    "percent": percent,
    "duration": duration,
    "money": _money,
}


# Numbers of things in words.


def counted(number: int, one: str, many: str = "") -> str:
    """Return ``1 run``, ``3 runs``; `many` where the plural has more than an `s`, or words that follow it."""
    return f"{number} {one if number == 1 else many or one + 's'}"
