"""Structs read from any JSON: each member that fits is there, the others have their defaults."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from exitgate.core.envelopes.members import as_object, objects_in, objects_of
from exitgate.core.system.lenient import Amount, read_as


class Inner(Struct, frozen=True):
    text: str | None = None
    count: Amount = None


class Outer(Struct, frozen=True):
    name: str | None = None
    flag: bool | None = None
    inner: Inner = Inner()
    listed: tuple[Inner, ...] = ()
    named: dict[str, Inner] = {}
    pair: tuple[int, int] | None = None
    any: Any = None


SCALARS = st.none() | st.booleans() | st.integers(-3, 10**16) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda deeper: (
        st.lists(deeper, max_size=3)
        | st.dictionaries(st.sampled_from(("text", "count", "x")), deeper, max_size=3)
    ),
    max_leaves=8,
)


def expected_inner(value: object) -> Inner:
    members = value if isinstance(value, dict) else {}
    text, count = members.get("text"), members.get("count")
    known = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= 10**15
    return Inner(text if isinstance(text, str) else None, count if known else None)


@given(VALUES, VALUES, VALUES, VALUES, VALUES, VALUES)
def test_every_member_is_read_by_itself(name, flag, inner, listed, named, pair) -> None:
    plain = {"name": name, "flag": flag, "inner": inner, "listed": listed, "named": named, "pair": pair}
    found = read_as(Outer, {**plain, "any": [plain], "more": 1})
    whole = isinstance(pair, list) and len(pair) == 2 and all(type(one) is int for one in pair)
    assert found == Outer(
        name if isinstance(name, str) else None,
        flag if isinstance(flag, bool) else None,
        expected_inner(inner),
        tuple(expected_inner(one) for one in listed if isinstance(one, dict))
        if isinstance(listed, list)
        else (),
        {key: expected_inner(one) for key, one in named.items() if isinstance(one, dict)}
        if isinstance(named, dict)
        else {},
        tuple(pair) if whole else None,
        [plain],
    )


@given(VALUES)
def test_objects_of_any_value(value) -> None:
    assert as_object(value) == (value if isinstance(value, dict) else {})
    listed = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    assert objects_in(value) == listed
    assert objects_of(value) == ([value] if isinstance(value, dict) else listed)
