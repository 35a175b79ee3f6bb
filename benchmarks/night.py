"""
A night in a minute: a scripted agent under kills, clock jumps and damaged files.

    python benchmarks/night.py [--iterations N] [--seed N] [--keep]

Two loops share a state directory. For each iteration the agent writes a response and a plan, and a
check is made in a process of its own. Some of these are killed at a random instant; then the loop is
started again and asks again. The clock jumps, ledger and views are spoilt by hand. At the end the
ledger must hold each decision once, verify but for what was spoilt, and replay.

The exit code is 1 when a decision was lost, doubled or not reproduced.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from exitgate.core.gate.check import check
from exitgate.core.gate.idempotency import decided_before
from exitgate.core.ledger import read
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.runs import iteration_of, name_of
from exitgate.core.ledger.verify import verify
from exitgate.core.model.fact import Iteration
from exitgate.core.observe.files import read_source
from exitgate.core.policy.cache import recall_policy
from exitgate.core.state.request import Request
from exitgate.core.views.update import update
from exitgate.recordings.ledger.replay import replay

STATE = ".ralph/exitgate"
LEDGER = f"{STATE}/ledger.jsonl"
RESPONSE = ".ralph/last-response.md"
NAMES = ("day", "night")
HOUR = 3600.0
KILLED, DAMAGED, JUMPED = 0.2, 0.04, 0.05
#: Lines behind a damaged one at least: the newest of each run is never among them.
BEHIND = 25

POLICY = """\
policy: soak
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  progress: {extract: progress, signals: [tasks.done]}
  hope: {points: [{when: tasks.done > 0, add: 10}, {when: output.length > 40, add: 20}], range: [0, 100]}
circuit:
  open: [{id: flat, when: (not progress.made) for 9 consecutive iterations}]
  watch: not progress.made
  close: progress.made
  cooldown: 2m
rules:
  - {id: halted, when: circuit.state is OPEN, exit: halted, because: "{circuit.reason}"}
  - {id: done, when: tasks.percent >= 100%, exit: complete, because: "{tasks.done} of {tasks.total}"}
  - {id: stuck, when: tasks.done unchanged for 7 iterations, exit: stuck, because: nothing moved}
  - {id: hoped, when: "count(hope >= 30, last 9) >= 9", exit: review, because: "{hope}"}
  - {id: terse, when: output.length < 20, warn: true, because: "only {output.length}"}
  - {id: budget, when: run.iterations >= 25, exit: exhausted, stage: before_iteration, because: enough}
  - {id: long, when: clock.elapsed > 4h, exit: exhausted, stage: before_iteration, because: "{clock.elapsed}"}
