"""XML that anybody may have written: no entities, no documents fetched, no deeper than a report is."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser

from exitgate.core.probes.figures import ReportError

#: Elements within each other.
DEPTH = 100


class _Bounded(TreeBuilder):
    """Builds a tree of at most `DEPTH` levels."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        """Begin an element."""
        self._depth += 1
        if self._depth > DEPTH:
            raise ReportError(f"its elements are more than {DEPTH} deep")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        """End an element."""
        self._depth -= 1
        return super().end(tag)


def tree(data: bytes) -> Element:
    """
    Return the root of an XML document.

    Raises:
        ReportError: It is not one, declares entities, or is too deep.
    """
    parser = XMLParser(target=_Bounded(), forbid_dtd=False, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(data)
        root = parser.close()
    except ParseError as error:
        raise ReportError(f"it is not XML: {error.msg}") from error
    except DefusedXmlException as error:
        raise ReportError("it declares entities, which are not read") from error
    except (LookupError, UnicodeError, ValueError) as error:
        raise ReportError(f"its encoding cannot be read: {error}") from error
    assert isinstance(root, Element)
    return root


def number(element: Element, name: str) -> int:
    """Return an attribute that is a whole number from 0; 0 where it is missing or anything else."""
    text = element.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else 0
