"""The bar of a long reading: a count that begins when there is one."""

from __future__ import annotations

from cases import each

from exitgate.cli.progress import reached


@each(
    ("done", "found", "shown"),
    [(0, 122, "122 found"), (1, 122, "1/122"), (122, 122, "122/122"), (0, 0, "0 found")],
)
def test_it_never_shows_none_of_many(done: int, found: int, shown: str) -> None:
    assert reached(done, found) == shown
