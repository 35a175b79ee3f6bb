"""`exitgate test --coverage`: what the cases that ran have shown of their policies."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import FLAG, Option
from exitgate.cli.usage import usage_error
from exitgate.model.verdict import FINDINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.model.coverage import Coverage
    from exitgate.report.style import Style
    from exitgate.testing.coverage import Watcher

#: Codes of this room, one line each; `docs` reads them.
CODES = {"EP513": "`--fail-under` is not a percentage"}

FORMATS = ("text", "json", "html")
#: End of a file's name -> the form that is written to it where no form was asked for.
_ENDINGS = {".html": "html", ".htm": "html", ".json": "json"}
OPTIONS = (
    Option(
        "--coverage",
        kind=FLAG,
        doc="show which rules decided, and which parts of conditions were true and false",
    ),
    Option(
        "--coverage-format", choices=FORMATS, doc="its format; by default by the file's extension, else text"
    ),
    Option(
        "--coverage-output",
        metavar="FILE",
        doc="write it there; on stdout, a format other than text replaces the test results",
    ),
    Option("--coverage-unknown", kind=FLAG, doc="also require parts to be unknown, if they can be"),
    Option("--fail-under", metavar="PERCENT", doc="fail if a policy's coverage is lower"),
)


def watching(given: Given) -> Watcher | None:
    """
    Return what watches the cases, or None where no coverage was asked for.

    Any option of coverage asks for it. Raises `ExitgateError` (64) before anything takes long.
    """
    asked = [o.key for o in OPTIONS if given.flag(o.key) or given.text(o.key) is not None]
    if not asked:
        return None
    if given.flag("update"):
        raise usage_error(
            "`--update` and `--coverage` in one command", "run the tests again after `--update`"
        )
    _least(given)
    from exitgate.testing.coverage import Watcher

    return Watcher()


def check_file(given: Given, read: Iterable[str]) -> None:
    """Raise `ExitgateError` where the coverage cannot be written (73), or would go over what is read (64)."""
    output = given.text("coverage_output")
    if output is None:
        return
    from exitgate.cli.output_file import check_output, is_stdout

    check_output(output, read)
    if output == given.text("output") and not is_stdout(output):
        raise usage_error(f"`--output` and `--coverage-output` are both `{output}`", "name two files")


def covered(answer: Answer, watcher: Watcher, given: Given, terminal: Terminal) -> Answer:
    """
    Return the answer to a run of tests with the coverage behind it.

    The exit code is that of the tests where they failed, else 69 where an excuse does not hold or a policy
    stays below `--fail-under`.
    """
    found = watcher.coverages(unknown=given.flag("coverage_unknown"))
    code = answer.code or (FINDINGS if _fails(found, given) else 0)
    output = given.text("coverage_output")
    name = _form_name(given, output)
    tests_text = given.word("format") == "text" or given.text("output") is not None
    if output is not None:
        from exitgate.cli.output_file import is_stdout, write_output

        if not is_stdout(output):
            write_output(output, form(found, name, terminal.out).encode("utf-8", "backslashreplace"))
            return _with(answer, _gate(found, given, terminal), code, tests_text)
    if name != "text":
        return Answer(form(found, name, terminal.out), answer.out + answer.err, code, answer.events)
    text = form(found, "text", terminal.out) + _gate(found, given, terminal)
    return _with(answer, "\n" + text, code, tests_text)


def form(found: Sequence[Coverage], name: str, style: Style) -> str:
    """Return the coverage in one of `FORMATS`."""
    if name == "json":
        from exitgate.report.coverage_json import coverage_json

        return coverage_json(found)
    if name == "html":
        from exitgate.report.coverage_html import coverage_html

        return coverage_html(found)
    from exitgate.report.coverage_text import coverage_text

    return coverage_text(found, style)


def _with(answer: Answer, text: str, code: int, tests_text: bool) -> Answer:
    """Return the answer with `text` behind the tests' result, beside it where that is for programs."""
    if tests_text:
        return Answer(answer.out + text, answer.err, code, answer.events)
    return Answer(answer.out, answer.err + text, code, answer.events)


def _form_name(given: Given, output: str | None) -> str:
    asked = given.text("coverage_format")
    if asked is not None:
        return asked
    return next(
        (form for ending, form in _ENDINGS.items() if (output or "").lower().endswith(ending)), "text"
    )


def _fails(found: Iterable[Coverage], given: Given) -> bool:
    least = _least(given)
    return any(one.problems or (least is not None and not one.share.reaches(least)) for one in found)


def _gate(found: Iterable[Coverage], given: Given, terminal: Terminal) -> str:
    """Return a line for each policy that does not reach `--fail-under`."""
    least = _least(given)
    if least is None:
        return ""
    from exitgate.report.coverage_text import below_text

    return "".join(below_text(one, least, terminal.out) for one in found if not one.share.reaches(least))


def _least(given: Given) -> float | None:
    """Return the percentage that each policy is to reach, from 0 to 100, or None."""
    text = given.text("fail_under")
    if text is None:
        return None
    try:
        found = float(text.removesuffix("%"))
    except ValueError:
        found = -1.0
    if not 0 <= found <= 100:
        raise usage_error(f"`{text}` is not a percentage", "write `--fail-under 100`", "EP513")
    if 0 < found < 1 and not text.endswith("%"):
        help = f"write `--fail-under {100 * found:g}` or `--fail-under {text}%`"
        raise usage_error(f"`{text}` is less than one percent", help, "EP513")
    return found
