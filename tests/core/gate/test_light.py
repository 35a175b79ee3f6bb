"""The gate, the engine and the ledger are cheap to import: every check is a process of its own."""

import subprocess
import sys

BANNED = (
    "yaml", "jsonschema", "lark", "simpleeval", "structlog", "click", "rich", "markdown_it",
    "dataclasses", "typing", "logging", "subprocess", "pathlib",
)  # fmt: skip

CODE = f"""
import sys
import exitgate.core.gate.check, exitgate.report.decision.plain
import exitgate.core.state.policy_snapshots, exitgate.core.ledger.append
import exitgate.core.engine.program
print(",".join(name for name in {BANNED!r} if name in sys.modules))
"""


def test_nothing_dear_is_imported():
    # -S: site may import whatever its .pth files like.
    paths = f"import sys; sys.path[:0] = {sys.path!r}\n"
    answer = subprocess.run(
        [sys.executable, "-S", "-c", paths + CODE], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == ""
