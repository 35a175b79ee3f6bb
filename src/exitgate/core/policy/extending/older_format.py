"""What each code of migrations stands for, one line each; `docs` and `explain` read it."""

from __future__ import annotations

#: Reported by the loader, which migrates nothing itself.
OLDER = "EP208"
CODES = {
    OLDER: "a policy of an older format",
    "EP545": "something of an older format that this format cannot express",
    "EP546": "something of an older format that is kept but no longer read",
    "EP547": "a policy in a format that cannot be migrated",
}
