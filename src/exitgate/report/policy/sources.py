"""Which packages and repositories a policy is from, as they are pinned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from exitgate.core.model.json_object import array_of, texts_of
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.formats.output import Output
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.locked.lock_file import Locked


class SourceOutput(Output, frozen=True):
    """
    A package or repository that a policy, or what it extends, is from.

    Args:
        source: `pypi:NAME`, or `git+URL@REVISION`.
        pinned: The version, or the beginning of the commit.
        digest: Over all its files, as the lock file has it.
    """

    source: str
    pinned: str
    digest: str


class PinnedOutput(Output, frozen=True):
    """
    A package or repository that the project pins.

    Args:
        source: `pypi:NAME`, or `git+URL@REVISION`.
        pinned: The version, or the beginning of the commit.
        digest: Over all its files.
        kept: Whether your store has it, as it was fetched.
    """

    source: str
    pinned: str
    digest: str
    kept: bool


def sources_of(policy: CompiledPolicy) -> tuple[SourceOutput, ...]:
    """Return them by name; none for a policy that is shipped or of the project alone."""
    rows = (texts_of(row) for row in array_of(policy.layers.get("fetched")))
    return tuple(SourceOutput(*row) for row in rows if len(row) == 3)


def source_lines(policy: CompiledPolicy) -> list[str]:
    """Return a line for each."""
    return [safe(f"from {one.source} {one.pinned}, {one.digest}") for one in sources_of(policy)]


def pinned_rows(entries: Iterable[Locked], environment: Mapping[str, str]) -> tuple[PinnedOutput, ...]:
    """Return what is pinned, by name, and whether it could be used now."""
    from exitgate.core.policy.locked import store
    from exitgate.core.policy.locked.files import Refused

    rows = []
    for one in sorted(entries, key=lambda entry: entry.source):
        try:
            store.load(one.digest, environment)
            kept = True
        except Refused:
            kept = False
        rows.append(PinnedOutput(one.source, one.pinned, f"sha256:{one.digest}", kept))
    return tuple(rows)


def pinned_text(rows: Iterable[PinnedOutput]) -> str:
    """Return a line for each."""
    missing = "  not in your store: run `exitgate policies lock`"
    return "".join(
        safe(f"{one.source}  {one.pinned}  {one.digest}{'' if one.kept else missing}") + "\n" for one in rows
    )
