"""Settings of ralph-claude-code: `.ralphrc`, a bash file that its loop sources."""

from __future__ import annotations

from exitgate.hosts.imported.settings import Project, Setting

SCRIPT, BETTER = "ralph-claude-code", "recommended"
_RUNNER = "is an option of the program that starts the agent"
_DEAD = "the script reads it but never uses it"
_PAUSE = "an hourly pause is not a decision to stop"

PROJECT = Project(
    "ralphrc",
    (".ralphrc",),
    (SCRIPT, BETTER),
    (
        Setting(
            "CB_NO_PROGRESS_THRESHOLD",
            to={SCRIPT: ("cb_no_progress_threshold",), BETTER: ("stagnation_loops", "stuck_loops")},
        ),
        Setting(
            "CB_SAME_ERROR_THRESHOLD", to={SCRIPT: ("cb_same_error_threshold",), BETTER: ("error_loops",)}
        ),
        Setting(
            "CB_PERMISSION_DENIAL_THRESHOLD",
            "a refusal that prevents the agent from working ends the run at once (`permission_denied`)",
            {SCRIPT: ("cb_permission_denial_threshold",)},
        ),
        Setting("CB_COOLDOWN_MINUTES", to={SCRIPT: ("cooldown",), BETTER: ("cooldown",)}),
        Setting(
            "MAX_CONSECUTIVE_TEST_LOOPS",
            to={SCRIPT: ("max_consecutive_test_loops",), BETTER: ("test_loops",)},
        ),
        Setting(
            "MAX_CONSECUTIVE_DONE_SIGNALS",
            "claims in prose need evidence, regardless of their number",
            {SCRIPT: ("max_consecutive_done_signals",)},
        ),
        Setting("OPTIONAL_SECTIONS", to={SCRIPT: ("optional_sections",), BETTER: ("optional_sections",)}),
        Setting(
            "ALLOWED_TOOLS",
            "`allowed_tools` lists tools whose refusal does not stop the run; choose it by hand",
            {SCRIPT: ("allowed_tools",)},
        ),
        Setting("CLAUDE_ALLOWED_TOOLS", "in that file it is called `ALLOWED_TOOLS`"),
        Setting("CB_AUTO_RESET", "use `exitgate circuit reset` before the loop"),
        Setting("CB_OUTPUT_DECLINE_THRESHOLD", _DEAD),
        Setting("TEST_PERCENTAGE_THRESHOLD", _DEAD),
        Setting("MAX_CALLS_PER_HOUR", _PAUSE),
        Setting("MAX_TOKENS_PER_HOUR", _PAUSE),
        Setting("CLAUDE_TIMEOUT_MINUTES", "use `exitgate run --timeout TIME`"),
        Setting("PROMPT_FILE", "use `exitgate run --prompt FILE`"),
        Setting("FIX_PLAN_FILE", "use `exitgate run --plan PATH` or `exitgate check RESPONSE PLAN`"),
        *(
            Setting(name, _RUNNER)
            for name in (
                "CLAUDE_*", "SESSION_CONTINUITY", "SESSION_EXPIRY_HOURS", "RALPH_VERBOSE", "VERBOSE_PROGRESS",
                "DRY_RUN", "PROJECT_NAME", "PROJECT_TYPE", "TASK_SOURCES", "GITHUB_TASK_LABEL",
                "BEADS_FILTER", "AGENT_FILE", "SANDBOX_*", "RALPH_*",
            )
        ),
    ),
    ("CB_", "MAX_", "OPTIONAL_SECTIONS", "ALLOWED_TOOLS"),
    "`profile: as_it_is` under `policy:` restores the script's own defects.",
)  # fmt: skip
