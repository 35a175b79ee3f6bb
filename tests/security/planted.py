"""A cloned repository with a module of every name in it, and a line for every command of the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from compiled import COMPILED
from patience import PATIENCE, wait_for
from sessions_on_disk import session

from exitgate.cli.main import main

#: What pip writes for the program, as users start it.
PROGRAM = f"#!{sys.executable}\nimport re\nimport sys\nfrom exitgate.cli.main import main\nsys.exit(main())\n"
#: All lines in one process, each with a text on its standard input; then what any of them imported.
DRIVER = f"""#!{sys.executable}
import json, os, sys
tried, starters = set(), set()
STARTS = {{"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.spawn", "os.system"}}
def note(event, found):
    if event == "import":
        tried.add(found[0].partition(".")[0])
    elif event in STARTS:
        frame = sys._getframe(1)
        while frame.f_globals["__name__"] in ("subprocess", "os"):
            frame = frame.f_back
        starters.add(frame.f_globals["__name__"])
sys.addaudithook(note)
from exitgate.cli.main import main
codes = []
for words, said in json.loads(sys.argv[1]):
    with open(sys.argv[2], "w+") as told:
        told.write(said)
        told.flush()
        os.dup2(os.open(sys.argv[2], os.O_RDONLY), 0)
    sys.stdin = open(0, closefd=False)
    sys.argv[0] = "exitgate"
    codes.append(main(words))
with open(sys.argv[3], "w") as file:
    noted = {{"codes": codes, "tried": sorted(tried), "starters": sorted(starters), "path": sys.path}}
    json.dump(noted, file)
