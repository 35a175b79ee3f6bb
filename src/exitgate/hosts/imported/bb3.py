"""Settings of BB3's exit decision engine: four numbers in a YAML file."""

from __future__ import annotations

from exitgate.hosts.imported.settings import Project, Setting

POLICIES = ("bb3", "bb3-faithful", "recommended")
_NAMES = ("min_confidence", "min_completion", "max_errors", "stagnation_loops")

PROJECT = Project(
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
SECTION = "exit_decision"
