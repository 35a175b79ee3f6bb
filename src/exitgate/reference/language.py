"""A page for every form and every function of the condition language, with examples evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from exitgate.core.language.functions import (
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
)
from exitgate.core.model.decision import CLASS_CODES, CONTINUE, EXIT, STAGES
from exitgate.core.model.value import KINDS
from exitgate.reference import source
from exitgate.reference.examples import EvaluatedExample, Vocabulary, list_of, load_examples, mapping
from exitgate.reference.index import Entry, Page, section
from exitgate.reference.source import cell, code, table
from exitgate.report.wording import value_text

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
    forms = [(name, load_examples(source.folder(FORMS), f"{name}.yaml")) for name in source.names(FORMS)]
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
    plain = load_examples(source.folder(OWN), f"{function.name}.yaml")
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
    for name, value in vocabulary.parameters.items():
        yield name, value_text(value, vocabulary.scope.parameters[name])


def _row(one: EvaluatedExample) -> tuple[str, ...]:
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


# One table of what every form and function answers with too little history, with unknown values, negated.

#: Pages of the language that are no operations: what they say is part of others.
APART = frozenset(("last-n", "list", "named-condition", "parameter", "parentheses"))
HEADS = ("written", "too little history", "unknown among them", "unknown now", "`not`, too little history")
PATH = "semantics.md"


def semantics_page() -> Page:
    """
    Return the page, every cell evaluated by both evaluators.

    Raises:
        ValueError: A form or function has no row, or a row belongs to none.
    """
    plain = load_examples(source.HERE, "semantics.yaml")
    rows = [mapping(row) for row in list_of(plain["rows"])]
    wanted = {*source.names("language")} - APART
    if (found := {str(row["of"]) for row in rows}) != wanted:
        raise ValueError(f"forms and rows differ: {sorted(found ^ wanted)}")
    for name in FUNCTIONS:
        page = load_examples(source.folder(OWN), f"{name}.yaml")
        rows += [mapping(row) for row in list_of(page["semantics"])]
    vocabulary = Vocabulary()
    lines = ["# Unknown values and short histories", "", str(plain["text"]).strip(), ""]
    lines += table(HEADS, [_semantics_row(row, vocabulary) for row in rows])
    return Page(PATH, "\n".join([*lines, ""]))


def _semantics_row(row: Mapping[str, object], vocabulary: Vocabulary) -> tuple[str, ...]:
    text = str(row["condition"])
    cells = [_cell(text, row.get(key), vocabulary) for key in ("little", "inside", "now")]
    negated = _cell(f"not ({text})", row.get("little"), vocabulary) if vocabulary.is_condition(text) else "-"
    return code(text), *cells, negated


def _cell(text: str, facts: object, vocabulary: Vocabulary) -> str:
    if facts is None:
        return "-"
    asked = vocabulary.ask({"condition": text, "facts": facts})
    return f"{asked.result}<br>{'<br>'.join(code(given) for given in asked.given)}"


# Pages of closed lists of words: types, classes of exit, verdicts, stages, modes, exit codes.

WORDS_FOLDER = "words"
#: Page -> what the words on it are, and which there are.
LISTS: dict[str, tuple[str, Sequence[str]]] = {
    "types": ("type", KINDS),
    "classes": ("class", tuple(CLASS_CODES)),
    "verdicts": ("verdict", (CONTINUE, EXIT)),
    "stages": ("stage", STAGES),
    "modes": ("mode", ("enforce", "warn", "shadow")),
    "exit-codes": ("exit code", ("0", "1", "64", "65", "66", "69", "70", "73", "74", "75")),
}


def word_pages(used: Mapping[str, list[str]]) -> tuple[Page, ...]:
    """
    Return a page for each list.

    Args:
        used: A class, stage or mode -> the rules of shipped policies that have it, as Markdown.

    Raises:
        ValueError: A page leaves out a word of its list, or has one that is not one of it.
    """
    return tuple(_page(name, kind, words, used) for name, (kind, words) in LISTS.items())


def _page(name: str, kind: str, words: Sequence[str], used: Mapping[str, list[str]]) -> Page:
    path = f"{name}.md"
    lines: list[str] = []
    entries: list[Entry] = []
    waiting: list[str] = []
    for line in source.read(WORDS_FOLDER, path).splitlines():
        if line.startswith("## "):
            lines += waiting
            word = line[3:].replace("`", "")
            waiting = _more(kind, word, used)
            entries.append(Entry(word, kind, path, word, ""))
        lines.append(line)
    lines += waiting
    if {entry.id for entry in entries} != set(words):
        raise ValueError(f"the words of {path} differ: {sorted({e.id for e in entries} ^ set(words))}")
    text = "\n".join(lines).replace("\n\n\n", "\n\n").rstrip("\n") + "\n"
    titled = [_titled(entry, text) for entry in entries]
    if kind == "exit code":
        titled += [
            Entry(f"exit-code-{code}", kind, "classes.md", word, f"EXIT {word}")
            for word, code in CLASS_CODES.items()
        ]
    return Page(path, text, tuple(titled))


def _more(kind: str, word: str, used: Mapping[str, list[str]]) -> list[str]:
    """Return the lines that are put below what the source says of a word."""
    lines = [f"Exit code [{CLASS_CODES[word]}](exit-codes.md).", ""] if kind == "class" else []
    some = used.get(word, []) if kind in ("class", "stage", "mode") else []
    rules = [f"- {one}" for one in some]
    return ["", *lines, *(["Rules of shipped policies:", "", *rules, ""] if rules else [])]


def _titled(entry: Entry, text: str) -> Entry:
    """Return an entry with the first sentence below its heading as its title."""
    body = section(text, entry.heading).split("\n\n")[1]
    title = " ".join(body.split()).partition(". ")[0].rstrip(".")
    id = f"exit-code-{entry.id}" if entry.kind == "exit code" else entry.id
    return Entry(id, entry.kind, entry.page, entry.heading, title)
