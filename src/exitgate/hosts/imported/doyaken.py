"""Settings of Doyaken: `circuit_breaker:` in its manifest, variables `ED_*`, `CB_*`, `RL_*`."""

from __future__ import annotations

from exitgate.hosts.imported.settings import Project, Setting

MENDED, FAITHFUL, BETTER = "doyaken", "doyaken-faithful", "recommended"
_OUTSIDE = "`doyaken-faithful` reads the breaker's state from `.ralph/circuit-state.json`"
_PAUSE = "an hourly pause is not a decision to stop"
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
SECTION = "circuit_breaker"
#: In the names of what bounds retries of a phase, anywhere in the manifest.
RETRIES = ("retry", "retries")

PROJECT = Project(
    "doyaken",
    (".doyaken/manifest.yaml",),
    (MENDED, FAITHFUL, BETTER),
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
                BETTER: ("claim_loops",),
            },
        ),
        Setting(
            "CB_NO_PROGRESS_THRESHOLD",
            _OUTSIDE,
            {MENDED: ("stuck_loops",), BETTER: ("stagnation_loops", "stuck_loops")},
        ),
        Setting("CB_SAME_ERROR_THRESHOLD", _OUTSIDE, {MENDED: ("error_loops",), BETTER: ("error_loops",)}),
        Setting("CB_COOLDOWN_MINUTES", _OUTSIDE, {MENDED: ("cooldown",), BETTER: ("cooldown",)}),
        Setting("CB_ENABLED", _ALWAYS),
        Setting("CB_OUTPUT_DECLINE_PERCENT", _DECLINE),
        Setting("RL_*", _PAUSE),
        Setting("retry*", _RETRIES),
    ),
    ("ED_", "CB_", "RL_"),
)
