"""`json`: one number, truth value, word or text of a JSON file, by pointer, of a declared type."""

from __future__ import annotations

from exitgate.core.facts import json_pointer
from exitgate.core.facts.extractors.json_file import OPTIONS as OF_FILES
from exitgate.core.model.fact import Evidence, Fact, FactSpec
from exitgate.core.model.json_object import kind_of, number_of
from exitgate.core.model.value import (
    BOOL,
    COUNT,
    DURATION,
    NUMBER,
    PERCENT,
    TEXT,
    Type,
    Unknown,
    micro,
    range_fault,
    usual_range,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.facts.json_pointer import Found
    from exitgate.core.model.fact import Iteration, Source
    from exitgate.core.model.json_object import JsonObject


NAME = "json"
SOURCE = "json"
_NUMBERS = (NUMBER.kind, COUNT.kind, PERCENT.kind)
#: Types that a value may have.
TYPES = (*_NUMBERS, BOOL.kind, TEXT.kind, "enum")
OPTIONS: dict[str, object] = {
    "file": OF_FILES["file"]
    | {  # type: ignore[operator]
        "description": "The file, below the project, or several candidates, of which the first that exists is"
        " read. Without this option the text of `from:` is read.",
        "examples": ["build/coverage.json", ["coverage.json", "build/coverage.json"]],
    },
    "at": {
        "description": "Where the value is, as a JSON Pointer (RFC 6901): names and indices, each behind a"
        " `/`; `~1` is a `/` in a name, `~0` a `~`. By default the file itself is the value.",
        "type": "string",
        "maxLength": 500,
        "pattern": json_pointer.POINTER_PATTERN,
        "examples": ["/totals/percent_covered", "/suites/0/failed"],
    },
    "type": {
        "description": "What the value has to be. A value of another type is unknown; none is converted.",
        "enum": list(TYPES),
        "default": "number",
        "examples": ["percent"],
    },
    "members": {
        "description": "For `enum`: the texts that it may be, in any case of letters.",
        "type": "array",
        "minItems": 1,
        "maxItems": 100,
        "items": {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$", "maxLength": 100},
        "examples": [["passed", "failed"]],
    },
    "range": {
        "description": "For numbers: smallest and largest value. One outside is unknown.",
        "type": "array",
        "minItems": 2,
        "maxItems": 2,
        "items": {"type": "number"},
        "examples": [[0, 10]],
    },
    "max_age": {
        "description": "The value is unknown if the file was written longer ago, or is dated "
        "after the check; `30m`, or seconds.",
        "oneOf": [
            {"type": "string", "pattern": "^[1-9][0-9]{0,8}[smhd]$"},
            {"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000_000},
        ],
        "examples": ["30m"],
    },
}

#: Characters of the longest text that is a value.
TEXT_LIMIT = 10_000
#: Larger numbers, of either sign, are none that a policy could compare exactly.
_LARGEST = 10**300
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NO_MEMBERS = frozenset(("KNOWN", "UNKNOWN"))
_AGE = FactSpec(
    "age",
    DURATION,
    "Time since the file was written.",
    "if the file cannot be read, is dated after the check, or a recording does not tell when it was written",
    low=0,
    read=False,
)


def type_of(options: JsonObject) -> Type:
    """Return the declared type."""
    kind = str(options.get("type", "number"))
    if kind != "enum":
        return Type(kind)
    return Type("enum", members=tuple(str(member).upper() for member in options.array("members")))


def specs(options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the value, under the prefix itself, and its `age`."""
    type_ = type_of(options)
    low, high = _range(options)
    unknown = "the file does not exist or is not JSON, or has no value of the declared type there"
    pointer = options.get("at")
    doc = f"The value at `{pointer}`." if pointer else "The value of the file, of the declared `type`."
    return (FactSpec("", type_, doc, unknown, low, high), _AGE)


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield place, message and help of what the options cannot be together."""
    kind = options.get("type", "number")
    members, bounds = options.get("members"), options.get("range")
    if kind == "enum" and members is None:
        yield ("type",), "an enum needs `members:`", "add `members: [ONE, OTHER]`"
    if members is not None and kind != "enum":
        yield ("members",), f"`members:` belongs to `type: enum`, this is `{kind}`", "remove it"
    names = [str(one).upper() for one in options.array("members")]
    for number, name in enumerate(names):
        if name in _NO_MEMBERS:
            yield ("members", number), f"`{name}` is a word of the language", "choose another word"
        elif name in names[:number]:
            yield ("members", number), f"member `{name}` is written twice", "remove one of them"
    fault = None if bounds is None else range_fault(str(kind), *_range(options))
    if fault is not None:
        yield ("range",), *fault


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the value at the pointer and the age of the file; unknown with the reason where they are not."""
    given = iteration.source(source)
    age, why = _age(given, iteration.time), _why_no_age(given, source)
    told = Fact(f"{prefix}.age", Unknown(why, f"{prefix}.age") if age is None else age)
    if given.text is None:
        return _unknown(prefix, given.reason), told
    limit = _seconds(options.get("max_age"))
    if limit is not None and (age is None or age > limit):
        name = given.path or source
        if age is None:
            unwritten = f"it is not known when {name} was written, which `max_age` needs"
            return _unknown(prefix, why if given.written else unwritten), told
        return _unknown(prefix, f"{name} was written {_shown(age)} ago, more than {_shown(limit)}"), told
    return _value(prefix, source, given, options), told


def _value(prefix: str, source: str, given: Source, options: JsonObject) -> Fact:
    """Return the fact that the text of a source gives."""
    text = given.text or ""
    name = given.path or source
    pointer = str(options.get("at", ""))
    found = json_pointer.find(text, pointer)
    if found.problem:
        if found.at >= 0:
            line, column = json_pointer.place(text, found.at)
            name = f"{name}:{line}:{column}"
        return _unknown(prefix, f"{name} {found.problem}")
    line, column = json_pointer.place(text, found.start)
    value = typed(found, options)
    if isinstance(value, Misfit):
        where = f" at `{pointer}`" if pointer else ""
        return _unknown(prefix, f"{name}:{line}:{column}{where} {value.why}")
    excerpt = text[found.start : found.end]
    return Fact(prefix, value, (Evidence(source, line, column, found.start, found.end, excerpt),))


class Misfit:
    """Why a value is not of the declared type, as a sentence part behind its place."""

    def __init__(self, why: str) -> None:
        self.why = why


def typed(found: Found, options: JsonObject) -> object:
    """Return the value as a fact of the declared type holds it."""
    value, type_ = found.value, type_of(options)
    kind = type_.kind
    if kind == "bool":
        fits = value is True or value is False
        return value if fits else Misfit(f"is {_noun(value)}, not true or false")
    if kind in _NUMBERS:
        return _number(value, kind, options)
    if not isinstance(value, str):
        return Misfit(f"is {_noun(value)}, not a text")
    if kind == "enum":
        known = value.upper() in type_.members
        listed = ", ".join(type_.members)
        return value.upper() if known else Misfit(f"is `{value[:40]}`, not one of {listed}")
    if len(value) > TEXT_LIMIT:
        return Misfit(f"is a text of {len(value)} characters, more than {TEXT_LIMIT}")
    return value


def _number(value: object, kind: str, options: JsonObject) -> object:
    if isinstance(value, json_pointer.Lost):
        return Misfit(f"is `{value.text[:40]}`, with more digits than a number holds")
    number = number_of(value)
    if number is None:
        return Misfit(f"is {_noun(value)}, not a number")
    if not -_LARGEST <= number <= _LARGEST:
        return Misfit("is a number too large to compare")
    number = int(number) if number == int(number) else number
    if kind == "count" and (number.__class__ is not int or number < 0):
        return Misfit(f"is {value}, not a whole number from 0")
    low, high = _range(options)
    if (low is not None and number < low) or (high is not None and number > high):
        return Misfit(f"is {value}, outside the range from {_end(low)} to {_end(high)}")
    return number


def _noun(value: object) -> str:
    """Return what a JSON value is called."""
    kind = kind_of(value)
    return str(value).lower() if kind == "boolean" else _NOUNS.get(kind, "a number")


_NOUNS = {
    "null": "null",
    "string": "a text",
    "array": "an array",
    "object": "an object",
}


def _range(options: JsonObject) -> tuple[float | None, float | None]:
    bounds, kind = options.array("range"), str(options.get("type", "number"))
    if len(bounds) == 2 and kind in _NUMBERS:
        return number_of(bounds[0]), number_of(bounds[1])
    return usual_range(kind)


def _end(bound: float | None) -> str:
    return "any" if bound is None else f"{bound:g}"


def _age(given: Source, now: float) -> float | None:
    """Return the seconds since a file was written; None where that is not known, or lies ahead."""
    _, dot, nanoseconds = given.written.partition(".")
    if given.text is None or not dot or not nanoseconds.isdigit():
        return None
    at = int(nanoseconds) / 1e9
    # some file systems keep whole seconds, and a clock may be read before the file is written
    return micro(max(0.0, now - at)) if at < now + 1 else None


def _why_no_age(given: Source, source: str) -> str:
    if given.text is None:
        return given.reason
    if given.written.rpartition(".")[2].isdigit() and "." in given.written:
        return f"{given.path or source} is dated after this check"
    return "it is not known when it was written"


def _seconds(written: object) -> float | None:
    """Return the seconds of ``30m`` or of a number of them."""
    if isinstance(written, str) and written[-1:] in _SECONDS and written[:-1].isdecimal():
        return int(written[:-1]) * _SECONDS[written[-1]]
    return number_of(written)


def _shown(seconds: float) -> str:
    """Return a length of time in its largest whole unit, as people say it."""
    unit = next((unit for unit in "dhm" if seconds >= _SECONDS[unit]), "s")
    return f"{int(seconds // _SECONDS[unit])}{unit}"


def _unknown(prefix: str, reason: str) -> Fact:
    return Fact(prefix, Unknown(reason, prefix))
