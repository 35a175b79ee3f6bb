"""The lines by which the log of ralph-claude-code says what it does, and the reasons that it ends with."""

from __future__ import annotations

from exitgate.recordings.formats.ralph import log

FRANKBRIA: tuple[tuple[str, str, str | None], ...] = (
    ("Ralph loop starting with ", log.LAUNCH, None),
    ("Starting main loop", log.MAIN, None),
    ("=== Starting Loop #", log.LOOP, None),
    ("=== Completed Loop #", log.COMPLETED, None),
    ("Executing Claude Code (Call ", log.EXECUTING, None),
    ("Starting Claude Code execution... (timeout: ", log.BUDGET, None),
    ("Starting new Claude session", log.FRESH, None),
    ("Resuming Claude session: ", log.RESUMED, None),
    ("Claude Code execution completed successfully", log.GOOD, None),
    ("Claude Code execution timed out", log.TIMED_OUT, None),
    ("Claude Code execution failed", log.BAD, None),
    ("Claude API usage limit reached", log.LIMIT, None),
    ("Claude API 5-hour usage limit reached", log.LIMIT, None),
    ("Claude API 5-hour limit reached", log.LIMIT, None),
    ("DEBUG: .ralph/@fix_plan.md check - ", log.COUNT, None),
    ("DEBUG: .ralph/fix_plan.md check - ", log.COUNT, None),
    ("DEBUG: @fix_plan.md check - ", log.COUNT, None),
    ("Exit condition: All fix_plan.md items completed (", log.COUNT, None),
    ("Exit condition: All @fix_plan.md items completed (", log.COUNT, None),
    ("Graceful exit triggered: ", log.REASON, None),
    ("- Exit reason: ", log.REASON, None),
    ("Permission denied - halting loop", log.ENDS, "blocked"),
    ("Circuit breaker has opened - ", log.BREAKER, "halted"),
    ("Ralph loop interrupted", log.ENDS, "interrupted"),
    ("Session reset: manual_interrupt", log.ENDS, "interrupted"),
    ("Ralph loop crashed (exit code: ", log.ENDS, "failed"),
    ("User chose to exit", log.ENDS, "wait"),
    ("[DRY-RUN] Simulation complete", log.ENDS, None),
)

#: Why the loop ends -> class. It calls each of them a project that is completed; only the plan's boxes
#: show that. The two that rest on the agent's own words alone are what the agent says.
FRANKBRIA_REASONS: dict[str, str | None] = {
    "plan_complete": "complete",
    "project_complete": "idle",
    "completion_signals": "idle",
    "safety_circuit_breaker": "halted",
    "stagnation_detected": "halted",
    "circuit_breaker_open": "halted",
    "circuit_breaker_trip": "halted",
    "test_saturation": "stuck",
    "permission_denied": "blocked",
    "files_deleted": "failed",
    "manual_interrupt": "interrupted",
    "user_cancelled": "interrupted",
}


# The lines by which the log of codeharness's loop says what it does, and the reasons that it ends with.

CODEHARNESS: tuple[tuple[str, str, str | None], ...] = (
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
CODEHARNESS_REASONS: dict[str, str | None] = {"user_cancelled": "interrupted"}
