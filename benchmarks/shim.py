"""
What one iteration of ralph's loop costs: analysis, signals, exit check, breaker; by its bash or by the shim.

    python benchmarks/shim.py [--original PATH] [--rounds N]

PATH is a checkout of frankbria/ralph-claude-code: its `lib/response_analyzer.sh` and
`lib/circuit_breaker.sh` are read, and `should_exit_gracefully` and what it calls out of `ralph_loop.sh`.
They need `jq`. Without PATH the shim is set against `python -c pass` alone.

Processor time, children and the process that waits for steps included, of a bash that does several
iterations, less that of one that does only the first, in turns within one run; the same response of 10 KB as
text and as JSON, in a repository with a changed file. A third of a second stands for the agent.
Needs Linux. Prints Markdown. The exit code is 1 when the shim takes more than a twentieth.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "process"))

from turns import Run, race, take_orphans  # noqa: E402

ITERATIONS = 10
GOAL = 20.0
PROSE = (
    "I looked at how the importer reads rows and moved the parsing of dates into a function of its own.",
    "The tests of the module run, two of them are new; the other ones stay as they are.",
    "Next comes the writer, which still takes its columns from a constant.",
    "",
)
BLOCK = (
    "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nTASKS_COMPLETED_THIS_LOOP: 1\nFILES_MODIFIED: 2\n"
    "TESTS_STATUS: PASSING\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: false\n"
    "RECOMMENDATION: go on with the writer\n---END_RALPH_STATUS---\n"
)
#: What the script does with a response; each time another one, as agents write.
ITERATION = """
log_status() { :; }
text="$(<"$RESPONSE")"
loop_count=0
while [[ $loop_count -lt COUNT ]]; do
    loop_count=$((loop_count + 1))
    sleep 0.3
    printf '%s\n' "$text" "$RANDOM$RANDOM" >out.log
    analyze_response out.log "$loop_count"
    update_exit_signals
    reason=$(should_exit_gracefully)
    record_loop_result "$loop_count" 1 false 10000
done
"""
VARIABLES = """
RALPH_DIR=.ralph EXIT_SIGNALS_FILE=.ralph/.exit_signals RESPONSE_ANALYSIS_FILE=.ralph/.response_analysis
MAX_CONSECUTIVE_TEST_LOOPS=3 MAX_CONSECUTIVE_DONE_SIGNALS=2
"""


def response() -> str:
    """Return 10 KB of an agent's words with a status block at the end."""
    lines: list[str] = []
    while sum(len(line) + 1 for line in lines) < 10_000 - len(BLOCK):
        lines.append(
            f"{len(lines)}: {PROSE[len(lines) % len(PROSE)]}" if PROSE[len(lines) % len(PROSE)] else ""
        )
    return "\n".join([*lines, BLOCK])


def original(path: Path) -> str:
    """Return bash that reads the loop's own functions."""
    script = (path / "ralph_loop.sh").read_text()
    names = ("_safe_count", "_count_blocking_unchecked", "should_exit_gracefully")
    own = [script[script.index(f"{name}() {{") :].partition("\n}\n")[0] + "\n}\n" for name in names]
    numbers = path / "lib" / "int_utils.sh"
    libraries = [path / "lib" / f"{name}.sh" for name in ("response_analyzer", "circuit_breaker")]
    sources = [f"source '{one}'" for one in ([numbers] if numbers.exists() else []) + libraries]
    return "\n".join([VARIABLES, *sources, *own])


def shimmed(policy: str, profile: bool) -> str:
    """Return bash that reads the shim for a policy."""
    program = str(Path(sys.executable).with_name("exitgate"))
    printed = subprocess.run([program, "shim", "ralph", "--policy", policy], capture_output=True, check=True)
    settings = "export EXITGATE_PRESET=as-it-is.yaml\n" if profile else ""
    return f"{VARIABLES}{settings}{printed.stdout.decode()}"


