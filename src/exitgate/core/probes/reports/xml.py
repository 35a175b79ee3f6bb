"""XML that anybody may have written: no entities, no documents fetched, no deeper than a report is."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser

from exitgate.core.probes.figures import NEVER, ReportError, check_time

#: Elements within each other, and all of them.
DEPTH, ELEMENTS = 100, 300_000
#: Bytes after which the clock is looked at.
_PIECE = 1 << 18
#: Digits of the largest count.
_DIGITS = 9


class _Bounded(TreeBuilder):
    """Builds a tree of at most `DEPTH` levels and `ELEMENTS` elements."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = self._count = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        """Begin an element."""
        self._depth += 1
        if self._depth > DEPTH:
            raise ReportError(f"its elements are more than {DEPTH} deep")
        self._count += 1
        if self._count > ELEMENTS:
            raise ReportError(f"it has more than {ELEMENTS} elements")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        """End an element."""
        self._depth -= 1
        return super().end(tag)


def tree(data: bytes, until: float = NEVER) -> Element:
    """
    Return the root of an XML document.

    Args:
        data: The document.
        until: The instant of `time.monotonic` at which it has to be read.

    Raises:
        ReportError: It is not one, declares entities, is too deep or too large, or the time is up.
    """
    parser = XMLParser(target=_Bounded(), forbid_dtd=False, forbid_entities=True, forbid_external=True)
    try:
        for start in range(0, len(data), _PIECE):
            parser.feed(data[start : start + _PIECE])
            check_time(until)
        root = parser.close()
    except ParseError as error:
        raise ReportError(f"it is not XML: {error.msg}") from error
    except DefusedXmlException as error:
        raise ReportError("it declares entities, which are not read") from error
    except (LookupError, UnicodeError, ValueError) as error:
        raise ReportError(f"its encoding cannot be read: {error}") from error
    assert isinstance(root, Element)
    return root


def number(element: Element, name: str) -> int | None:
    """Return an attribute that is a count; None where it is missing or empty. Raises `ReportError`."""
    text = element.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise ReportError(f"`{name}` of its `{element.tag[:40]}` is not a count: `{text[:40]}`")
    return int(text)
