"""Settings in every layout that people write, for tests that put a hook there and take it out again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from exitgate.hosts.install.host import EntrySpec
from exitgate.hosts.install.inspect import HOSTS

if TYPE_CHECKING:
    from exitgate.hosts.install.host import Host

HOST_IDS = tuple(HOSTS)

TEXTS = st.text(max_size=6)
SCALARS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | TEXTS | st.sampled_from(["//", "/*"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)
TRIVIA = st.sampled_from(
    ("", " ", "\n", "\n  ", "\t", " // c\n", "/* x */", "\r\n", '\n\n    // "hooks": {\n')
)


def wanted(host: Host) -> EntrySpec:
    return EntrySpec(f"exitgate hook {host.id}")


def theirs(host: Host) -> object:
    """An entry of somebody else's, as the host has them."""
    entry = {"type": "command", host.command_keys[0]: "lint --all"}
    return {"matcher": "", "hooks": [entry]} if host.grouped else entry


@st.composite
def settings_of(draw: st.DrawFn, host: Host) -> dict[str, object]:
    """Settings that a host reads, with or without hooks."""
    made = draw(st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), VALUES, max_size=4))
    made |= host.head
    if draw(st.booleans()):
        events = draw(st.sets(st.sampled_from([*host.events, "Other"])))
        made["hooks"] = {event: draw(st.sampled_from(([], [theirs(host)]))) for event in sorted(events)}
    order = draw(st.permutations(list(made)))
    return {key: made[key] for key in order}


@st.composite
def written(draw: st.DrawFn, value: object) -> str:
    """A JSON text of `value` as a program would write it."""
    indent = draw(st.sampled_from((None, 0, 1, 2, 3, 4, 8, "\t", "\t ")))
    tight = indent is None and draw(st.booleans())
    text = json.dumps(
        value, indent=indent, ensure_ascii=draw(st.booleans()), separators=(",", ":") if tight else None
    )
    text = draw(st.sampled_from(("", "\n"))).join((text, ""))
    text = text.replace("\n", draw(st.sampled_from(("\n", "\r\n"))))
    return draw(st.sampled_from(("", "\ufeff"))) + text


@st.composite
def scattered(draw: st.DrawFn, value: object) -> str:
    """A JSON text of `value` with white space and comments wherever they may stand."""
    return "".join(_pieces(draw, value)) + draw(TRIVIA)


def _pieces(draw: st.DrawFn, value: object) -> list[str]:
    if isinstance(value, dict):
        inner = [[json.dumps(key), draw(TRIVIA), ":", *_pieces(draw, one)] for key, one in value.items()]
        return _between(draw, "{", inner, "}")
    if isinstance(value, list):
        return _between(draw, "[", [_pieces(draw, one) for one in value], "]")
    return [draw(TRIVIA), json.dumps(value)]


def _between(draw: st.DrawFn, opening: str, inner: list[list[str]], closing: str) -> list[str]:
    made = [draw(TRIVIA), opening]
    for at, pieces in enumerate(inner):
        made += [draw(TRIVIA), ",", draw(TRIVIA)] if at else [draw(TRIVIA)]
        made += pieces
    return [*made, draw(TRIVIA), closing]


def without_empties(host: Host, value: object) -> object:
    """The settings without lists of the host's events that are empty, and without empty hooks."""
    assert isinstance(value, dict)
    hooks = value.get("hooks")
    if not isinstance(hooks, dict):
        return value
    kept = {event: found for event, found in hooks.items() if found or event not in host.events}
    rest = {key: one for key, one in value.items() if key != "hooks"}
    return rest | {"hooks": kept} if kept else rest
