"""Whether a policy's version says what changed: text, JSON, Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from exitgate.analysis.results.comparison import Kind, Need, Side
from exitgate.core.model.diagnostic import Diagnostic
from exitgate.report.decision.markdown import code, prose
from exitgate.report.formats.output import DiagnosticOutput, Output, diagnostic_outputs, output_text
from exitgate.report.policy.decision_diff import by_text, result_text, run_lines
from exitgate.report.policy.diff_output import KindOutput, Section, SideOutput, kind_output, side_output
from exitgate.report.terminal import Style, safe, wrap

SCHEMA: Final = "exitgate/release-check@2"
ROLES = {"major": "error", "minor": "warning", "patch": "note"}
NEW, UNCHANGED = "a first version: nothing to compare it with", "nothing changed since {}"
NOUNS = {
    "policy": "the policy", "parameters": "parameter", "profiles": "profile", "lists": "list",
    "facts": "fact", "conditions": "condition", "circuit": "breaker", "rules": "rule",
    "otherwise": "otherwise", "undetermined": "undetermined", "invariants": "invariant", "views": "view",
    "mask": "secret",
}  # fmt: skip


class Release(Struct, frozen=True):
    """
    A policy compared with its last release.

    Args:
        path: Its file.
        after: It, as it is.
        before: Its last release; None for a first version.
        needs: The reasons to raise the version, major ones first.
        level: The largest level that is known to be asked for, None where nothing changed.
        smallest: The smallest version that says so; the one of `before` where nothing changed.
        trouble: What is wrong with the version that it has, or None.
        written: The version was set to `smallest`.
        open: What is not decided and would ask for a larger one, and why; else empty.
    """

    path: str
    after: Side
    before: Side | None = None
    needs: tuple[Need, ...] = ()
    level: str | None = None
    smallest: str = ""
    trouble: Diagnostic | None = None
    open: str = ""
    written: bool = False


def release_text(release: Release, style: Style) -> str:
    """Return one policy's part of the text: its versions, then the reasons."""
    after = release.after.policy
    name = style.paint("strong", safe(after.name))
    if release.before is None:
        return f"{name} {safe(after.version)}: {NEW}\n"
    before = release.before
    head = f"{name} {safe(before.policy.version)} ({safe(before.label)}) → {safe(after.version)}"
    if release.level is None:
        said = f"{head}: {UNCHANGED.format(safe(before.label))}\n"
        return said + (f"{_set(release, style)}\n" if release.written else "")
    lines = [head]
    sides = (before, release.after)
    for need in release.needs:
        level = style.paint(ROLES[need.level], need.level)
        text = wrap(need_text(need), style.width, f"  {need.level}  ", "         ")
        lines += [text[0].replace(need.level, level, 1), *text[1:]]
        if need.kind is not None:
            lines += [f"         {line}" for line in _example(need.kind, sides)]
    if release.open:
        lines += wrap(f"not decided: {release.open}", style.width, "  ", "    ")
    if release.written:
        lines.append(_set(release, style))
    elif release.trouble is None:
        least = f" at least a {release.level} change" if release.open else " so"
        lines.append(f"  {style.paint('help', 'right')}: {safe(after.version)} says{least}")
    return "\n".join(lines) + "\n"


def _set(release: Release, style: Style) -> str:
    return f"  {style.paint('help', 'set')} version {release.smallest} in {safe(release.path)}"


def release_markdown(release: Release) -> str:
    """Return one policy's part of a Markdown document."""
    after = release.after.policy
    if release.before is None:
        return f"### {prose(after.name)} {after.version}\n\n{NEW.capitalize()}.\n"
    before = release.before
    mark = "❌" if release.trouble is not None and not release.written else "✅"
    head = f"### {mark} {prose(after.name)} {before.policy.version} → {after.version}"
    if release.level is None:
        said = f"{head}\n\n"
        if release.trouble is not None:
            said += f"{prose(release.trouble.message.capitalize())}.\n\n"
        return f"{said}Nothing changed since {prose(before.label)}.\n"
    lines = [head, ""]
    if release.trouble is not None:
        lines += [f"{prose(release.trouble.message.capitalize())}.", ""]
    for need in release.needs:
        lines.append(f"- **{need.level}**: {prose(need_text(need))}")
        if need.kind is not None:
            lines += [f"  - {code(line)}" for line in _example(need.kind, (before, release.after))]
    if release.open:
        lines.append(f"- **not decided**: {prose(release.open)}")
    return "\n".join(lines) + "\n"


