"""
What this process has read already: documents by name and content, and what was made of them.

Only content counts, never times or sizes: a file is still read each time, and one that has changed is
another document. Only what nothing was wrong with is kept, so that every trouble is reported anew.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.yaml.document import Document


#: Characters that documents may have together; then all are forgotten. Their parts take 20 times that.
CHARACTERS_LIMIT = 2 * 1024 * 1024


class Remembered:
    """
    Keeps documents, and one thing made of each for each purpose, as long as there are not too many.

    Everything kept is a value that never changes. Threads may share it: each step is one operation on
    a mapping, and a thing made twice at once is the same thing.
    """

    __slots__ = ("_characters", "_documents", "_made")

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget all documents and what was made of them."""
        self._characters = 0
        self._documents: dict[tuple[str, bytes], Document] = {}
        self._made: dict[tuple[str, int], tuple[Document, object]] = {}

    def document(self, file: str, content: bytes) -> Document | None:
        """Return what the file of that name and content holds, None when it was not read before."""
        return self._documents.get((file, content))

    def keep(self, content: bytes, document: Document) -> None:
        """Keep the document that was read from `content`."""
        if self._characters + len(content) > CHARACTERS_LIMIT:
            self.forget()
        self._characters += len(content)
        self._documents[document.file, content] = document

    def made(self, purpose: str, document: Document) -> object:
        """Return what was made of this very document for a purpose, None when nothing was."""
        kept = self._made.get((purpose, id(document)))
        return kept[1] if kept is not None and kept[0] is document else None

    def keep_made(self, purpose: str, document: Document, made: object) -> None:
        """Keep what was made of a document for a purpose."""
        self._made[purpose, id(document)] = (document, made)


#: What this process remembers.
REMEMBERED = Remembered()
