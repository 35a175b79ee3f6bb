"""`--dataset`: what a dry run finds, added to the Parquet dataset of a fleet."""

from __future__ import annotations

import os

from exitgate.cli.command import Option, ParsedArguments
from exitgate.cli.parsing.usage import usage_error
from exitgate.core.model.display import counted
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.system import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.fleet.dataset.writer import Writer
    from exitgate.recordings.scoring.labels import Labels

DATASET = (
    Option("--dataset TARGET", "add runs, iterations and decisions to a Parquet dataset: a folder or URL"),
    Option("--facts", "with `--dataset`: add the facts of each iteration that is decided on"),
    Option("--texts", "with `--dataset`: add words of agents: reasons, and facts that are texts"),
)


def writer_of(
    given: ParsedArguments, policies: dict[str, CompiledPolicy], labels: Labels | None
) -> Writer | None:
    """
    Return what writes the dataset that a command line names, None without one.

    Raises:
        ExitgateError: 64 for options that do not go together, a dataset inside a path that is read, or where
            a package is missing; 65 where there is something else; 73 where it cannot be written.
    """
    target = given.text("dataset")
    if target is None:
        for option in ("facts", "texts"):
            if given.flag(option):
                raise usage_error(f"`--{option}` is for a dataset", "add `--dataset TARGET`")
        return None
    from exitgate.fleet.dataset.rows import Writing
    from exitgate.fleet.dataset.writer import Writer
    from exitgate.recordings.page.assemble import mask_of

    place = os.path.realpath(target)
    for path in given.texts("path"):
        if "://" not in path + target and portable.is_below(place, os.path.realpath(path)):
            raise usage_error(
                f"the dataset `{target}` is inside `{path}`, which is read", "name another folder"
            )
    return Writer(target, Writing(policies, mask_of(policies.values()), labels, given.flag("texts")))


def wrote(writer: Writer, target: str) -> str:
    """Return a line on what was written."""
    known = f", {writer.known:,} of them were there already" if writer.known else ""
    return f"note: added {counted(writer.runs, 'run')} to {target}{known}\n"
