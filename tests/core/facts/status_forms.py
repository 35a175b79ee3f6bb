"""Forms of status blocks that the tests share, as a policy writes them."""

from __future__ import annotations

from fact_reading import LEXICONS, resolved

from exitgate.core.model.json_object import JsonObject

LEXICON = resolved("illustrations") if (LEXICONS / "illustrations.yaml").exists() else resolved("guards-en")

RALPH = JsonObject(
    {
        "name": "RALPH_STATUS",
        "fields": {
            "status": {"type": "enum", "key": "STATUS", "members": ["IN_PROGRESS", "COMPLETE", "BLOCKED"]},
            "tasks_completed": {"type": "count", "key": "TASKS_COMPLETED_THIS_LOOP"},
            "files_modified": {"type": "count", "key": "FILES_MODIFIED"},
            "tests_status": {
                "type": "enum",
                "key": "TESTS_STATUS",
                "members": ["PASSING", "FAILING", "NOT_RUN"],
            },
            "work_type": {
                "type": "enum",
                "key": "WORK_TYPE",
                "members": ["IMPLEMENTATION", "TESTING", "DOCUMENTATION", "REFACTORING"],
            },
            "exit_signal": {"type": "bool", "key": "EXIT_SIGNAL", "unreadable": False},
            "recommendation": {"type": "text", "key": "RECOMMENDATION"},
        },
        "contradictions": [{"status": "COMPLETE", "tests_status": "FAILING"}],
        "lexicon": LEXICON,
    }
)
DOYAKEN = JsonObject(
    {
        "name": "DOYAKEN_STATUS",
        "fields": {
            "phase_complete": {"type": "bool"},
            "files_modified": {"type": "count"},
            "tests_status": {"type": "enum", "members": ["pass", "fail", "skip", "unknown"]},
            "confidence": {"type": "enum", "members": ["high", "medium", "low"]},
            "remaining_work": {"type": "text"},
        },
        "lexicon": LEXICON,
    }
)
OTHER: dict = {
    "name": ["LOOP_REPORT", "LOOP_STATE"],
    "fields": {
        "exit_signal": {"type": "bool", "also": {"true": ["yes"], "false": ["no"]}},
        "status": {"type": "enum", "members": ["GOING", "DONE"], "also": {"DONE": ["finished", "all set"]}},
        "percent": {"type": "percent", "key": ["PERCENT", "SHARE"]},
        "score": {"type": "number"},
        "items": {"type": "count"},
        "note": {"type": "text"},
    },
    "lexicon": LEXICON,
}
FORMS = {"ralph": RALPH, "doyaken": DOYAKEN, "other": OTHER}
