"""Mistakes on the command line, and the NAME=VALUE pairs that several options take."""

from __future__ import annotations

from exitgate.core.model.decision import CANNOT_READ, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.system.portable import WINDOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: Largest number or amount that an option takes: sums over any run stay numbers that can be written.
MOST = 10**12

#: Codes of this package, one line each; `docs` reads them.
CODES = {
    "EP800": "the command line is wrong",
    "EP801": "no such command",
    "EP802": "a NAME=VALUE option without a name or an equals sign",
    "EP804": "a file that would be written exists",
    "EP805": "a file cannot be read or written",
    "EP806": "there is no ledger",
    "EP807": "the policy reads nothing that an agent can report",
    "EP808": "the command does not work on Windows",
    "EP809": "the resident process did not answer",
    "EP803": "the resident process cannot listen",
}


def usage_error(message: str, help: str, code: str = "EP800") -> ExitgateError:
    """Return the error for a wrong command line, exit code 64."""
    return failure(code, message, help, USAGE)


def failure(code: str, message: str, help: str, exit_code: int) -> ExitgateError:
    """Return the error of a diagnostic that has no place in a file."""
    return ExitgateError([Diagnostic(code, message, help=help)], exit_code)


def did_you_mean(name: str, names: Iterable[str], otherwise: str) -> str:
    """Return a help line with the nearest of `names`, or `otherwise` where none is near."""
    from exitgate.core.model.spelling import nearest

    near = nearest(name, names)
    return f"did you mean `{near}`?" if near else otherwise


def pairs(option: str, given: Iterable[str]) -> dict[str, str]:
    """
    Return name -> value of every ``NAME=VALUE`` in `given`; a name has one value.

    `option` is the option as typed, for the message. Raises `ExitgateError` with exit code 64.
    """
    found: dict[str, str] = {}
    wrong: list[Diagnostic] = []
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip()
        if name and equals:
            if found.setdefault(name, value) != value:
                message = f"`{option}` gives `{name}` twice: `{found[name]}` and `{value}`"
                wrong += usage_error(message, "keep one of them").diagnostics
        else:
            help = f"write `{option} NAME=VALUE`"
            wrong += usage_error(f"`{text}` is not a NAME=VALUE", help, "EP802").diagnostics
    if wrong:
        raise ExitgateError(wrong, USAGE)
    return found


def files(option: str, given: Sequence[str]) -> dict[str, str]:
    """
    Return name -> path of every ``NAME=PATH`` in `given`; a name has one file.

    `option` is the option as typed, for the message. Raises `ExitgateError` with exit code 64.
    """
    names = [text.partition("=")[0].strip() for text in given]
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        message = f"`{option}` names two files for source `{twice}`"
        raise usage_error(message, "join them in order: `cat FIRST SECOND | exitgate check -`")
    return pairs(option, given)


def amount(option: str, text: str | None) -> float | None:
    """Return an amount of money, from 0 to `MOST`, or None without `text`. Raises `ExitgateError` (64)."""
    found = None if text is None else number_of(text)
    if found is not None and not 0 <= found <= MOST:
        raise usage_error(f"`{text}` is not an amount", f"write `{option} 0.42`")
    return found


def number_of(text: str) -> float:
    """Return the number that a text is, -1 for none: no option takes a negative one."""
    try:
        return float(text)
    except ValueError:
        return -1.0


def percentage(option: str, text: str | None, code: str = "EP800") -> float | None:
    """Return a percentage, from 0 to 100, or None without `text`. Raises `ExitgateError` (64) with `code`."""
    if text is None:
        return None
    found = number_of(text.removesuffix("%"))
    if not 0 <= found <= 100:
        raise usage_error(f"`{text}` is not a percentage", f"write `{option} 100`", code)
    if 0 < found < 1 and not text.endswith("%"):
        help = f"write `{option} {100 * found:g}` or `{option} {text}%`"
        raise usage_error(f"`{text}` is less than one percent", help, code)
    return found


def seconds(option: str, text: str) -> float:
    """Return the seconds of ``30m``, or of a bare number of them. Raises `ExitgateError` (64)."""
    from exitgate.core.language.literals import UNITS, duration, pieces
    from exitgate.core.language.problem import LanguageError

    written = text if text[-1:].isalpha() else f"{text}s"
    parts = pieces(written)
    good = all(unit in UNITS and amount.replace(".", "", 1).isdecimal() for amount, unit in parts)
    try:
        if good and written.isascii():
            return float(duration(written, 0))
    except LanguageError:
        pass
    raise usage_error(f"`{text}` is not a duration", f"write `{option} 30m`, or seconds: `{option} 90`")


def at_least(option: str, number: int | None, least: int) -> int | None:
    """Return `number`, which may be None. Raises `ExitgateError` (64): below `least`, or above `MOST`."""
    if number is not None and number < least:
        raise usage_error(f"`{option} {number}` is less than {least}", f"write `{option} {least}` or more")
    if number is not None and number > MOST:
        raise usage_error(f"the number of `{option}` is more than {MOST}", f"write `{option} {MOST}` or less")
    return number


def exit_status(option: str, number: int | None) -> int | None:
    """
    Return the exit status of a process, which may be None. Raises `ExitgateError` (64) for one that none has.

    A shell gives 0 to 255, and 128 and its number for a signal; Windows any number of 32 bits.
    """
    least, most = (-(2**31), 2**32 - 1) if WINDOWS else (0, 255)
    if number is not None and not least <= number <= most:
        help = f"write the exit status as the shell has it, {least} to {most}"
        if -64 <= number < 0:
            help = f"a process that signal {-number} ended has the exit status {128 - number} in a shell"
        raise usage_error(f"`{option} {number}` is not an exit status", help)
    return number


def folder_gone() -> ExitgateError:
    """Return the error (74) for a current folder that was removed or may not be entered."""
    return failure("EP805", "the current folder is gone", "change to a folder that exists: `cd`", CANNOT_READ)


def not_in_probe(words: str) -> None:
    """Raise `ExitgateError` (64) in what a probe runs: it would ask itself."""
    import os

    from exitgate.core.probes.answer import MARK

    if os.environ.get(MARK):
        message = f"a probe cannot call `exitgate {words}`: {MARK} is set"
        help = f"let the probe's command do without it; a test of exitgate itself removes {MARK} first"
        raise failure("EP599", message, help, USAGE)


def needs_wsl(name: str) -> ExitgateError:
    """Return the error (64) for a command that needs processes, signals and terminals as POSIX has them."""
    message = f"`exitgate {name}` needs WSL on Windows"
    return ExitgateError([Diagnostic("EP808", message)], USAGE)
