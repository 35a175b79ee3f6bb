"""The page taken apart by Python's own HTML parser, for tests."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "col", "link", "img", "input"}


class Reading(HTMLParser):
    """Elements with their attributes, texts by element, and what is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.faults: list[str] = []
        self._stack: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"`{tag}` is not closed" for tag in self._stack]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"an attribute of `{tag}` twice")
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag in ("td", "tr", "tbody") and self._stack and self._stack[-1] == "td":
            self._stack.pop()
        if tag not in VOID:
            self._stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag == "tbody":
            while self._stack and self._stack[-1] in ("td", "tr"):
                self._stack.pop()
        if tag == "tr" and self._stack and self._stack[-1] == "td":
            self._stack.pop()
        if not self._stack or self._stack[-1] != tag:
            self.faults.append(f"`/{tag}` closes nothing")
            return
        self._stack.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((self._stack[-1] if self._stack else "", data))

    def of(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of every element of that name."""
        return [attributes for name, attributes in self.elements if name == tag]

    def values(self, attribute: str) -> list[str]:
        """Return every value of an attribute."""
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]

    def text(self) -> str:
        """Return everything people read."""
        return "".join(data for tag, data in self.texts if tag not in ("style", "script", "title"))
