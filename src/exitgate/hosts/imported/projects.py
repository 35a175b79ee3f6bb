"""What is here for a setting of another project, policy by policy, or why nothing does."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from exitgate.core.model.diagnostic import Location

#: The policy that is proposed beside a project's own scheme.
PROPOSED = "recommended"
#: Why a setting of that kind has nothing here.
HOURLY_PAUSE = "an hourly pause is not a decision to stop"


class Setting(Struct, frozen=True):
    """
    A setting of another project.

    Args:
        name: As that project calls it; a `*` at its end stands for any letters.
        why: Why nothing stands for it in a policy that `to` does not name.
        to: Policy -> the parameters that take its value.
    """

    name: str
    why: str = ""
    to: Mapping[str, tuple[str, ...]] = {}

    def fits(self, name: str) -> bool:
        """Return whether `name` is this setting's."""
        return name.startswith(self.name[:-1]) if self.name.endswith("*") else name == self.name


class Project(Struct, frozen=True):
    """
    A project whose settings can be taken over.

    Args:
        id: The word behind `exitgate import`.
        files: Where its settings lie, in the order in which they are looked for.
        policies: Policies that its settings can go to, the usual one first.
        settings: What is known of them.
        prefixes: What the names of its variables begin with; others of the environment are not its.
        aside: A remark for the head of the file, or the empty text.
        beside: File -> the name that its settings are known under here: files of the same project whose
            settings are reported and not taken over.
        strict: Whether a file without any of its settings is another tool's.
    """

    id: str
    files: tuple[str, ...]
    policies: tuple[str, ...]
    settings: tuple[Setting, ...]
    prefixes: tuple[str, ...] = ()
    aside: str = ""
    beside: Mapping[str, str] = {}
    strict: bool = False

    def setting(self, name: str) -> Setting | None:
        """Return what is known of a setting, or None."""
        return next((one for one in self.settings if one.fits(name)), None)


# A setting as another project's file says it.


class FoundSetting(Struct, frozen=True):
    """
    One setting.

    Args:
        name: As that project calls it, `CB_COOLDOWN_MINUTES`, `circuit_breaker.enabled`.
        value: Its text; None where it cannot be determined without running the file.
        place: Where it is.
        written: The words of the file, `CB_COOLDOWN_MINUTES="45"`.
        why: Why the value is None, or the empty text.
        source: The line it is on, as far as a diagnostic may quote it: what else a line of the shell sets
            may be a secret.
    """

    name: str
    value: str | None
    place: Location
    written: str
    why: str
    source: str


# Settings of BB3's exit decision engine: four numbers in a YAML file.

POLICIES = ("bb3", "bb3-faithful", "recommended")
_NAMES = ("min_confidence", "min_completion", "max_errors", "stagnation_loops")

BB3 = Project(
    "bb3",
    ("scripts/lib/exit-decision-engine/config.yaml", "config.yaml", ".bb3/config.yaml"),
    POLICIES,
    (
        *(Setting(name, to=dict.fromkeys(POLICIES, (name,))) for name in _NAMES),
        Setting(
            "circuit-breaker.*",
            "its own breaker has these settings: `bb3` reads the state that it writes",
        ),
    ),
    beside={"scripts/lib/circuit-breaker/config.yaml": "circuit-breaker"},
    strict=True,
)
#: The section that project files have; its defaults are at the top of a file of their own.
BB3_SECTION = "exit_decision"


# Settings of Doyaken: `circuit_breaker:` in its manifest, variables `ED_*`, `CB_*`, `RL_*`.

MENDED, FAITHFUL = "doyaken", "doyaken-faithful"
_OUTSIDE = "`doyaken-faithful` reads the breaker's state from `.ralph/circuit-state.json`"
_SCORE = "evidence is not scored there"
_ALWAYS = "the breaker is always on; `stuck_loops` and `error_loops` may be as large as 1000"
_RETRIES = (
    "the program that runs the phases retries them; `max_failures` bounds failures of the agent in a row"
)
_DECLINE = "a shorter output has no effect here"
#: Key of the manifest -> the variable that it sets.
KEYS = {
    "circuit_breaker.enabled": "CB_ENABLED",
    "circuit_breaker.no_progress_threshold": "CB_NO_PROGRESS_THRESHOLD",
    "circuit_breaker.same_error_threshold": "CB_SAME_ERROR_THRESHOLD",
    "circuit_breaker.output_decline_percent": "CB_OUTPUT_DECLINE_PERCENT",
    "circuit_breaker.cooldown_minutes": "CB_COOLDOWN_MINUTES",
}
DOYAKEN_SECTION = "circuit_breaker"
#: In the names of what bounds retries of a phase, anywhere in the manifest.
RETRIES = ("retry", "retries")

