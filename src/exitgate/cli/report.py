"""`exitgate report`: recorded runs under policies as a page to look at."""

from __future__ import annotations

import os

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, MANY, REPEAT, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.judging import NOTHING_THERE, READER, SETTINGS, loaded, remarks
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_WRITE, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal

#: Codes of this room, one line each; `docs` reads them.
CODES = {
    "EP880": "the report would take the place of a transcript or of the labels",
    "EP881": "the report cannot be written",
}
STDOUT = "-"


def run(given: Given, terminal: Terminal) -> Answer:
    """Write the page and say what is in it."""
    from exitgate.cli.progress import progress
    from exitgate.dryrun.labels import load
    from exitgate.dryrun.page.collect import collect
    from exitgate.dryrun.page.moments import counted
    from exitgate.dryrun.page.render import html
    from exitgate.transcripts.unread import nothing

    paths, output = given.texts("path"), given.word("output")
    marks = given.text("labels")
    _check_output(output, (*paths, marks or ""))
    policies = loaded(given)
    labels = load(marks) if marks is not None else None
    with progress("runs") as tell:
        found = collect(paths, policies, labels, reader=given.text("reader"), tell=tell)
    if not found.runs:
        raise nothing(paths, found.unread)
    text = html(found.page)
    err, code = remarks(found.problems, found.unread, terminal)
    if output == STDOUT:
        return Answer(text, err, code)
    _write(output, text)
    size = f"{len(text.encode()) / 1000:,.0f} kB"
    names = ", ".join(f"`{name}`" for name in policies)
    return Answer(f"wrote {output}: {counted(found.runs, 'run')} under {names}, {size}\n", err, code)


def _check_output(output: str, inputs: tuple[str, ...]) -> None:
    """Raise `ExitgateError` where the page would take the place of something that is read or of a folder."""
    if output == STDOUT:
        return
    for path in inputs:
        if os.path.isfile(path) and os.path.exists(output) and os.path.samefile(path, output):
            message = f"the report would take the place of `{path}`, which it is made from"
            raise ExitgateError([Diagnostic("EP880", message, help="write `-o report.html`")], USAGE)
    if os.path.isdir(output):
        help = f"write `-o {os.path.join(output, 'report.html')}`"
        raise ExitgateError([Diagnostic("EP881", f"`{output}` is a folder", help=help)], CANNOT_WRITE)


def _write(path: str, text: str) -> None:
    """Write a file whole or not at all. Raises `ExitgateError` (73)."""
    import tempfile

    try:
        descriptor, new = tempfile.mkstemp(prefix=".exitgate-", dir=os.path.dirname(path) or ".")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(new, 0o666 & ~mask)
            os.replace(new, path)
        except BaseException:
            os.unlink(new)
            raise
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror}"
        problem = Diagnostic("EP881", message, help="check its folder and the room on the disk")
        raise ExitgateError([problem], CANNOT_WRITE) from error


COMMAND = Command(
    "report",
    "show recorded runs under policies as a page to look at",
    about="One HTML file that loads nothing and needs no JavaScript: for each run where each policy stops "
    "and what comes after that, verdicts, cost, scores and every rule on one timeline, and each response "
    "with what was seen in it. Every policy is asked to the end of the run, also behind its own stop. "
    "Secrets that a policy's mask knows are hidden; whatever else the transcripts say can be read by "
    "whoever has the file.",
    arguments=(Argument("PATH", MANY, "transcripts: files, folders, globs"),),
    options=(
        Option(
            "--policy",
            "-p",
            kind=REPEAT,
            metavar="NAME|PATH",
            doc="a policy, any number of times; `recommended` by default",
        ),
        SETTINGS,
        Option("--labels", "-l", metavar="FILE", doc="labels: where the runs should have stopped"),
        READER,
        Option("--output", "-o", metavar="FILE", doc="the page; `-` is stdout", default="report.html"),
        COLOR,
    ),
    examples=(
        ("exitgate report runs/ -o report.html", "the default policy"),
        ("exitgate report runs/night.jsonl -p bb3 -p recommended", "two policies side by side"),
        ("exitgate report runs/ -p bb3 --set min_completion=95 -l labels.yaml", "against labels"),
    ),
    codes=(SUCCESS, NOTHING_THERE, *TROUBLE),
    run=run,
)
