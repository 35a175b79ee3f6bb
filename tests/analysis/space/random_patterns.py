"""Strategies: patterns in RE2's dialect that RE2 takes, and texts that they may well match."""

from __future__ import annotations

from hypothesis import strategies as st

from exitgate.core.language.evaluation.kleene import searcher

_LETTERS = (*"abkst01AKS _-.\n", "é", "ß", "Σ", "ς", "İ", "\u017f", "中", "\ufffd", "\u2028")
_ATOMS = (
    "a", "b", "k", "s", "0", "A", " ", "é", "\u03c3",
    "中", "-", ".", r"\.", r"\d", r"\D", r"\w", r"\W", r"\s",
    r"\S", r"\n", r"\t", r"\x61",
    r"\x{e9}", r"\141", r"\pL", r"\PL", r"\p{Greek}", r"\p{^Lu}", r"\P{Lu}", "[ab]",
    "[^a]", "[a-k0]", "[]a]", "[^]a]", r"[\d_]", r"[^\W0]", "[[:alpha:]]", "[[:^digit:]_]", r"[\pN-]", "[a-]",
    r"[\]a]", r"\Qa.b\E", r"\Q*", "{", "a{,2}", "(?:)", "()",
)  # fmt: skip
_BOUNDS = ("^", "$", r"\A", r"\z", r"\b", r"\B")
_TIMES = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{1,2}?", "{0}")
_GROUPS = (
    "({})",
    "(?:{})",
    "(?P<n{n}>{})",
    "(?i:{})",
    "(?s:{})",
    "(?m:{})",
    "(?-i:{})",
    "(?U:{})",
    "(?im-s:{})",
)
_FLAGS = ("(?i)", "(?s)", "(?m)", "(?U)", "(?ims)", "(?-i)")


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Return a pattern that RE2 takes."""
    count = iter(range(1000))

    def piece(depth: int) -> str:
        kind = draw(st.integers(0, 9))
        if kind < 5 or depth <= 0:
            found = draw(st.sampled_from(_ATOMS))
        elif kind == 5:
            return draw(st.sampled_from(_BOUNDS))
        elif kind == 6:
            return draw(st.sampled_from(_FLAGS)) + piece(depth - 1)
        else:
            shape = draw(st.sampled_from(_GROUPS))
            found = shape.replace("{n}", str(next(count))).replace("{}", choice(depth - 1))
        return found + (draw(st.sampled_from(_TIMES)) if draw(st.integers(0, 2)) == 0 else "")

    def choice(depth: int) -> str:
        rows = draw(st.integers(1, 2 if draw(st.booleans()) else 1))
        return "|".join("".join(piece(depth) for _ in range(draw(st.integers(0, 3)))) for _ in range(rows))

    found = choice(2)
    try:
        searcher(found)
    except ValueError:
        return draw(patterns())
    return found


def texts() -> st.SearchStrategy[str]:
    """Return short texts over letters that are special to patterns, in lower case or in Unicode."""
    return st.text(st.sampled_from(_LETTERS), max_size=6)