DOYAKEN = Project(
    "doyaken",
    (".doyaken/manifest.yaml",),
    (MENDED, FAITHFUL, PROPOSED),
    (
        Setting(
            "ED_CONFIDENCE_THRESHOLD",
            _SCORE,
            {MENDED: ("confident_score",), FAITHFUL: ("confident_score",)},
        ),
        Setting(
            "ED_LOW_CONFIDENCE_WARN",
            to={
                MENDED: ("low_confidence_loops",),
                FAITHFUL: ("low_confidence_loops",),
                PROPOSED: ("claim_loops",),
            },
        ),
        Setting(
            "CB_NO_PROGRESS_THRESHOLD",
            _OUTSIDE,
            {MENDED: ("stuck_loops",), PROPOSED: ("stagnation_loops", "stuck_loops")},
        ),
        Setting("CB_SAME_ERROR_THRESHOLD", _OUTSIDE, {MENDED: ("error_loops",), PROPOSED: ("error_loops",)}),
        Setting("CB_COOLDOWN_MINUTES", _OUTSIDE, {MENDED: ("cooldown",), PROPOSED: ("cooldown",)}),
        Setting("CB_ENABLED", _ALWAYS),
        Setting("CB_OUTPUT_DECLINE_PERCENT", _DECLINE),
        Setting("RL_*", HOURLY_PAUSE),
        Setting("retry*", _RETRIES),
    ),
    ("ED_", "CB_", "RL_"),
)


# Settings of ralph-claude-code: `.ralphrc`, a bash file that its loop sources.

SCRIPT = "ralph-claude-code"
_RUNNER = "is an option of the program that starts the agent"
_DEAD = "the script reads it but never uses it"

RALPHRC = Project(
    "ralphrc",
    (".ralphrc",),
    (SCRIPT, PROPOSED),
    (
        Setting(
            "CB_NO_PROGRESS_THRESHOLD",
            to={SCRIPT: ("cb_no_progress_threshold",), PROPOSED: ("stagnation_loops", "stuck_loops")},
        ),
        Setting(
            "CB_SAME_ERROR_THRESHOLD", to={SCRIPT: ("cb_same_error_threshold",), PROPOSED: ("error_loops",)}
        ),
        Setting(
            "CB_PERMISSION_DENIAL_THRESHOLD",
            "a refusal that prevents the agent from working ends the run at once (`permission_denied`)",
            {SCRIPT: ("cb_permission_denial_threshold",)},
        ),
        Setting("CB_COOLDOWN_MINUTES", to={SCRIPT: ("cooldown",), PROPOSED: ("cooldown",)}),
        Setting(
            "MAX_CONSECUTIVE_TEST_LOOPS",
            to={SCRIPT: ("max_consecutive_test_loops",), PROPOSED: ("test_loops",)},
        ),
        Setting(
            "MAX_CONSECUTIVE_DONE_SIGNALS",
            "claims in prose need evidence, regardless of their number",
            {SCRIPT: ("max_consecutive_done_signals",)},
        ),
        Setting("OPTIONAL_SECTIONS", to={SCRIPT: ("optional_sections",), PROPOSED: ("optional_sections",)}),
        Setting(
            "ALLOWED_TOOLS",
            "`allowed_tools` lists tools whose refusal does not stop the run; choose it by hand",
            {SCRIPT: ("allowed_tools",)},
        ),
        Setting("CLAUDE_ALLOWED_TOOLS", "in that file it is called `ALLOWED_TOOLS`"),
        Setting("CB_AUTO_RESET", "use `exitgate circuit reset` before the loop"),
        Setting("CB_OUTPUT_DECLINE_THRESHOLD", _DEAD),
        Setting("TEST_PERCENTAGE_THRESHOLD", _DEAD),
        Setting("MAX_CALLS_PER_HOUR", HOURLY_PAUSE),
        Setting("MAX_TOKENS_PER_HOUR", HOURLY_PAUSE),
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
