"""
opencode's storage folder: `session/<project>/<id>.json`, `message/<session>/*.json`, `part/<message>/*.json`.
"""

from __future__ import annotations

from exitgate.transcripts.readers.chat_file import name_of, read_json
from exitgate.transcripts.run import Problem
from exitgate.transcripts.values import number_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.values import Event

    #: What is said about a message, and its parts.
    Message = tuple[Event, tuple[Event, ...]]

SESSIONS = "session/"
_ENDING = ".json"


class Stored:
    """A session of the storage: its record, and its messages one at a time."""

    def __init__(self, root: Place, file: Place, told: Event) -> None:
        self.root = root
        self.file = file.path
        self.told = told
        self._id = text_at(told, "id") or name_of(file)

    def messages(self) -> Iterator[Message | Problem]:
        """Yield the messages with their parts in the order in which they were made."""
        told: list[tuple[float, str, Event]] = []
        for file, message in _objects(self.root.at(f"message/{self._id}", is_folder=True)):
            if isinstance(message, Problem):
                yield message
                continue
            made = number_at(object_at(message, "time"), "created")
            told.append((float(made or 0), text_at(message, "id") or name_of(file), message))
        for _, id, message in sorted(told, key=lambda one: one[:2]):
            parts: list[Event] = []
            for _, part in _objects(self.root.at(f"part/{id}", is_folder=True)):
                if isinstance(part, Problem):
                    yield part
                else:
                    parts.append(part)
            yield message, tuple(parts)


def sessions(root: Place) -> Iterator[Stored | Problem]:
    """Yield the sessions of a storage folder. Raises OSError when it cannot be read."""
    projects = root.at(SESSIONS.rstrip("/"), is_folder=True)
    for project in projects.names():
        if not project.endswith("/"):
            continue
        for file, told in _objects(projects.at(project.rstrip("/"), is_folder=True)):
            yield told if isinstance(told, Problem) else Stored(root, file, told)


def _objects(folder: Place) -> Iterator[tuple[Place, Event | Problem]]:
    """Yield the objects in the files of a folder, in the order of their names; none where there is none."""
    try:
        names = folder.names()
    except OSError:
        return  # a session without messages, a message without parts
    for name in names:
        if not name.endswith(_ENDING):
            continue
        file = folder.at(name)
        try:
            value, problems = read_json(file)
        except OSError as error:
            yield file, Problem(file.path, error.strerror or str(error))
            continue
        for problem in problems:
            yield file, problem
        if isinstance(value, dict):
            yield file, value