undetermined: {exit_after: 4}
otherwise: continue
"""
VIEWS = {
    "exit_state": {"confidence": "hope", "completion": "tasks.percent", "stagnation": "tasks.done"},
    "decision_log": {},
    "session": {"tasks": "tasks.done"},
    "confidence_log": {"confidence": "hope"},
}


class Damage:
    """A line that was spoilt: its number in the ledger, its sequence and run, and when."""

    def __init__(self, number: int, line: dict[str, object], at: int) -> None:
        self.number = number
        self.sequence = int(str(line["sequence"]))
        self.run = str(line["run"])
        self.at = at


class Soak:
    """The loops and what was done to them; works in the current directory."""

    def __init__(self, iterations: int, seed: int) -> None:
        self.iterations = iterations
        self.chance = random.Random(seed)
        self.now = 1_800_000_000.0
        self.done = dict.fromkeys(NAMES, 0)
        self.acknowledged: list[dict[str, object]] = []
        self.damages: list[Damage] = []
        self.happened: Counter[str] = Counter()
        self.takes = 0.02
        os.mkdir(".ralph")
        Path("policy.yaml").write_text(POLICY)

    def run(self) -> None:
        self.work(NAMES[0], 0)
        # Children inherit what this imports and the policy in the cache.
        check(Request(policy="policy.yaml", time=self.now, record=False, state_dir="nowhere"))
        for number in range(self.iterations):
            name = self.chance.choice(NAMES)
            self.tick()
            self.work(name, number)
            if number > 2 * BEHIND and self.chance.random() < DAMAGED:
                self.spoil()
            answer = None
            while answer is None:
                begun = time.perf_counter()
                answer = self.ask(name, killed=self.chance.random() < KILLED)
                if answer is not None:
                    self.takes += 0.1 * (time.perf_counter() - begun - self.takes)
            self.acknowledged.append(answer)
            self.happened["asked again, answered from the ledger"] += bool(answer["again"])
            if answer["verdict"] == "EXIT":
                self.happened[f"exit: {answer['outcome']}"] += 1

    def tick(self) -> None:
        self.now += self.chance.uniform(5, 120)
        if self.chance.random() < JUMPED:
            jump = self.chance.choice((-0.3, -2, -30, 0.5, 5, 26, 49)) * HOUR
            self.now += jump
            self.happened["clock set back" if jump < 0 else "clock jumped ahead"] += 1

    def work(self, name: str, number: int) -> None:
        """The agent's turn: a response that is never the same twice, and a plan."""
        chance = self.chance
        said = chance.choice(
            ("", "ok", "I ticked one more task and ran all the tests of it.", "\0\ufffd\x1b[2J")
        )
        raw = f"{said} [{number}]".encode()
        if chance.random() < 0.05:
            raw += bytes(chance.randrange(256) for _ in range(50))
        Path(RESPONSE).write_bytes(raw)
        self.done[name] = 0 if self.done[name] >= 6 else self.done[name] + (chance.random() < 0.3)
        ticked = "\n".join(f"- [{'x' if n < self.done[name] else ' '}] task {n}" for n in range(6))
        Path(".ralph/@fix_plan.md").write_text(ticked if chance.random() < 0.95 else "no list")

    def spoil(self) -> None:
        """Damage one file as a full disk, an editor or another program might."""
        what = self.chance.choice(("torn", "torn", "line", "line", "view", "log", "cache"))
        self.happened[f"spoilt: {what}"] += 1
        if what == "torn":
            with open(LEDGER, "ab") as file:
                file.write(self.chance.choice((b'{"format":1,"sequ', b"\0" * 300, b'{"a":"\xff', b"x")))
        elif what == "line":
            self.spoil_line()
        elif what == "view":
            for path in (".ralph/exit-state.json", ".ralph-session.json"):
                Path(path).write_text(self.chance.choice(("", "{", '{"last_decision": "EXIT"}')))
        elif what == "log":
            newest = max(Path(".ralph/logs").glob("exit-decisions_*"), key=lambda path: path.stat().st_mtime)
            with open(newest, "ab") as file:
                file.write(b'{"sequence": 1, "to')
        else:
            for path in Path(os.environ["EXITGATE_CACHE_DIR"]).rglob("*.json"):
                path.write_bytes(path.read_bytes()[: self.chance.randrange(2000)])

    def spoil_line(self) -> None:
        """Replace a line that later lines of its run follow by garbage."""
        with open(LEDGER, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        number = self.chance.randrange(len(lines) - 2 * BEHIND)
        later = b"".join(lines[number + 1 :])
        try:
            line = json.loads(lines[number])
        except ValueError:
            return  # spoilt already
        names = [name for name in NAMES if name_of(line["run"]) == name]
        if not all(f'"run":"{name}#'.encode() in later for name in names):
            return
        offset = sum(len(raw) for raw in lines[:number])
        with open(LEDGER, "r+b") as file:
            file.seek(offset)
            file.write(b"#" * (len(lines[number]) - 1))
        newest = json.loads(lines[-1])["sequence"] if lines[-1].endswith(b"\n") else len(lines)
        self.damages.append(Damage(number + 1, line, newest))

    def ask(self, name: str, *, killed: bool) -> dict[str, object] | None:
        """Check in a child; return what it acknowledged, None when it was killed before."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            self.child(name, writing)
        os.close(writing)
        if killed:
            self.happened["killed"] += 1
            time.sleep(self.chance.uniform(0, 1.2 * self.takes))
            os.kill(child, signal.SIGKILL)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read()
        status = os.waitpid(child, 0)[1]
        if said.endswith(b"\n"):
            self.happened["killed behind the acknowledgement"] += killed
            return dict(json.loads(said))
        if not killed or os.WIFEXITED(status):
            raise SystemExit(f"a check ended with {status} and said nothing")
        return None

    def child(self, name: str, writing: int) -> None:
        code = 70
        try:
            os.write(writing, json.dumps(self.answer(name)).encode() + b"\n")
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def answer(self, name: str) -> dict[str, object]:
        """What a loop does: ask whether this response was decided on already, else decide."""
        policy = recall_policy("policy.yaml").policy
        last = read.last(STATE, name)
        response = read_source("response", RESPONSE)
        now = Iteration(1, "", self.now, {"response": response})
        number = 0 if last is None else iteration_of(last)
        found = decided_before(policy, now, last, lambda run, n: read.tail(STATE, run, n), number, None, {})
        again = found is not None and not found.notes
        if found is None or not again:
            found = check(Request(policy="policy.yaml", run=name, time=self.now))
        assert found.line is not None
        update(".", STATE, VIEWS, policy.values(), found.line)
        decision, line = found.decision, found.line
        return {
            "sequence": line["sequence"],
            "run": line["run"],
            "iteration": line["iteration"],
            "verdict": decision.verdict,
            "outcome": decision.outcome,
            "again": again,
        }


def troubles(soak: Soak) -> list[str]:
    """Return everything that is not as it must be, in words; nothing for a good night."""
    with Ledger(STATE):
        pass  # sets aside what is torn
    lines = {int(str(line["sequence"])): line for line in read.lines(STATE)}
    decisions = {n: line for n, line in lines.items() if line["kind"] == "decision"}
    spoilt = {damage.sequence for damage in soak.damages}
    found = []
    for answer in soak.acknowledged:
        sequence = int(str(answer["sequence"]))
        line = decisions.get(sequence)
        if line is None:
            if sequence not in spoilt:
                found.append(f"lost: {answer}")
        elif (line["run"], line["iteration"]) != (answer["run"], answer["iteration"]):
            found.append(f"another line instead of {answer}")
    told = Counter(int(str(answer["sequence"])) for answer in soak.acknowledged)
    found += [f"one decision for two iterations: {n}" for n, times in told.items() if times > 1]
    found += [f"decided and never acknowledged: {n}" for n in decisions if n not in told]
    places = Counter((line["run"], line["iteration"]) for line in decisions.values())
    found += [f"doubled: {place}" for place, times in places.items() if times > 1]
    accounted = {damage.number + more for damage in soak.damages for more in (0, 1)}
    damages = verify(STATE).damages
    found += [f"line {d.number}: {d.reason}" for d in damages if d.number not in accounted]
    missing = {damage.number for damage in soak.damages} - {d.number for d in damages}
    found += [f"line {number} was spoilt and verifies" for number in missing]
    return found + replayed_otherwise(soak) + missing_in_logs(lines)


def replayed_otherwise(soak: Soak) -> list[str]:
    """Return the decisions that do not come out again, but for those that rested on a spoilt line."""
    found = []
    for one in replay(STATE):
        sequence = one.line.sequence
        soak.happened["replayed"] += 1
        rested = any(
            damage.run == one.line.run and damage.sequence < sequence <= damage.at for damage in soak.damages
        )
        if not one.same and not rested:
            found.append(f"line {sequence} replayed: {one.difference}")
        soak.happened["replayed otherwise, resting on a spoilt line"] += not one.same and rested
    return found


def missing_in_logs(lines: dict[int, dict[str, object]]) -> list[str]:
    """Return the lines that are not once in the daily logs."""
    logged: Counter[int] = Counter()
    for path in Path(".ralph/logs").glob("exit-decisions_*.log"):
        for raw in path.read_bytes().splitlines():
            try:
                logged[json.loads(raw)["sequence"]] += 1
            except ValueError:
                continue  # torn by hand
    return [f"line {n} is {logged[n]} times in the logs" for n in lines if logged[n] != 1]


def night(iterations: int, seed: int) -> tuple[Soak, list[str]]:
    """Return a night and its troubles; the current directory must be empty."""
    os.environ["EXITGATE_CACHE_DIR"] = os.path.abspath(".cache")
    os.environ["EXITGATE_HEAD_DIR"] = ""  # what it spoils is to be found by the chain alone
    soak = Soak(iterations, seed)
    soak.run()
    return soak, troubles(soak)


def main() -> int:
    parser = argparse.ArgumentParser(description="a loop under kills, clock jumps and damaged files")
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the folder for a look")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="exitgate-soak-")
    os.chdir(folder)
    begun = time.monotonic()
    soak, found = night(given.iterations, given.seed)
    print(f"{given.iterations} iterations of {len(NAMES)} loops in {time.monotonic() - begun:.0f} s")
    for what, count in sorted(soak.happened.items()):
        print(f"  {count:6}  {what}")
    good = verify(STATE).lines
    print(f"{good} lines verified, {len(soak.damages)} spoilt by hand and all found; {len(found)} troubles")
    print("\n".join(found[:50]))
    if not given.keep:
        os.chdir("/")
        shutil.rmtree(folder)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
