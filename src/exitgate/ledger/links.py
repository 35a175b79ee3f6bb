"""
Where the newest line of each name is: carried in every line, so that no search is needed.

A name stands for 64 bits, its hash. Link `i` of a line is the offset of the newest line whose bits
agree with the line's own in the first `i` and differ in the next. From any line the newest one of
another name is a few jumps away, each to a line that shares more bits with it: about log2 of the
number of names. Nothing is ever rewritten, and no name is ever forgotten.
"""

from __future__ import annotations

from exitgate.ledger.names import name_of
from exitgate.model.digest import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    #: Offset of a line on the way to a name, the line, and how many bits the two share.
    Stop = tuple[int, Mapping[str, object], int]

    #: Offset of a line, a link in it, bits wanted, how many of them the line shares -> the line
    #: the link leads to, with its offset; None where there is none.
    Jump = Callable[[int, object, int, int], tuple[int, Mapping[str, object]] | None]

BITS = 64


def bits_of(name: str) -> int:
    """Return the bits that stand for a name, as a number."""
    raw = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest()
    return int.from_bytes(raw, "big")


def shared(first: int, second: int) -> int:
    """Return how many leading bits two names share: 0 to `BITS`."""
    return BITS - (first ^ second).bit_length()


def links_in(line: Mapping[str, object]) -> list[object]:
    """Return the links a line carries; what it holds there is not trusted."""
    links = line.get("links")
    return links if isinstance(links, list) else []


def link_at(line: Mapping[str, object], depth: int) -> object:
    """Return link `depth` of a line, None beyond its last."""
    links = links_in(line)
    return links[depth] if depth < len(links) else None


def way(top: tuple[int, Mapping[str, object]] | None, name: str, jump: Jump) -> Iterator[Stop]:
    """
    Yield the stops from `top`, the newest line and its offset, to the newest one called `name`.

    The last stop shares all bits with the name where it has a line; else the way ends before.
    """
    wanted = bits_of(name)
    stop = top
    while stop is not None:
        offset, line = stop
        depth = shares(line, wanted)
        yield offset, line, depth
        link = link_at(line, depth)
        if depth == BITS or link is None:
            return
        stop = jump(offset, link, wanted, depth)


def shares(line: Mapping[str, object], wanted: int) -> int:
    """Return how many of the `wanted` bits the name of a line's run shares."""
    return shared(bits_of(name_of(str(line["run"]))), wanted)


def links_after(stops: Iterable[Stop]) -> list[object]:
    """
    Return the links of the line that follows.

    Args:
        stops: The `way` from the newest line to the newest one of the new line's name.
    """
    links: list[object] = []
    for offset, line, depth in stops:
        known = links_in(line)[len(links) : depth]
        links += known
        if depth < BITS:
            links += [None] * (depth - len(links))
            links.append(offset)
    return links
