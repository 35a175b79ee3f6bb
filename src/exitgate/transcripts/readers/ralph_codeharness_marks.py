"""The lines by which the log of codeharness's loop says what it does, and the reasons that it ends with."""

from __future__ import annotations

from exitgate.transcripts.readers import ralph_log as log

MARKS: tuple[tuple[str, str, str | None], ...] = (
    ("Ralph loop starting", log.LAUNCH, None),
    ("=== Iteration #", log.TURN, None),
    ("=== End Iteration #", log.COMPLETED, None),
    ("Starting Claude Code (timeout: ", log.BUDGET, None),
    ("Claude Code iteration completed successfully", log.GOOD, None),
    ("Iteration timed out after ", log.TIMED_OUT, None),
    ("Claude Code execution failed (exit code: ", log.BAD, None),
    ("Claude produced no output and exited with code ", log.BAD, None),
    ("Claude API usage limit reached", log.LIMIT, None),
    ("Progress: ", log.COUNT, None),
    ("Sprint: ", log.COUNT, None),
    ("All stories complete.", log.ENDS, "complete"),
    ("Max iterations (", log.ENDS, "exhausted"),
    ("Loop timeout reached (", log.ENDS, "exhausted"),
    ("Circuit breaker opened \u2014 halting loop", log.BREAKER, "halted"),
    ("consecutive failures \u2014 halting", log.ENDS, "failed"),
    ("Ralph loop interrupted", log.ENDS, "interrupted"),
)

#: `exit_reason` of its status file -> class.
REASONS: dict[str, str | None] = {"user_cancelled": "interrupted"}
