"""What two policies tell an extractor: differences in its options, lexicons included, by path."""

from __future__ import annotations

from exitgate.analysis.compared.spelled import text
from exitgate.facts.lexicon import WORKED_OUT
from exitgate.policy.compared.change import Detail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.policy.compiled import Extraction


def option_details(before: Extraction, after: Extraction) -> tuple[Detail, ...]:
    """Return each option that differs, as ``lexicon.entries.ID.words``, entries of lexicons by their id."""
    return tuple(_differences("", before.options, after.options))


def spelled_options(entry: Extraction) -> dict[str, str]:
    """Return every option of an entry as text, by name."""
    return {name: text(_plain(value)) for name, value in sorted(entry.options.items())}


def _differences(path: str, before: object, after: object) -> Iterator[Detail]:
    if before == after:
        return
    old, new = _by_name(before), _by_name(after)
    if old is None or new is None:
        yield Detail(path, text(_plain(before)), text(_plain(after)))
        return
    start = f"{path}." if path else ""
    shared = [name for name in old if name in new]
    for name in (*old, *(name for name in new if name not in old)):
        if name in WORKED_OUT and path:
            continue
        if name not in new:
            yield Detail(start + name, text(_plain(old[name])), None)
        elif name not in old:
            yield Detail(start + name, None, text(_plain(new[name])))
        else:
            yield from _differences(start + name, old[name], new[name])
    if shared != [name for name in new if name in old] and isinstance(before, list):
        yield Detail(f"{path} in order", ", ".join(old), ", ".join(new))


def _by_name(plain: object) -> Mapping[str, object] | None:
    """Return the values of a mapping, or of a list whose items all have ids of their own, by name."""
    if isinstance(plain, dict):
        return plain
    if not isinstance(plain, list):
        return None
    named = {str(one["id"]): one for one in plain if isinstance(one, dict) and "id" in one}
    return named if len(named) == len(plain) else None


def _plain(value: object) -> object:
    """Return plain data without what the compiler worked out."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items() if key not in WORKED_OUT}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
