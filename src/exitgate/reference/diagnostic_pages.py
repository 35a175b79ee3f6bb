"""A page for every diagnostic code: what it means, an example as it is printed, how to fix it."""

from __future__ import annotations

from exitgate.reference import source
from exitgate.reference.entry import Entry, Page
from exitgate.reference.performed import Shown, perform, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.reference.performed import Run

ROOM = "diagnostics"


def pages(codes: Mapping[str, str], run: Run) -> tuple[Page, ...]:
    """
    Return a page for each code, by code.

    Args:
        codes: Code -> its meaning in one line.
        run: Runs a command line of an example in a folder.

    Raises:
        ValueError: A source has no code, or an example does not show its code.
    """
    there = set(source.names(ROOM))
    if not there <= set(codes):
        raise ValueError(f"sources of no code: {sorted(there - set(codes))}")
    return tuple(
        page(code, codes[code], source.read(ROOM, f"{code}.md"), run)
        if code in there
        else bare(code, codes[code])
        for code in sorted(codes)
    )


def bare(code: str, meaning: str) -> Page:
    """Return the page of a code without a source: its meaning only. The tests of pages miss the source."""
    path = f"{ROOM}/{code}.md"
    return Page(path, f"# {code}: {meaning}\n", (Entry(code, "diagnostic", path, "", meaning),))


def page(code: str, meaning: str, text: str, run: Run) -> Page:
    """Return the page of one code made from its source."""
    written = source.written(text)
    bad, good = perform((written.bad, written.good), run)
    printed = "".join(shown.printed for shown in bad)
    if printed and f"[{code}]" not in printed:
        raise ValueError(f"the example of {code} does not show it:\n{printed}")
    lines = [f"# {code}: {meaning}", ""]
    lines += told(bad)
    lines += ["## How to fix it", ""]
    lines += told(good[:-1] if _is_right(code, good) else good)
    where = f"{ROOM}/{code}.md"
    entry = Entry(code, "diagnostic", where, "", meaning)
    return Page(where, "\n".join(lines).rstrip("\n") + "\n", (entry,))


def _is_right(code: str, good: tuple[Shown, ...]) -> bool:
    """Return whether the last thing shown is a silent validation; raise when the code is still there."""
    printed = "".join(shown.printed for shown in good)
    if f"[{code}]" in printed:
        raise ValueError(f"the fixed example of {code} still shows it:\n{printed}")
    last = good[-1] if good else None
    return last is not None and last.block.text == source.VALIDATE + "\n" and last.code == 0