def releases_json(releases: Sequence[Release]) -> str:
    """Return every policy with its versions, the level asked for, and the reasons."""
    return output_text(ReleaseCheckOutput(SCHEMA, tuple(map(_release, releases))))


def need_text(need: Need) -> str:
    """Return a reason as a line."""
    if need.kind is not None:
        one, other = need.kind.before, need.kind.after
        if one.decides == other.decides:
            return f"{need.why}: {_warnings(need.kind)}"
        stage = "" if need.kind.stage == "after_iteration" else f", {need.kind.stage.replace('_', ' ')}"
        words = f"{result_text(one)} {by_text(one)} → {result_text(other)} {by_text(other)}"
        return f"{need.why}{stage}: {words}"
    if not need.section:
        return need.why
    noun = NOUNS[need.section]
    named = noun if need.name == need.section else f"{noun} `{safe(need.name)}`"
    return f"{named}: {need.why}"


def _warnings(kind: Kind) -> str:
    one, other = set(kind.before.warnings), set(kind.after.warnings)
    said = [f"`{safe(rule)}` is new" for rule in sorted(other - one)]
    return ", ".join([*said, *(f"`{safe(rule)}` is gone" for rule in sorted(one - other))])


def _example(kind: Kind, sides: tuple[Side, Side]) -> Iterator[str]:
    yield from (safe(line) for line in run_lines(kind.run, sides))


Level = Annotated[str, Meta(extra_json_schema={"enum": ["patch", "minor", "major"]})]


class NeedOutput(Output, frozen=True):
    """
    A reason to raise the version.

    Args:
        level: The part of the version it asks for.
        why: The reason.
        section: Place of its subject.
        name: What it is about.
        kind: The kind of input that is decided differently.
    """

    level: Level
    why: str
    section: Section | UnsetType = UNSET
    name: str | UnsetType = UNSET
    kind: KindOutput | UnsetType = UNSET


class ReleaseOutput(Output, frozen=True):
    """
    One policy and its last release.

    Args:
        path: Its file.
        after: The policy as it is.
        before: Its last release; null for a first version.
        level: The largest part that is known to be asked for; null where nothing changed.
        smallest: The smallest version that says what changed; null for a first version.
        right: Whether the version says what is known to have changed.
        written: Whether it was set to the smallest one.
        not_decided: What is not decided and would ask for a larger part, and why; null for nothing.
        problem: The diagnostic; null where the version is right.
        needs: The reasons, major ones first.
    """

    path: str
    after: SideOutput
    before: SideOutput | None
    level: Level | None
    smallest: str | None
    right: bool
    written: bool
    not_decided: str | None
    problem: DiagnosticOutput | None
    needs: tuple[NeedOutput, ...]


class ReleaseCheckOutput(Output, frozen=True):
    """
    What `exitgate release-check --format json` prints.

    Args:
        schema: Name and version of this form.
        policies: One for each file.
    """

    schema: Literal["exitgate/release-check@2"]
    policies: tuple[ReleaseOutput, ...]


def _release(release: Release) -> ReleaseOutput:
    trouble = release.trouble
    return ReleaseOutput(
        release.path,
        side_output(release.after),
        None if release.before is None else side_output(release.before),
        release.level,
        release.smallest or None,
        trouble is None or release.written,
        release.written,
        release.open or None,
        None if trouble is None else diagnostic_outputs([trouble])[0],
        tuple(map(_need, release.needs)),
    )


def _need(need: Need) -> NeedOutput:
    kind = UNSET if need.kind is None else kind_output(need.kind)
    if not need.section:
        return NeedOutput(need.level, need.why, kind=kind)
    return NeedOutput(need.level, need.why, need.section, need.name, kind)
