"""The list of stories beside a log, where it fits what the loop says at the end."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.transcripts.loops.log import Stretch
    from exitgate.transcripts.place import Place

_NAME = "prd.json"
_LIMIT = 2_000_000


def stories_done(project: Place, log: Place, stretch: Stretch) -> Mapping[str, str]:
    """
    Return path -> text of the list of stories where all of them pass, else nothing.

    It is as it was left, at any later time. With open stories it would contradict a loop that says
    that all is done, and if the loop says nothing, its time is unknown.
    """
    if not stretch.entries:
        return {}
    for folder in (log.parent(), project):
        place = folder.at(_NAME)
        try:
            text = place.text(_LIMIT)
            value = json.loads(text)
        except (OSError, ValueError, RecursionError):
            continue
        stories = value.get("userStories") if isinstance(value, dict) else None
        if not isinstance(stories, list) or not stories:
            continue
        done = all(isinstance(one, dict) and one.get("passes") is True for one in stories)
        return {place.path: text} if done else {}
    return {}
