"""Session files of Claude Code's shape, made up: the same ones for the same numbers."""

from __future__ import annotations

import json
import random
from pathlib import Path

#: Characters of a text of the agent's, of a call's input and of its result; ten lines make a turn.
SAID, ASKED, GAVE = 3_300, 2_500, 6_500
#: Share of the agent's texts in which one of the policy's phrases stands: in a turn of a hundred.
TOLD = 1 / 300
_WORDS = """
reader writer parser cache index module table schema buffer socket worker queue digest ledger policy
rule layer fixture snapshot branch commit record header footer column cursor session request response router
widget panel button form field label query result token stream packet channel thread process

moved renamed split joined wrapped read wrote parsed built checked measured traced logged replaced
removed added extended inlined sorted merged cached hashed compared copied opened closed flushed

and then so because while where when before after since though which that with without into onto
from behind between across under over near
"""
NOUNS, VERBS, LINKS = (words.split() for words in _WORDS.strip().split("\n\n"))


class Sessions:
    """
    Makes sessions.

    Args:
        phrases: Texts that may occur in the agent's messages.
        seed: Of the random numbers.
    """

    def __init__(self, phrases: list[str], seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._phrases = phrases
        self._number = 0

    def write(self, path: Path, turns: int) -> int:
        """Write a session of so many turns; return its bytes."""
        session = self._id()
        with path.open("wb") as file:
            parent: str | None = None
            for _ in range(turns):
                for told in self._turn():
                    line = {
                        "parentUuid": parent, "isSidechain": False, "userType": "external",
                        "cwd": "/home/user/app", "sessionId": session, "version": "2.1.5",
                        "gitBranch": "main", **told, "uuid": self._id(), "timestamp": self._time(),
                    }  # fmt: skip
                    parent = str(line["uuid"])
                    file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        return path.stat().st_size

    def _turn(self) -> list[dict[str, object]]:
        user = {"type": "user", "message": {"role": "user", "content": self.prose(400)}}
        return [user, *self._call(text=True), *self._call(text=True), *self._call(text=False), self._said()]

    def _call(self, *, text: bool) -> list[dict[str, object]]:
        message, call = f"msg_{self._id()}", f"toolu_{self._id()}"
        used = {
            "type": "tool_use",
            "id": call,
            "name": "Edit",
            "input": {
                "file_path": f"/home/user/app/src/{self._pick(NOUNS)}.py",
                "old_string": self.code(ASKED // 2),
                "new_string": self.code(ASKED // 2),
            },
        }
        result = {"tool_use_id": call, "type": "tool_result", "content": self.code(GAVE)}
        lines = [self._said(message)] if text else []
        lines.append(self._assistant(message, used))
        return [*lines, {"type": "user", "message": {"role": "user", "content": [result]}}]

    def _said(self, id: str | None = None) -> dict[str, object]:
        text = self.prose(SAID)
        if self._random.random() < TOLD:
            at = text.find(". ", self._random.randrange(len(text) // 2)) + 2
            text = f"{text[:at]}And {self._pick(self._phrases)}. {text[at:]}"
        return self._assistant(id or f"msg_{self._id()}", {"type": "text", "text": text})

    def _assistant(self, id: str, block: dict[str, object]) -> dict[str, object]:
        usage = {"input_tokens": 4, "cache_read_input_tokens": 18_000, "output_tokens": 900}
        message = {
            "model": "claude-opus-4-5", "id": id, "type": "message", "role": "assistant", "content": [block],
            "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        return {"message": message, "requestId": f"req_{self._id()}", "type": "assistant"}

    def prose(self, size: int) -> str:
        """Return so many characters of sentences and paragraphs, without a phrase."""
        pieces, length = [], 0
        while length < size:
            middle = (f"{self._pick(VERBS)} the {self._pick(NOUNS)} {self._pick(LINKS)}" for _ in range(3))
            end = ".\n\n" if self._random.random() < 0.2 else ". "
            sentence = (
                f"I {' '.join(middle)} the {self._pick(NOUNS)} `{self._pick(NOUNS)}_{self._pick(VERBS)}`{end}"
            )
            pieces.append(sentence)
            length += len(sentence)
        return "".join(pieces)[:size].rstrip() + "."

    def code(self, size: int) -> str:
        """Return so many characters of lines of code."""
        pieces, length = [], 0
        while length < size:
            name, done, of = self._pick(NOUNS), self._pick(VERBS), self._pick(NOUNS)
            line = f'    {name} = {done}("{of}", {self._random.randrange(99)})\n'
            pieces.append(line)
            length += len(line)
        return "".join(pieces)[:size]

    def _pick(self, words: list[str]) -> str:
        return self._random.choice(words)

    def _id(self) -> str:
        self._number += 1
        return f"{self._number:08x}-0000-4000-8000-{self._random.getrandbits(48):012x}"

    def _time(self) -> str:
        seconds = self._number
        day, hour = 1 + seconds // 86_400 % 28, seconds // 3600 % 24
        return f"2026-01-{day:02d}T{hour:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z"
