"""The agent's prompt: read, filled, and put where the agent reads it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec import Struct

from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.core.observe.files import first_existing
from exitgate.core.state.discover import DEFAULT_PATHS
from exitgate.core.system import safe_files
from exitgate.core.system.folders import is_within
from exitgate.hosts.loop.codes import no_prompt, not_a_word, nothing_for

STANDARD_INPUT = "-"

#: Bytes of the largest prompt.
LIMIT = 4 << 20

ADVICE, ITERATION = b"{advice}", b"{iteration}"
PROMPT, PROMPT_FILE = "{prompt}", "{prompt_file}"


class Prompt(Struct, frozen=True):
    """
    Where the prompt of a loop comes from.

    Args:
        path: File that is read anew for each iteration, or None.
        text: Its bytes where they were read once, from standard input; or None.
        append: Whether advice is put behind a prompt that has no place for it.
    """

    path: str | None
    text: bytes | None = None
    append: bool = True

    def read(self) -> bytes | None:
        """
        Return the prompt as it is now, None where there is none.

        Raises `ExitgateError`: 66 where its file does not exist or it is blank, 74 where it cannot be read.
        """
        raw = self.text if self.path is None else read_file(self.path)
        if raw is not None and not raw.strip():  # an agent would be paid for nothing, again and again
            raise no_prompt(self.path or STANDARD_INPUT, "is empty", NOTHING_TO_DECIDE)
        return raw


def find_prompt(wish: str | None, root: str, *, append: bool) -> Prompt:
    """
    Return the prompt that `--prompt` names, else the one at a default path, else none.

    Standard input is read here, to its end. Raises `ExitgateError` where it cannot be read.
    """
    if wish == STANDARD_INPUT:
        return Prompt(None, _standard_input(), append)
    path = first_existing("" if root == "." else root, DEFAULT_PATHS["task"]) if wish is None else wish
    if wish is None and path is not None and not is_within(path, (os.path.realpath(root),)):
        raise no_prompt(path, "leads out of the project: name it with `--prompt`")
    return Prompt(path, None, append)


def read_file(path: str) -> bytes:
    """Return the bytes of a prompt. Raises `ExitgateError`: 66 where it does not exist, else 74."""
    try:
        raw = safe_files.beginning(path, LIMIT + 1, links=True)
    except FileNotFoundError:
        raise no_prompt(path, "does not exist", NOTHING_TO_DECIDE) from None
    except OSError as error:
        raise no_prompt(path, f"cannot be read: {error.strerror or error}") from error
    return _bounded(path, raw)


def fill(prompt: bytes, iteration: int, advice: str, *, append: bool = True) -> bytes:
    """
    Return the prompt of one iteration.

    ``{iteration}`` and ``{advice}`` are replaced, in one pass, so that advice may show either; everything
    else stays byte for byte. Advice is put behind a prompt without a place for it, where `append` says so.
    """
    told = advice.encode("utf-8", "surrogatepass")
    pieces = [told.join(part.split(ADVICE)) for part in prompt.split(ITERATION)]
    text = str(iteration).encode().join(pieces)
    if not advice or not append or ADVICE in prompt:
        return text
    end = b"" if not text or text.endswith(b"\n") else b"\n"
    return text + end + f"\n## Advice for iteration {iteration}\n\n".encode() + told.rstrip(b"\n") + b"\n"


def place_in(words: Sequence[str]) -> str | None:
    """Return the place for the prompt, `PROMPT` or `PROMPT_FILE`, that a command line has, or None."""
    for word in words:
        for place in (PROMPT, PROMPT_FILE):
            if word == place or word.endswith(f"={place}"):
                return place
    return None


def put_in_place(words: Sequence[str], prompt: bytes | None, file: str) -> tuple[str, ...]:
    """
    Return the command line with the prompt, or the path of `file`, in the places for them.

    A place is a word of its own or follows an ``=``: it is one word for the agent, no matter what is in it,
    and no shell reads it. Raises `ExitgateError`: 66 without a prompt, 64 for one that cannot be a word.
    """
    if prompt is None and (place := place_in(words)) is not None:
        raise nothing_for(place)
    return tuple(_word(word, prompt or b"", file) for word in words)


def _word(word: str, prompt: bytes, file: str) -> str:
    before, mark, place = word.rpartition("=")
    opening = before + mark
    if place == PROMPT_FILE:
        return opening + file
    if place != PROMPT:
        return word
    if b"\0" in prompt:
        raise not_a_word(word, "it holds a NUL character")
    return opening + os.fsdecode(prompt)


def _standard_input() -> bytes:
    pieces, size = [], 0
    try:
        while size <= LIMIT and (piece := os.read(0, 1 << 16)):
            pieces.append(piece)
            size += len(piece)
    except OSError as error:
        raise no_prompt(STANDARD_INPUT, f"cannot be read: {error.strerror or error}") from error
    return _bounded(STANDARD_INPUT, b"".join(pieces))


def _bounded(path: str, raw: bytes) -> bytes:
    if len(raw) > LIMIT:
        raise no_prompt(path, f"is larger than {LIMIT >> 20} MiB")
    return raw
