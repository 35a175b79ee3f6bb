"""`exitgate label`: labels for recorded runs, made by hand."""

from __future__ import annotations

import os
import sys

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.commands.recorded.selection import CODES, READER, load_policy, nothing_to_judge, remarks
from exitgate.cli.files import replace_text
from exitgate.cli.parsing.usage import failure
from exitgate.cli.progress import progress
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import BAD_POLICY, CANNOT_WRITE
from exitgate.core.system import portable
from exitgate.recordings.model import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.recordings.scoring.labelling import ShownRun
    from exitgate.recordings.scoring.labels import Label


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Show the runs, take labels from the lines that are typed, and save each as it is made."""
    from exitgate.recordings.replay.replay_pool import PolicyReplay
    from exitgate.recordings.scoring.labelling import HELP, Session, runs_to_show, screen
    from exitgate.recordings.scoring.labels import in_folder, load
    from exitgate.recordings.unread import Unread

    path = in_folder(given.word("output"))
    before = load(path).labels if os.path.lexists(path) else ()
    name, policy = load_policy(given)
    problems: list[Problem] = []
    unread = Unread()
    with progress("reading") as tell:
        player, reader = PolicyReplay(name, policy), given.text("reader")
        runs = runs_to_show(given.texts("path"), player, problems, unread, reader, tell)
    if not runs:
        raise nothing_to_judge("no run has an iteration", "", given.texts("path"), unread)
    err, code = remarks(problems, unread, terminal)

    def show(shown: ShownRun, number: int, label: Label | None) -> str:
        return screen(shown, number, label, terminal.out) + "\n"

    saved = before

    def save(labels: tuple[Label, ...]) -> None:
        nonlocal saved
        write_whole(path, _changed(path, saved, labels))
        saved = labels

    try:
        _say(HELP)
        Session(runs, before, _say, show, save).sit(sys.stdin or ())
        _say("\n")
    except BrokenPipeError:
        # The reader is gone. Python flushes the stream once more when it ends; let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Answer(err=err, code=code)


def _say(text: str) -> None:
    """Show text at once: the user waits for it. Without a stdout, do nothing."""
    if sys.stdout is None:
        return
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def _changed(path: str, before: tuple[Label, ...], after: tuple[Label, ...]) -> str:
    """Return the text of the file with what has changed; raises `ExitgateError` (65) where it cannot be."""
    from exitgate.analysis.yaml_values import NotEditableError
    from exitgate.recordings.scoring.edited_labels import with_labels
    from exitgate.recordings.scoring.labels import text_of

    try:
        return with_labels(text_of(path) if os.path.lexists(path) else "", path, before, after)
    except NotEditableError as error:
        message = f"the labels `{path}` cannot be changed without a risk to what else they say: {error}"
        help = "change them by hand, or name another file with `--output`"
        raise failure("EP874", message, help, BAD_POLICY) from None


def write_whole(path: str, text: str) -> None:
    """Put `text` instead of a file, or make it, whole or not at all. Raises `ExitgateError` (73)."""
    if os.path.lexists(path):
        replace_text(path, text)
        return
    new = f"{path}.{os.getpid()}.new"
    try:
        with open(new, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        portable.replace(new, path)
    except OSError as error:
        if os.path.exists(new):
            os.unlink(new)
        message = f"the labels `{path}` cannot be written: {error.strerror}"
        raise failure("EP874", message, "check its folder", CANNOT_WRITE) from error


COMMAND = Command(
    "label",
    "label where recorded runs should have stopped",
    about="Shows one iteration at a time and takes commands from stdin: Enter for the next one, `s` "
    "where the run should have stopped, `r 4-5` for a range, `never` if the run should not have stopped; "
    "`?` shows all commands. The policy's decision is shown only on `v`, so as not to "
    "influence you. Each label is saved at once; existing labels and comments in the file are kept.",
    arguments=(Argument("PATH...", "transcripts: files, folders, globs"),),
    options=(
        Option("--output, -o FILE", "the labels", default="labels.yaml"),
        Option("--policy, -p NAME|PATH", "the policy that `v` shows; the project's by default"),
        READER,
    ),
    examples=(("exitgate label runs/ -o labels.yaml", "create labels, or add to existing ones"),),
    codes=CODES,
    run=run,
)
