"""A page for every form and every function of the condition language, with examples evaluated."""

from __future__ import annotations

from exitgate.language.functions import (
    ANY,
    FUNCTIONS,
    MAY_WINDOW,
    MEAN,
    MUST_WINDOW,
    NO_WINDOW,
    NUMERIC,
    SAME,
    WINDOWED,
    Function,
)  # fmt: skip
from exitgate.reference import source
from exitgate.reference.asked import Asked, Vocabulary, list_of, load, mapping
from exitgate.reference.entry import Entry, Page
from exitgate.reference.tables import cell, code, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMS, OWN = "language", "functions"
_TIMES = "[`last N`](../language/last-n.md) may be a time, or per key."


def pages() -> tuple[Page, ...]:
    """
    Return the pages of the language: forms, functions, and the two lists of them.

    Raises:
        ValueError: A function has no source, or a source no function.
    """
    if set(source.names(OWN)) != set(FUNCTIONS):
        raise ValueError(f"functions and sources differ: {sorted(set(source.names(OWN)) ^ set(FUNCTIONS))}")
    vocabulary = Vocabulary()
    forms = [(name, load(source.folder(FORMS), f"{name}.yaml")) for name in source.names(FORMS)]
    made = [_form(name, plain, vocabulary) for name, plain in forms]
    functions = [_function(FUNCTIONS[name], vocabulary) for name in sorted(FUNCTIONS)]
    return (*made, *functions, _forms(forms), _functions())


def _form(name: str, plain: Mapping[str, object], vocabulary: Vocabulary) -> Page:
    id, title = str(plain["form"]), str(plain["title"])
    path = f"{FORMS}/{name}.md"
    lines = [f"# {id}", "", title[:1].upper() + title[1:] + ".", "", "```text"]
    lines += [*map(str, list_of(plain["syntax"])), "```", ""]
    lines += [str(plain["meaning"]).strip(), ""]
    lines += ["## Unknown", "", str(plain["unknown"]).strip(), ""]
    lines += ["## What it reads", "", str(plain["reads"]).strip(), ""]
    lines += _examples(plain, vocabulary)
    words = [str(word) for word in list_of(plain.get("words", [])) if word != id]
    entries = [Entry(id, "form", path, "", title)]
    entries += [_part(word, id, path, title) for word in words]
    return Page(path, "\n".join(lines), tuple(entries))


def _function(function: Function, vocabulary: Vocabulary) -> Page:
    plain = load(source.folder(OWN), f"{function.name}.yaml")
    path = f"{OWN}/{function.name}.md"
    doc = function.doc[:1].upper() + function.doc[1:] + "."
    lines = [f"# {function.name}", "", doc, "", "```text", *_syntax(function), "```", ""]
    takes = ", ".join(_kinds(kinds) for kinds in function.kinds)
    lines += table(
        ("", ""),
        [
            ("takes", takes + (", two or more of one type" if function.many else "")),
            ("gives", _result(function)),
        ],
    )
    lines += ["", str(plain["meaning"]).strip(), "", "## Unknown", "", str(plain["unknown"]).strip(), ""]
    lines += ["## What it reads", "", _reads(function), ""]
    lines += _examples(plain, vocabulary)
    entries = [Entry(function.name, "function", path, "", function.doc)]
    entries += [
        _part(str(word), function.name, path, function.doc) for word in list_of(plain.get("words", []))
    ]
    return Page(path, "\n".join(lines), tuple(entries))


def _part(word: str, whole: str, path: str, title: str) -> Entry:
    return Entry(word, "form", path, "", f"part of `{whole}`: {title}")


def _syntax(function: Function) -> Iterator[str]:
    part = "CONDITION" if function.kinds[0] == ("bool",) else "VALUE"
    inside = f"{part}, {part}, ..." if function.many else part + ", P%" * (len(function.kinds) - 1)
    if function.window != MUST_WINDOW:
        yield f"{function.name}({inside})"
    if function.window != NO_WINDOW or function.name in WINDOWED:
        inside = part if function.many else inside
        yield f"{function.name}({inside}, last N)"
    if function.name == "streak":
        yield "streak(CONDITION) skipping (CONDITION)"


def _reads(function: Function) -> str:
    if not function.history:
        return "The current iteration only."
    if function.window == MUST_WINDOW:
        return f"The last N iterations of the run, the current one included. `last N` must be given. {_TIMES}"
    if function.window == MAY_WINDOW:
        return (
            "The last N iterations of the run, the current one included; without `last N` at most"
            f" {function.cap} of them. {_TIMES}"
        )
    return f"The last {function.cap} iterations, the current one included."


def _examples(plain: Mapping[str, object], vocabulary: Vocabulary) -> list[str]:
    asked = [vocabulary.ask(mapping(example)) for example in list_of(plain["examples"])]
    rows = [_row(one) for one in asked]
    listed = (
        "; `[a, b]` is one value, a list" if any("[" in given for one in asked for given in one.given) else ""
    )
    says = f"Facts are written oldest first, `_` is unknown, `3x4` is four times 3{listed}."
    lines = ["## Examples", "", says, ""]
    lines += table(("condition", "facts", "result", ""), rows)
    used = " ".join(one.condition for one in asked)
    knobs = [f"`${n}` is {v}" for n, v in _written_knobs(vocabulary) if f"${n}" in used]
    knobs += [f"`@{n}` is `{text}`" for n, text in vocabulary.named.items() if f"@{n}" in used]
    return [*lines, "", *([", ".join(knobs) + ".", ""] if knobs else [])]


def _written_knobs(vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    from exitgate.report.values import value_text

    for name, value in vocabulary.parameters.items():
        yield name, value_text(value, vocabulary.scope.parameters[name])


def _row(one: Asked) -> tuple[str, ...]:
    return code(one.condition), "<br>".join(code(given) for given in one.given), one.result, cell(one.note)


def _forms(forms: list[tuple[str, dict[str, object]]]) -> Page:
    lines = ["# The condition language", "", source.read(".", "language.md").strip(), ""]
    rows = [
        (
            f"[{cell(str(p['form']))}]({FORMS}/{name}.md)",
            code(str(list_of(p["syntax"])[0])),
            cell(str(p["title"])),
        )
        for name, p in forms
    ]
    lines += table(("form", "written", "is true when, or is"), rows)
    lines += ["", "[Functions](functions.md) and [types](types.md) have pages of their own.", ""]
    return Page("language.md", "\n".join(lines))


def _functions() -> Page:
    lines = ["# Functions", "", source.read(".", "functions.md").strip(), ""]
    rows = [
        (f"[{f.name}]({OWN}/{f.name}.md)", cell(f.doc), code(f.example)) for _, f in sorted(FUNCTIONS.items())
    ]
    return Page("functions.md", "\n".join([*lines, *table(("function", "gives", "for example"), rows), ""]))


def _kinds(kinds: tuple[str, ...]) -> str:
    if kinds == ANY:
        return "any value"
    if kinds == NUMERIC:
        return "a numeric value: " + ", ".join(NUMERIC)
    return " or ".join("a condition" if kind == "bool" else f"a {kind}" for kind in kinds)


def _result(function: Function) -> str:
    if function.result == SAME:
        return "the type of its argument"
    return "the type of its argument, number for count" if function.result == MEAN else f"a {function.result}"
