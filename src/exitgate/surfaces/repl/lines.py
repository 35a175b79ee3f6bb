"""One line of the conversation: a command, a series for a fact, a rule, or a condition."""

from __future__ import annotations

from exitgate.language.problem import LanguageError
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.place import Place
from exitgate.model.spelling import nearest
from exitgate.model.verdict import BAD_POLICY
from exitgate.surfaces.repl.answer import answer
from exitgate.surfaces.repl.commands import COMMANDS, about_rule
from exitgate.testing.series import SeriesError
from exitgate.testing.values import MisfitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.report.style import Style
    from exitgate.surfaces.repl.session import Session

#: Codes of this room, one line each; `docs` reads them.
CODES = {"EP552": "an unknown or incomplete command of the repl"}
#: The file that places name.
FILE = "<repl>"
#: Signs before an `=` that make it a comparison.
_COMPARING = "=<>!"


def answered(line: str, number: int, session: Session, style: Style) -> list[str]:
    """
    Return what is to be shown on a line; nothing for an empty one and for a comment.

    Args:
        line: As typed.
        number: Its number, from 1, for the place of a problem.
        session: What was said so far; a series, a setting or a reset changes it.
        style: Of what is shown.

    Raises:
        ExitgateError: With everything that is wrong in the line, at its place (65).
    """
    text = line.strip()
    if not text or text.startswith("#"):
        return []
    try:
        if text.startswith(":"):
            return _command(text, session, style)
        name, sign, given = _series(text)
        if sign:
            return _given(name, given, text, session)
        if text in {rule.id for rule in session.policy.rules} and text not in session.policy.facts:
            return about_rule(text, session, style)
        return answer(session.read(text), session, style)
    except LanguageError as error:
        found = [(p.code, p.message, p.start, p.end, p.help) for p in error.problems]
        raise _placed(found, line, number) from None
    except _WrongError as error:
        raise _placed([error.found], line, number) from None


class _WrongError(Exception):
    """One problem of a line: code, message, offsets behind its leading blanks, help."""

    def __init__(self, code: str, message: str, start: int, end: int, help: str) -> None:
        self.found = (code, message, start, end, help)
        super().__init__(message)


def _placed(found: Iterable[tuple[str, str, int, int, str]], line: str, number: int) -> ExitgateError:
    indent = len(line) - len(line.lstrip())
    shown = line.rstrip("\r\n")
    problems = []
    for code, message, start, end, help in found:
        place = Place(FILE, number, indent + start + 1, number, indent + max(end, start + 1) + 1)
        problems.append(Diagnostic(code, message, place, help, source=shown))
    return ExitgateError(problems, BAD_POLICY)


def _command(text: str, session: Session, style: Style) -> list[str]:
    name, _, rest = text[1:].partition(" ")
    if name not in COMMANDS:
        near = nearest(name, COMMANDS)
        help = f"did you mean `:{near}`?" if near else "`:help` lists the commands"
        raise _WrongError("EP552", f"no command `:{name}`", 0, len(name) + 1, help)
    return COMMANDS[name](rest.strip(), session, style)


def _series(text: str) -> tuple[str, str, str]:
    """Return name, sign and series of `name = series`; the sign is empty for any other line."""
    at = text.find("=")
    name = text[:at].rstrip() if at > 0 else ""
    plain = name and all(c.isalnum() or c in "._" for c in name)
    if not plain or text[at + 1 : at + 2] in ("=",) or text[at - 1] in _COMPARING:
        return "", "", ""
    return name, "=", text[at + 1 :]


def _given(name: str, given: str, text: str, session: Session) -> list[str]:
    spec = session.policy.facts.get(name)
    if spec is None:
        near = nearest(name, session.policy.facts)
        help = f"did you mean `{near}`?" if near else "`:facts` lists the facts of the policy"
        raise _WrongError("EP490", f"the policy has no fact `{name}`", 0, len(name), help)
    start = len(text) - len(given.lstrip())
    try:
        session.give(spec, name, given.strip())
    except SeriesError as error:
        at = start + error.offset
        message = f"the series of `{name}`: {error}"
        raise _WrongError("EP492", message, at, at + 1, "for example `1 2 2x3 _ 4`") from None
    except MisfitError as error:
        raise _WrongError("EP491", f"`{name}`: {error}", start, len(text), f"it is a {spec.type}") from None
    return []
