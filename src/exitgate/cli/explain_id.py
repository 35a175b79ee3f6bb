"""`exitgate explain ID`: the page of a diagnostic, fact, function, policy or any other id."""

from __future__ import annotations

import os
import sys

from exitgate.cli.answer import Answer
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.reference.entry import Entry

#: Codes of this command, one line each; `docs` reads them.
CODES = {"EP550": "the argument is not a decision, a file or an id"}

SCHEMA = "exitgate/page@1"
#: What is given beside a response, not beside an id.
_OF_FILES = ("plan", "task", "agent_exit", "source", "fact", "stage", "run")
#: So many near ids are named.
_NEAREST = 3


def asked_id(given: Given) -> str | None:
    """
    Return the id that must be explained, or None where a decision or files are.

    A number is a decision, a file that exists and anything that only a path can be is a response. A folder
    is not: one that has the name of an id, such as a copied policy's, does not hide the id's page.
    """
    word = given.text("response")
    if word is None or word == "-" or word.isdecimal():
        return None
    if os.path.exists(word) and not (os.path.isdir(word) and _is_known(word)):
        return None
    if any(given.values.get(key) for key in _OF_FILES):
        return None
    separators = {os.sep, os.altsep or os.sep}
    return None if any(sign in word for sign in separators) else word


def _is_known(word: str) -> bool:
    from exitgate.reference.shelf import known_ids

    return word in known_ids()


def explain_id(word: str, given: Given, terminal: Terminal) -> Answer:
    """
    Return the page of an id: read on a terminal, Markdown elsewhere, or JSON.

    A fact, parameter or rule of the policy is reported as the policy has it. Raises `ExitgateError` (64)
    where there is no such id.
    """
    from exitgate.reference.shelf import known_ids, text_of, within

    known = known_ids()
    entries = known.get(word) or known.get(word.upper()) or known.get(word.lower()) or ()
    own = _of_policy(word, given, wanted=not entries)
    if not entries and own is None:
        raise _unknown(word, known)
    text = own if own is not None else within(text_of(entries[0]), entries[0].page)
    also = entries if own is not None else entries[1:]
    form = given.word("format")
    if form == "json":
        from exitgate.report.json import json_text

        first = entries[0] if own is None else None
        plain = {
            "schema": SCHEMA,
            "id": first.id if first else word,
            "kind": first.kind if first else "policy's own",
            "page": first.link if first else None,
            "also": [f"{entry.kind.replace(' ', '-')}:{entry.id}" for entry in also],
            "markdown": text,
        }
        return Answer(json_text(plain))
    text += _also(also)
    if form == "markdown" or sys.stdout is None or not sys.stdout.isatty():
        return Answer(text)
    from exitgate.report.markdown_text import markdown_text

    return Answer(markdown_text(text, terminal.out))


def _of_policy(word: str, given: Given, wanted: bool) -> str | None:
    """Return what a word is in the policy, where one was named or where the word is nothing else."""
    if given.text("policy") is None and not wanted:
        return None
    from exitgate.cli.usage import pairs
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.policy.layers.load import load_settled
    from exitgate.policy.layers.places import Asked
    from exitgate.reference.of_policy import of_policy

    settings = pairs("--set", given.texts("set"))
    policy = load_settled(Asked(DEFAULT_POLICY, given.text("policy"), settings)).policy
    return of_policy(word, policy)


def _also(entries: Iterable[Entry]) -> str:
    lines = [f"- `exitgate explain {e.kind.replace(' ', '-')}:{e.id}`: {e.title}" for e in entries]
    return "\n".join(["", "Also:", "", *lines]) + "\n" if lines else ""


def _unknown(word: str, known: Iterable[str]) -> ExitgateError:
    from exitgate.model.spelling import nearest

    left = sorted(id for id in known if ":" not in id)
    near: list[str] = []
    while len(near) < _NEAREST:
        found = nearest(word, left)
        if found is None:
            break
        near.append(found)
        left.remove(found)
    if near:
        help = "did you mean " + " or ".join(f"`{one}`" for one in near) + "?"
    else:
        help = "give the number of a decision, a file, or an id such as `EP401`, `checklist` or `streak`"
    message = f"`{word}` is not a decision, a file or an id"
    return ExitgateError([Diagnostic("EP550", message, help=help)], USAGE)
