"""The reference page of the functions of the condition language."""

from __future__ import annotations

from exitgate.language.functions import ANY, FUNCTIONS, MAY_WINDOW, MEAN, MUST_WINDOW, NUMERIC, SAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.functions import Function

INTRODUCTION = """# Functions

Functions of the condition language. Those that read history look at earlier iterations of the same run,
the current one included, and never further back than the number given or the cap named here.
"""


def functions_page() -> str:
    """Return the page, one section a function, in alphabetical order."""
    return "\n".join([INTRODUCTION, *(_section(f) for _, f in sorted(FUNCTIONS.items()))])


def _section(function: Function) -> str:
    lines = [f"## {function.name}", "", function.doc[:1].upper() + function.doc[1:] + ".", ""]
    lines += ["```text", function.example, "```", ""]
    takes = ", ".join(_kinds(kinds) for kinds in function.kinds)
    lines.append(f"Takes: {takes}{', two or more' if function.many else ''}. Gives: {_result(function)}.")
    if function.window == MUST_WINDOW:
        lines.append("`last N` must be given.")
    elif function.window == MAY_WINDOW:
        lines.append(f"`last N` may be given; without it at most {function.cap} iterations are read.")
    elif function.history:
        lines.append(f"Reads {function.cap} iterations.")
    return "\n".join(lines) + "\n"


def _kinds(kinds: tuple[str, ...]) -> str:
    if kinds == ANY:
        return "any value"
    if kinds == NUMERIC:
        return "a numeric value"
    return " or ".join(kinds)


def _result(function: Function) -> str:
    if function.result == SAME:
        return "the type of its argument"
    return "the type of its argument, number for count" if function.result == MEAN else function.result
