"""What failed of policies' tests, as annotations at the lines of what was expected."""

from __future__ import annotations

from exitgate.model.counted import counted
from exitgate.report.github import annotation, diagnostics_github
from exitgate.report.tests_text import difference, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.model.place import Place
    from exitgate.report.tests_ran import Ran, RanAll


def tests_github(found: RanAll) -> str:
    """Return a workflow command for everything that failed, and a notice with the sum."""
    diagnostics = "".join(diagnostics_github(file.diagnostics) for file in found.unusable)
    lines = [line for one in found.failed for line in _failed(one)]
    text = f"{len(found.ran) - len(found.failed)} passed, {len(found.failed)} failed"
    text += f", {counted(len(found.unusable), 'file')} cannot be used" if found.unusable else ""
    return diagnostics + "".join(
        f"{line}\n" for line in [*lines, annotation("notice", text, title="exitgate test")]
    )


def _failed(one: Ran) -> Iterator[str]:
    if one.broken:
        yield _at(one.place, "\n".join(one.broken), one.title)
    for miss in one.misses:
        text = "\n".join((f"{miss.what}: {said(miss)}", *difference(miss), *miss.why))
        yield _at(miss.place, text, one.title)


def _at(place: Place | None, text: str, title: str) -> str:
    if place is None:
        return annotation("error", text, title=title)
    return annotation("error", text, file=place.file, line=place.line, col=place.column, title=title)
