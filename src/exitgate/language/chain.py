"""
The whole priority chain as generated Python: the index of the first rule that is definitely true.

The source holds positional names only (`k0`, `v0`, `s0`); constants, names of facts and closures
reach it through its namespace, so no text of a user is ever in it. It gives the same answers as the
closures of `exitgate.language.closures`, which it calls for every form it has no source for. See
`exitgate.language.chain_source` for how unknowns are kept out of two-valued Python.
"""

from __future__ import annotations

from exitgate.language.chain_source import Source
from exitgate.language.closures import Compilation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from exitgate.language.closures import Records
    from exitgate.language.tree import Node

#: Rules in one function: larger ones are no faster and cost memory and build time.
CHUNK = 250


def compile_chain(
    whens: Sequence[Node],
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unread: Collection[str] = (),
    bounded: Collection[str] = (),
) -> Callable[[Records], int]:
    """
    Return a function records -> 0-based index of the first definitely true condition, or -1.

    Args:
        whens: Checked trees of type bool, in chain order.
        parameters, conditions, unread: As for `exitgate.language.closures.compile_node`.
        bounded: Facts of which bounds may be known where the value is not.

    Raises:
        LanguageError: A parameter gives a history form a number of iterations below 1.
    """
    compilation = Compilation(parameters, conditions, unread)
    chunks = tuple(
        _compile_chunk(whens[start : start + CHUNK], start, compilation, bounded)
        for start in range(0, len(whens), CHUNK)
    )
    if len(chunks) == 1:
        return chunks[0]

    def chain(records: Records) -> int:
        for chunk in chunks:
            index = chunk(records)
            if index >= 0:
                return index
        return -1

    return chain


def compile_truths(
    whens: Sequence[Node],
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unread: Collection[str] = (),
    until_true: bool = False,
    bounded: Collection[str] = (),
) -> Callable[[Records], tuple[object, ...]]:
    """
    Return a function records -> truth of every condition, in order: True, False or `Unknown`.

    With `until_true` the first that is definitely true is the last one asked, and the last item.

    Arguments and errors as for `compile_chain`. It is the chain for those who keep the trace.
    """
    compilation = Compilation(parameters, conditions, unread)
    chunks = []
    for start in range(0, len(whens), CHUNK):
        source = Source(compilation, bounded)
        for when in whens[start : start + CHUNK]:
            source.truth(when, until_true)
        chunks.append(_run(source))
    if len(chunks) == 1:
        return chunks[0]

    def truths(records: Records) -> tuple[object, ...]:
        found: tuple[object, ...] = ()
        for chunk in chunks:
            found += chunk(records)
            if until_true and found[-1] is True:
                break
        return found

    return truths


def _compile_chunk(
    whens: Sequence[Node], start: int, compilation: Compilation, bounded: Collection[str]
) -> Callable[[Records], int]:
    source = Source(compilation, bounded)
    for index, when in enumerate(whens, start):
        source.rule(when, index)
    return _run(source)


def _run(source: Source) -> Callable[[Records], Any]:
    namespace = source.namespace()
    code = compile(source.text(), "<chain>", "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102  generated from positional names, see the module's text
    chunk: Callable[[Records], Any] = namespace["chunk"]  # type: ignore[assignment]
    return chunk
