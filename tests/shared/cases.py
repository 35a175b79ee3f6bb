"""Many cases of one kind: `some` of them, all in a soak; or `each` of them, in one test together."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    One = TypeVar("One")
    Ids = Iterable[str] | Callable[[object], str | None] | None

#: Set by `--every-case`, before any test file is read.
EVERY: list[bool] = []
#: Set by `--case`: a part of the ids of the cases that `each` takes.
ASKED: list[str] = []
#: So many failures are shown; then the rest of the cases is left.
SHOWN = 10
#: Characters of a value in an id.
LENGTH = 40


def some(cases: Iterable[One], count: int) -> list[One]:
    """
    Return `count` of the cases, spread evenly and always the same; all of them with `--every-case`.

    For cases that differ in what they are about alone, never for those that pin a fault each.
    """
    every = list(cases)
    if EVERY or len(every) <= count:
        return every
    return [every[place * len(every) // count] for place in range(count)]


def each(
    names: str | Sequence[str], cases: Iterable[object], ids: Ids = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """
    Run a test function with each case, as `pytest.mark.parametrize` does, but as a single test.

    For tables of small cases that share nothing: a test of its own costs more than what such a case does.
    Every case runs; those that fail are raised together, each with its id. `pytest --case PART` runs
    those that have `PART` in their id. Fixtures are made once, for all cases; `tmp_path` is a folder for
    each.

    Args:
        names: Of the parameters, as `parametrize` takes them.
        cases: A value, a tuple of values or a `pytest.param` without marks for each case.
        ids: A text for each case, or what makes one of a value; by default what the values look like.
    """
    words = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [_row(case, len(words)) for case in cases]
    assert rows, "no case at all"
    told = None if ids is None or callable(ids) else list(ids)

    def taken(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_cases(**fixtures: object) -> None:
            failed: list[Exception] = []
            for place, (values, own) in enumerate(rows):
                id = functools.partial(_id, values, own, told[place] if told else ids)
                if ASKED and not any(part in id() for part in ASKED):
                    continue
                try:
                    test(**_own(fixtures, place), **dict(zip(words, values, strict=True)))
                except Exception as error:
                    error.add_note(f"case: {id()}")
                    failed.append(error)
                if len(failed) == SHOWN:
                    break
            if failed:
                raise ExceptionGroup(f"of {len(rows)} cases of {test.__name__}", failed)

        all_cases.__name__, all_cases.__doc__, all_cases.__module__ = (
            test.__name__,
            test.__doc__,
            test.__module__,
        )
        takes = inspect.signature(test).parameters.values()
        left = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in takes if one.name not in words]
        all_cases.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        return all_cases

    return taken


def _own(fixtures: dict[str, object], place: int) -> dict[str, object]:
    """Return the fixtures for a case: its folder is one within that of the test."""
    folder = fixtures.get("tmp_path")
    if not isinstance(folder, Path):
        return fixtures
    own = folder / str(place)
    own.mkdir()
    return {**fixtures, "tmp_path": own}


def _row(case: object, count: int) -> tuple[tuple[object, ...], str | None]:
    """Return the values of a case and the id it was given."""
    if isinstance(case, type(pytest.param())):
        assert not case.marks, "a case among many cannot be marked"
        return tuple(case.values), case.id if isinstance(case.id, str) else None
    if count == 1:
        return (case,), None
    assert isinstance(case, tuple | list)
    assert len(case) == count, case
    return tuple(case), None


def _id(values: tuple[object, ...], own: str | None, told: object) -> str:
    """Return its own id, or the one it was told to have, or one made of its values."""
    if own is not None:
        return own
    if callable(told):
        return "-".join(str(told(value)) for value in values)
    if told is not None:
        return str(told)
    return "-".join((value if isinstance(value, str) else repr(value))[:LENGTH] for value in values)
