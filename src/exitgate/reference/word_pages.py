"""Pages of closed lists of words: types, classes of exit, verdicts, stages, modes, exit codes."""

from __future__ import annotations

from exitgate.model.type import KINDS
from exitgate.model.verdict import CLASS_CODES, CONTINUE, EXIT, STAGES
from exitgate.reference import source
from exitgate.reference.entry import Entry, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOM = "words"
#: Page -> what the words on it are, and which there are.
LISTS: dict[str, tuple[str, Sequence[str]]] = {
    "types": ("type", KINDS),
    "classes": ("class", tuple(CLASS_CODES)),
    "verdicts": ("verdict", (CONTINUE, EXIT)),
    "stages": ("stage", STAGES),
    "modes": ("mode", ("enforce", "warn", "shadow")),
    "exit-codes": ("exit code", ("0", "1", "64", "65", "66", "69", "70", "73", "74", "75")),
}


def pages(used: Mapping[str, list[str]]) -> tuple[Page, ...]:
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
    for line in source.read(ROOM, path).splitlines():
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
    from exitgate.reference.shelf import section

    body = section(text, entry.heading).split("\n\n")[1]
    title = " ".join(body.split()).partition(". ")[0].rstrip(".")
    id = f"exit-code-{entry.id}" if entry.kind == "exit code" else entry.id
    return Entry(id, entry.kind, entry.page, entry.heading, title)
