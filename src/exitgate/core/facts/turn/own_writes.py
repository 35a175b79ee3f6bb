"""
What the agent's calls did to exitgate's own files, and its commands that pass by hooks or move the gate.
"""

from __future__ import annotations

import os

from exitgate.core.facts.turn.given_commands import Command, of_call, of_line
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact
from exitgate.core.model.value import Unknown
from exitgate.core.system import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.facts.lexicons.lexicon import Lexicon
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


#: Kinds of lexicon entries -> the fact that counts commands of theirs.
COMMANDS = {"hooks": "no_verify", "gate": "gate_commands"}
#: The facts on exitgate's own files: those that changed, and those that calls wrote.
OWN, WRITES = "own_files", "own_writes"
#: Paths that a run keeps of its own files that were written.
_KEPT = 20
_SOURCE = "tool_calls"
_WRITES, _REMOVES = "writes", "removes"
_SHELL = "shell"
_MANY = float("inf")


def signs(prefix: str, record: JsonObject, lexicon: Lexicon, iteration: Iteration) -> Iterator[Fact]:
    """
    Yield how many commands bypass hooks or move the gate, and how many own files were written or changed.

    The record has `before`, what `counts_before` kept by prefix, `again` where the calls were counted before,
    `root`, `places`, folders, and `watched`, files, that are exitgate's own, and `own`, those that changed.
    """
    before = record.object("before").object(prefix)
    calls, why = _calls(record, iteration)
    found: dict[str, list[Evidence]] = {kind: [] for kind in COMMANDS}
    written: dict[str, Evidence] = {}
    own = _Own(record)
    for number, call in enumerate(calls, 1):
        commands = of_call(call.get("input"))
        if commands is None:
            why = why or "a command line is too long, or not text"
            continue
        for command in _all(commands, lexicon):
            kinds = _kinds(command, lexicon)
            for kind in found.keys() & kinds.keys():
                found[kind].append(_evidence(number, command.line, kinds[kind]))
            for path in own.touched(command, kinds):
                written.setdefault(path, _evidence(number, path, "written by a command"))
    listed = iteration.source(_SOURCE).record
    for path in map(own.of, listed.texts("written") if calls and listed is not None else ()):
        if path:
            written.setdefault(path, _evidence(1, path, "written by a call"))
    why = before.text("reason", "") or why
    for kind, name in COMMANDS.items():
        yield _fact(name, before.whole(name, 0) + len(found[kind]), why, found[kind])
    for path in before.texts(WRITES):
        written.setdefault(path, _evidence(1, path, "written before"))
    yield _fact(WRITES, len(written), why, list(written.values()))
    yield _changed(record, before)


def _changed(record: JsonObject, before: JsonObject) -> Fact:
    """Return how many own files were ever seen to differ from what they were when the run began."""
    paths = tuple(dict.fromkeys((*record.texts("own"), *before.texts(OWN))))
    shown = [Evidence("tampering", 1, 1, 0, len(path), path[:EXCERPT_LIMIT], "changed") for path in paths]
    why = "" if "own" in record else record.text("reason", "") or "it is not known what they were"
    return _fact(OWN, len(paths), why, shown)


def counts_before(prefix: str, facts: Mapping[str, Fact]) -> dict[str, object]:
    """Return what a run keeps of the facts behind a prefix, so that later ones count on from it."""
    kept: dict[str, object] = {}
    for name in (*COMMANDS.values(), WRITES, OWN):
        fact = facts.get(f"{prefix}.{name}")
        if fact is None:
            continue
        value = fact.value
        if isinstance(value, Unknown):
            if name != OWN:
                kept["reason"] = value.reason
            value = value.least
        paths = name in (WRITES, OWN)
        kept[name] = [piece.excerpt for piece in fact.evidence[:_KEPT]] if paths else value
    return kept


def _calls(record: JsonObject, iteration: Iteration) -> tuple[Sequence[JsonObject], str]:
    """Return the calls that were not counted before, and why some may be missing."""
    if record.flag("again"):
        return (), ""
    listed = iteration.source(_SOURCE)
    told = iteration.calls()
    if told is None or listed.record is None:
        return (), listed.reason or "the response does not show single calls"
    lost = listed.record.text("lost", "")
    if "before" not in record:
        lost = lost or "calls of earlier iterations are not known"
    return listed.record.objects("calls"), f"calls may be missing: {lost}" if lost else ""


def _fact(name: str, least: int, why: str, evidence: Sequence[Evidence]) -> Fact:
    return Fact(name, Unknown(why, "", least, _MANY) if why else least, tuple(evidence))


def _evidence(number: int, text: str, note: str) -> Evidence:
    return Evidence(_SOURCE, number, 1, 0, 0, text[:EXCERPT_LIMIT], note)


def _all(commands: Iterable[Command], lexicon: Lexicon) -> Iterator[Command]:
    """Yield the commands, and those that one gives to a shell in quotes."""
    for command in commands:
        yield command
        if command.quoted and _SHELL in _kinds(command, lexicon):
            yield from of_line(command.quoted)


def _kinds(command: Command, lexicon: Lexicon) -> dict[str, str]:
    """Return the kinds of entries that a command fits, each with the id of one of them."""
    patterns, refusals = lexicon.patterns, lexicon.refusals
    if patterns is None or refusals is None:
        return {}
    entries = lexicon.patterned()
    return {
        entries[index].options.text("kind", ""): entries[index].id
        for index in patterns.which(command.line)
        if not refusals.occurs(index, command.line)
    }


class _Own:
    """exitgate's own files: `watched` themselves, and all that is below `places`."""

    __slots__ = ("_places", "_root", "_watched")

    def __init__(self, record: JsonObject) -> None:
        self._root = record.text("root", "")
        self._places = record.texts("places")
        self._watched = frozenset(record.texts("watched"))

    def of(self, word: str) -> str:
        """Return the own file or folder that a path names, absolute; the empty text for any other."""
        path = self._absolute(word)
        if path in self._watched:
            return path
        return path if any(_is_in(path, place) for place in self._places) else ""

    def touched(self, command: Command, kinds: Mapping[str, str]) -> Iterator[str]:
        """Yield what a command writes to or removes of them."""
        for word in command.words[1:] if _WRITES in kinds or _REMOVES in kinds else ():
            found = self.of(word)
            if found:
                yield found
            elif _REMOVES in kinds:
                yield from self._below(word)
        for word in command.words:
            target = word.lstrip("012&")
            if target.startswith(">") and (found := self.of(target.lstrip(">|"))):
                yield found

    def _below(self, word: str) -> Iterator[str]:
        """Yield what of them is in a folder below the root."""
        path = self._absolute(word)
        if path != self._root and _is_in(path, self._root):
            yield from (own for own in (*self._places, *sorted(self._watched)) if _is_in(own, path))

    def _absolute(self, word: str) -> str:
        return os.path.normpath(os.path.join(self._root, word))


def _is_in(path: str, folder: str) -> bool:
    return path == folder or portable.is_below(path, folder)
