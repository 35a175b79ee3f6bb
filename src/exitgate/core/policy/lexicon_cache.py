"""
The user's cache of resolved lexicons: found again as long as the files they were made of hold the same.

Parsing the words of eight languages and working out what lines their patterns need takes most of the time in
which a policy is compiled, and an edit of a policy changes none of it.
"""

from __future__ import annotations

from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.cache import keep_part, recall_part
from exitgate.core.policy.serialized import lexicon_from, lexicon_text
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Between what a lexicon was made of and the lexicon.
_NEXT = b"\n"


def recall(name: str, digest_of: Callable[[str], str]) -> JsonObject | None:
    """
    Return a shipped lexicon as it was resolved before, None where it was not, or of other files.

    Args:
        name: Of the lexicon.
        digest_of: Returns the digest of what the file of a shipped lexicon holds. It is asked for each that
            the lexicon is made of, in the order in which they were read then, up to the first that differs.
    """
    made_of, _, text = recall_part(("lexicon", name)).partition(_NEXT)
    try:
        if text and all(digest_of(used) == digest for used, digest in loads(made_of)):
            return lexicon_from(text)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None  # of another form: it is made anew
    return None


def keep(name: str, made_of: list[tuple[str, str]], lexicon: JsonObject) -> None:
    """
    Keep a shipped lexicon as it was resolved.

    Args:
        name: Of the lexicon.
        made_of: Names of shipped lexicons and digests of what their files hold, in the order of reading.
        lexicon: What `exitgate.core.facts.lexicons.resolved.parted` returned.
    """
    keep_part(("lexicon", name), dumps(made_of).encode("ascii") + _NEXT + lexicon_text(lexicon))
