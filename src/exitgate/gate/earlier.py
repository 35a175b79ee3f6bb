"""
Texts of earlier iterations, for extractors that compare this one with them.

They are kept in the state directory, shortened and with secrets hidden, only where the policy has such an
extractor, and until the run ends. One that is lost or damaged is unknown and reported; it never stops a
check. Facts are recorded, so a replay does without the texts.
"""

from __future__ import annotations

from exitgate.facts.registry import load
from exitgate.gate.sources import keeps
from exitgate.model.value import Value
from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.model.decision import Decision
    from exitgate.model.iteration import Iteration, Source
    from exitgate.policy.compiled import CompiledPolicy


class Recalled(Value):
    """Texts by source, oldest first, None where one is not known; and remarks on what was lost."""

    __slots__ = ("remarks", "texts")

    def __init__(self, texts: Mapping[str, tuple[str | None, ...]], remarks: tuple[str, ...] = ()) -> None:
        self.texts = texts
        self.remarks = remarks


def needs(policy: CompiledPolicy) -> dict[str, int]:
    """Return how many earlier texts of which sources the policy's extractors compare with; mostly none."""
    found: dict[str, int] = {}
    for entry in policy.extractions:
        asks = None if keeps(policy, entry) else getattr(load(entry.extractor), "earlier", None)
        for source, count in (asks(entry.source, entry.options) if asks is not None else {}).items():
            found[source] = max(count, found.get(source, 0))
    return found


def recall(
    directory: str, needed: Mapping[str, int], run: str, number: int, lines: Sequence[Mapping[str, object]]
) -> Recalled:
    """
    Return the kept texts of the iterations before iteration `number` of `run`.

    Args:
        directory: The state directory.
        needed: Source -> how many iterations back, as `needs` says.
        run: Id of the run.
        number: 1-based number of this iteration.
        lines: Lines of the run, for the iterations that are known to have been.
    """
    if not needed or number <= 1:
        return Recalled({})
    from exitgate.gate import earlier_files
    from exitgate.ledger.runs import decisions_of, iteration_of

    known = {at for line in decisions_of(lines) if 0 < (at := iteration_of(line)) < number}
    found: dict[int, Mapping[str, str]] = {}
    for at in range(max(1, number - max(needed.values())), number):
        try:
            one = earlier_files.read(directory, run, at)
        except (OSError, ValueError, RecursionError):
            known.add(at)  # it is there, but not to be read: reported below
            continue
        if one is not None:
            found[at] = one.texts
            known.update((at, *one.before))
    texts: dict[str, tuple[str | None, ...]] = {}
    lost: set[int] = set()
    for source, count in needed.items():
        window = [at for at in range(max(1, number - count), number) if at in known]
        texts[source] = tuple(found[at].get(source) if at in found else None for at in window)
        lost.update(at for at in window if at not in found)
    if not lost:
        return Recalled(texts)
    numbers = ", ".join(str(at) for at in sorted(lost))
    return Recalled(
        texts, (f"the response of iteration {numbers} of `{run}` is not kept, or cannot be read",)
    )


def texts(needed: Mapping[str, int], iteration: Iteration, policy: CompiledPolicy) -> dict[str, str]:
    """Return the texts of `iteration` that the next ones are compared with: shortened, secrets hidden."""
    if not needed or iteration.number < 1:
        return {}
    from exitgate.facts.similarity_bounds import KEPT, bounded

    covered = _covered(iteration.sources, needed, policy)
    return {name: bounded(text, KEPT) for name, text in covered.items()}


def keep(directory: str, needed: Mapping[str, int], iteration: Iteration, texts: Mapping[str, str]) -> None:
    """
    Keep `texts` of `iteration`, and drop those of earlier ones that are no longer needed.

    Raises:
        ExitgateError: 73 when they cannot be written.
    """
    if not needed or iteration.number < 1:
        return
    import os

    from exitgate.gate import earlier_files
    from exitgate.ledger.trouble import cannot_write

    try:
        earlier_files.write(directory, iteration.run, iteration.number, texts, max(needed.values()))
    except OSError as error:
        raise cannot_write(os.path.join(directory, earlier_files.FOLDER), error) from error


def forget(directory: str, needed: Mapping[str, int], run: str, decision: Decision) -> tuple[str, ...]:
    """Drop the texts of a run that `decision` ends; return warnings on what could not be dropped."""
    from exitgate.ledger.runs import SUSPENDING

    if not needed or decision.verdict != EXIT or decision.exit_class in SUSPENDING:
        return ()
    from exitgate.gate import earlier_files
    from exitgate.ledger.trouble import why

    try:
        earlier_files.drop(directory, run)
    except OSError as error:
        return (f"the texts kept of `{run}` cannot be dropped: {why(error)}",)
    return ()


def comparable(iteration: Iteration, needed: Mapping[str, int], policy: CompiledPolicy) -> Iteration:
    """Return the iteration with secrets hidden in what is compared: earlier texts have theirs hidden, too."""
    from exitgate.model.iteration import Iteration, Source

    sources = dict(iteration.sources)
    for name, text in _covered(sources, needed, policy).items():
        one = sources[name]
        sources[name] = Source(name, text, one.record, one.path, one.reason, one.warnings, one.absent)
    return Iteration(iteration.number, iteration.run, iteration.time, sources, iteration.earlier)


def _covered(
    sources: Mapping[str, Source], names: Mapping[str, int], policy: CompiledPolicy
) -> dict[str, str]:
    from exitgate.gate.mask import covered

    return covered({name: sources[name] for name in names if name in sources}, policy)