"""
#: In the environment of all that is started here.
TOKEN = "EXITGATE_TEST_PLANTED"
PAYLOADS = Path(__file__).parents[1] / "hosts/hook/payloads"
#: Host -> its payload at the end of a turn.
HOSTS = {
    "claude-code": "stop", "codex": "stop", "copilot": "agent_stop", "cursor": "stop",
    "gemini": "after_agent",
}  # fmt: skip
POLICY = "policies/team/policy.yaml"
RUNS = ("run-0", "run-1", "run-2", "run-3")
LABELS = "".join(f"  - {{run: {name}, stop: 3}}\n" for name in RUNS)


class Line(NamedTuple):
    """Words of a command, the exit codes that show it did its work, and what it reads."""

    words: str
    codes: tuple[int, ...] = (0,)
    said: str = ""


def lines() -> list[Line]:
    """Return a line or more for each command; those that take longest are at the end."""
    hooks = {host: (PAYLOADS / host / f"{name}.json").read_text("utf-8") for host, name in HOSTS.items()}
    return [
        Line("new policy another --in elsewhere"),
        Line("serve --status", (1,)),
        Line("check r.md plan.md"),
        Line(f"check r.md plan.md -p ./{POLICY} --format json"),
        *(Line(f"hook {host}", (0,), said.replace("$PROJECT", ".")) for host, said in hooks.items()),
        Line("explain"),
        Line("explain r.md plan.md --format json"),
        Line("facts r.md plan.md"),
        Line("policies list"),
        Line("policies show bb3"),
        Line("policies eject bb3 ejected"),
        Line("policies list --pinned"),
        Line("policies lock policies --index file:nothing"),
        Line("policies lock --check"),
        Line("policies update --index file:nothing"),
        Line("validate policies"),
        Line("fmt --check policies"),
        Line("schema config"),
        Line("history"),
        Line("state"),
        Line("ledger verify"),
        Line("ledger tail"),
        Line("ledger export"),
        Line("replay"),
        Line("reset --reason x"),
        Line("new-run again"),
        Line("prompt recommended"),
        Line("plugins list"),
        Line("plugins allow acme-sonar", (66,)),
        Line("fleet query SELECT nowhere", (64, 66)),
        Line("circuit status"),
        Line("circuit track r.md plan.md"),
        Line("circuit trip --reason x"),
        Line("circuit reset"),
        Line("circuit history"),
        Line("config"),
        Line("init --yes"),
        Line("doctor"),
        Line("completion bash"),
        Line("transcripts runs"),
        Line("transcripts", (66,)),
        Line("studio --no-sessions --export studio-of-all"),
        Line("label runs -o others.yaml", (0,), "\ns\n\ns\n"),
        Line("report runs -o report.html"),
        Line("studio runs --export studio-files"),
        Line("dry-run runs -j 2 --no-cache"),
        Line("score runs -l labels.yaml"),
        Line("calibrate runs -l labels.yaml"),
        Line("tune runs -l labels.yaml -p bb3 -P min_confidence=50..60:5"),
        Line("test policies"),
        Line(f"diff HEAD:{POLICY} {POLICY}"),
        Line("compare bb3 guardrails --runs runs"),
        Line(f"mutate {POLICY}"),
        Line("lint policies"),
        Line("new reader mine"),
        Line("new lint mine", (64,)),
        Line("new extractor mine", (64,)),
        Line("lsp"),
        Line(f"repl ./{POLICY}", (0,), "tasks.done = 1 2\n:rules\n:decide\n"),
        Line(f"prove ./{POLICY}"),
        Line("release-check policies"),
        Line("ci policies"),
        Line("import ralphrc --print"),
        Line("import bb3 engine.yaml --print"),
        Line("import doyaken engine.sh --print"),
        Line("watch --once --notify true"),
        Line("shim ralph"),
        Line("shim bb3"),
        Line("shim doyaken"),
        Line("shim ralph-step -- format r.md"),
        Line("install claude-code --yes"),
        Line("uninstall claude-code --yes"),
        Line("run --max-iterations 2 -- sh -c true", (14,)),
        Line("goal done --judge true --dry-run -- sh -c true"),
        Line("trust --show"),
        Line("trust --digest"),
        Line("probe", (66,)),
    ]


class Noted(NamedTuple):
    """
    What lines in one process did.

    Exit codes, modules looked for, modules that started processes, `sys.path`, what was printed.
    """

    codes: list[int]
    tried: set[str]
    starters: set[str]
    path: list[str]
    said: str


class Clone:
    """
    The repository, and beside it a home, a place for programs, and notes of the tests.

    Args:
        root: An empty folder.
        planted: Names of modules.
    """

    def __init__(self, root: Path, planted: frozenset[str]) -> None:
        self.folder = root / "clone"
        self.mark = root / "mark"
        self.textfile = root / "decisions.prom"
        self.programs = root / "bin"
        self._root = root
        self.planted: frozenset[str] = frozenset()
        for name in ("clone/policies", "clone/.bb3", "home", "bin"):
            (root / name).mkdir(parents=True, mode=0o700)
        self._write()
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "first")
        self.plant(planted)

    def plant(self, names: Iterable[str]) -> None:
        """Put modules into the folder that tell when they run."""
        code = f"open({str(self.mark)!r}, 'a').write(__name__ + '\\n')\nraise SystemExit(3)\n"
        for name in names:
            (self.folder / f"{name}.py").write_text(code, encoding="utf-8")
        self.planted |= frozenset(names)

    def _write(self) -> None:
        texts = {
            "r.md": "I am confident that the parser is right. All tests pass.\n",
            "plan.md": "- [x] parser\n- [ ] printer\n",
            "PROMPT.md": "Go on.\n",
            ".bb3/config.yaml": "exit_decision:\n  policy: bb3\nhooks:\n  enabled: true\n",
            ".ralphrc": "MAX_CALLS_PER_HOUR=10\n",
            "engine.yaml": "min_confidence: 70\n",
            "engine.sh": "CB_NO_PROGRESS_THRESHOLD=4\n",
            "labels.yaml": f"labels:\n{LABELS}",
        }
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        assert main(["new", "policy", "team", "--in", str(self.folder / "policies")]) == 0
        for name in RUNS:
            session(self.folder / "runs", name, ["unsure", "likely", "certain"])
        for name, text in (("exitgate", PROGRAM), ("driver", DRIVER)):
            (self.programs / name).write_text(text, encoding="utf-8")
            (self.programs / name).chmod(0o755)

    def git(self, *words: str) -> None:
        """Run git in the repository."""
        subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True)

    def environment(self) -> dict[str, str]:
        """Return variables as a user's with telemetry on, whose collector is away."""
        return {
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self._root / "home"),
            "LC_ALL": "C.UTF-8",
            "EXITGATE_CACHE_DIR": COMPILED,
            "EXITGATE_OTEL": "1",
            "EXITGATE_OTEL_RETRY": "0",
            "EXITGATE_PROMETHEUS": str(self.textfile),
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
            TOKEN: str(self._root),
        }

    def run(self, *words: str, said: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the repository."""
        return subprocess.run(
            words, cwd=self.folder, env={**self.environment(), **variables}, input=said, text=True,
            capture_output=True, check=False, timeout=PATIENCE,
        )  # fmt: skip

    def drive(self, asked: list[Line]) -> Noted:
        """Run lines in one process, started as the program is; return what it noted of them."""
        words = json.dumps([(line.words.split(), line.said) for line in asked])
        ran = self.run(
            str(self.programs / "driver"), words, str(self._root / "said"), str(self._root / "notes")
        )
        assert (self._root / "notes").exists(), ran.stderr
        noted = json.loads((self._root / "notes").read_text(encoding="utf-8"))
        tried, starters = set(noted["tried"]), set(noted["starters"])
        return Noted(noted["codes"], tried, starters, noted["path"], ran.stdout + ran.stderr)

    def ran(self) -> set[str]:
        """Return the planted modules that ran, once all that was started here has ended."""
        wait_for(lambda: not self._under_way(), "the end of what was started")
        return set(self.mark.read_text(encoding="utf-8").split()) if self.mark.exists() else set()

    def _under_way(self) -> list[str]:
        """Return the processes with our variable in their environment."""
        wanted = f"{TOKEN}={self._root}\0".encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if wanted in Path("/proc", name, "environ").read_bytes():
                    found.append(name)
            except OSError:
                continue
        return found