def project(folder: Path) -> None:
    """Make a repository with a changed file, a plan, and the response in both forms."""
    text = response()
    record = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": text}
    folder.mkdir()
    (folder / ".ralph").mkdir()
    (folder / ".gitignore").write_text(".ralph\nout.log\n*.txt\n*.json\n*.yaml\n")
    (folder / ".ralph" / "fix_plan.md").write_text("- [x] read\n- [ ] write\n")
    (folder / "as-it-is.yaml").write_text("exit_decision: {profile: as_it_is}\n")
    (folder / "module.py").write_text("x = 1\n")
    (folder / "response.txt").write_text(text)
    (folder / "response.json").write_text(json.dumps(record))
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(folder)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *words], check=True)
    (folder / "module.py").write_text("x = 2\n")


def contender(name: str, functions: str, form: str, count: int, environment: dict[str, str]) -> Run:
    script = f"{functions}\nRESPONSE=response.{form}\n{ITERATION.replace('COUNT', str(count))}"

    def fresh() -> None:
        subprocess.run(["rm", "-rf", ".ralph/exitgate", ".ralph/.exitgate_answer"], check=True)
        for left in Path(".ralph").glob(".[a-z]*"):
            left.unlink()

    return Run(name, ["/bin/bash", "-c", script], fresh, (0, 1), environment)


def per_iteration(spent: dict[str, list[float]], name: str) -> list[float]:
    """Return the seconds of one iteration in each round; what comes once, and the first, are taken off."""
    pairs = zip(spent[name], spent[f"{name} 1"], strict=True)
    return [(several - one) / ITERATIONS for several, one in pairs]


def main() -> int:
    parser = argparse.ArgumentParser(description="one iteration through the shim against the bash original")
    parser.add_argument("--original", type=Path, help="a checkout of frankbria/ralph-claude-code")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each contender (7)")
    arguments = parser.parse_args()
    take_orphans()
    ours = {
        "shim, `ralph-claude-code` as it is": shimmed("ralph-claude-code", profile=True),
        "shim, `ralph-claude-code`": shimmed("ralph-claude-code", profile=False),
        "shim, `recommended`": shimmed("recommended", profile=False),
    }
    functions = (
        ours if arguments.original is None else {"original": original(arguments.original.resolve()), **ours}
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "EXITGATE_CACHE_DIR": str(Path(folder) / "cache")}
        project(Path(folder) / "project")
        os.chdir(Path(folder) / "project")
        runs = [Run("pass", [sys.executable, "-c", "pass"], environment=environment)]
        for form in ("txt", "json"):
            for name, text in functions.items():
                runs += [
                    contender(f"{name}, {form}", text, form, 1 + ITERATIONS, environment),
                    contender(f"{name}, {form} 1", text, form, 1, environment),
                ]
        spent = race(runs, arguments.rounds)
        os.chdir(folder)
    return report(spent, list(ours), arguments.original is not None, arguments.rounds)


def report(spent: dict[str, list[float]], ours: list[str], against: bool, rounds: int) -> int:
    """Print the table and return the exit code."""
    missed = 0
    print(
        f"{rounds} rounds, {ITERATIONS} iterations behind the first; milliseconds of processor time each.\n"
    )
    print("| | form | median | least | over `python -c pass` | original over it, median | least |")
    print("|---|---|---|---|---|---|---|")
    for form in ("txt", "json"):
        base = per_iteration(spent, f"original, {form}") if against else []
        for name in (["original"] if against else []) + ours:
            times = per_iteration(spent, f"{name}, {form}")
            bare = median(a / b for a, b in zip(times, spent["pass"], strict=True))
            over = [a / b for a, b in zip(base, times, strict=True)] if against else []
            told = f"{median(over):.1f} | {min(over):.1f}" if over else "- | -"
            spread = f"{median(times) * 1000:.1f} | {min(times) * 1000:.1f}"
            print(f"| {name} | {form} | {spread} | {bare:.1f} | {told} |")
            missed += bool(over) and name in ours and median(over) < GOAL
    if missed:
        print(f"\nGoal missed: {missed} of the rows take more than a twentieth.")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
