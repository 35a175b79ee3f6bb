"""Whether a policy's version says what changed: text, JSON, Markdown."""

from __future__ import annotations

from msgspec import Struct

from exitgate.report.decision.markdown import code, prose
from exitgate.report.formats.json import diagnostics_json, json_text
from exitgate.report.policy.decision_diff import by_text, kind_plain, result_text, run_lines, side_plain
from exitgate.report.terminal import safe, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.results.comparison import Kind, Need, Side
    from exitgate.core.model.diagnostic import Diagnostic
    from exitgate.report.terminal import Style


SCHEMA = "exitgate/release-check@2"
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
    return json_text({"schema": SCHEMA, "policies": [_plain(one) for one in releases]})


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


def _plain(release: Release) -> dict[str, object]:
    trouble = release.trouble
    return {
        "path": release.path,
        "after": side_plain(release.after),
        "before": None if release.before is None else side_plain(release.before),
        "level": release.level,
        "smallest": release.smallest or None,
        "right": trouble is None or release.written,
        "written": release.written,
        "not_decided": release.open or None,
        "problem": None if trouble is None else diagnostics_json([trouble])[0],
        "needs": [_need(need) for need in release.needs],
    }


def _need(need: Need) -> dict[str, object]:
    plain: dict[str, object] = {"level": need.level, "why": need.why}
    if need.section:
        plain |= {"section": need.section, "name": need.name}
    return plain if need.kind is None else plain | {"kind": kind_plain(need.kind)}
