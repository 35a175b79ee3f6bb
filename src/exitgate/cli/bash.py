"""Completion in bash, which breaks words at `=`: they are joined, and what was typed is cut off again."""

from __future__ import annotations

import os

from click.shell_completion import BashComplete, CompletionItem, split_arg_string


class Bash(BashComplete):
    """Asks for completion of words as they were typed."""

    _joined = False

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor and the one at it."""
        typed = [*split_arg_string(os.environ["COMP_WORDS"]), ""][: int(os.environ["COMP_CWORD"]) + 1]
        words: list[str] = []
        for at, word in enumerate(typed):
            self._joined = len(words) > 1 and (word == "=" or typed[at - 1] == "=")
            if self._joined:
                words[-1] += word
            else:
                words.append(word)
        return words[1:-1], words[-1] if len(words) > 1 else ""

    def format_completion(self, item: CompletionItem) -> str:
        """Return a line of the answer: bash has what is before the last `=` already."""
        value = item.value.partition("=")[2] if self._joined and "=" in item.value else item.value
        return f"{item.type},{value}"
