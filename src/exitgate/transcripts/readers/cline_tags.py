"""Calls of tools that a model writes as tags into its text, as Cline and Roo have it do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_THOUGHTS = "thinking"
#: The call that says the task is done, and the member with what it says.
CLAIM, CLAIMED = "attempt_completion", "result"
#: The call that asks the user, and the member with the question.
ASK, ASKED = "ask_followup_question", "question"
#: Members that may have tags of their own in them, the same ones too.
_TEXTS = ("content", "diff", CLAIMED)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")


def taken_apart(text: str) -> tuple[str, tuple[tuple[str, dict[str, str]], ...]]:
    """
    Return what a message says in words, and its calls as name and members, in order.

    A call is a tag with `_` in its name at the beginning of a line that is closed again; one that is cut
    off was not made and is left out. What a call claims or asks is among the words.
    """
    words: list[str] = []
    calls: list[tuple[str, dict[str, str]]] = []
    at = 0
    for begin, name, body, end in _tags(text):
        words.append(text[at:begin])
        at = end
        if name == _THOUGHTS:
            continue
        members = members_of(body)
        if name in (CLAIM, ASK):
            words.append(members.get(CLAIMED if name == CLAIM else ASKED, ""))
        else:
            calls.append((name, members))
    words.append(text[at:])
    return "\n\n".join(part.strip() for part in words if part.strip()), tuple(calls)


def _tags(text: str) -> Iterator[tuple[int, str, str, int]]:
    """Yield where each call begins, its name, what is in it, and its end."""
    unclosed: set[str] = set()
    at = 0
    while (begin := text.find("<", at)) >= 0:
        at = begin + 1
        close = text.find(">", begin, begin + 64)
        name = text[begin + 1 : close] if close >= 0 else ""
        if (begin and text[begin - 1] != "\n") or name in unclosed or not _is_name(name):
            continue
        end = text.find(f"</{name}>", close)
        if end < 0:
            unclosed.add(name)
            if name != _THOUGHTS:
                yield begin, _THOUGHTS, "", len(text)  # cut off: neither words nor a call
                return
            continue
        at = end + len(name) + 3
        yield begin, name, text[close + 1 : end], at


def _is_name(name: str) -> bool:
    tool = "_" in name.strip("_") and _LETTERS.issuperset(name)
    return tool or name == _THOUGHTS


def members_of(body: str) -> dict[str, str]:
    """Return the members of a call: tag -> what is in it, without the line ends around it."""
    found: dict[str, str] = {}
    at = 0
    while (begin := body.find("<", at)) >= 0:
        close = body.find(">", begin, begin + 64)
        name = body[begin + 1 : close] if close >= 0 else ""
        if not name or not _LETTERS.issuperset(name):
            at = begin + 1
            continue
        find = body.rfind if name in _TEXTS else body.find
        end = find(f"</{name}>", close)
        if end < 0:
            return found
        found.setdefault(name, body[close + 1 : end].removeprefix("\n").removesuffix("\n"))
        at = end + len(name) + 3
    return found
