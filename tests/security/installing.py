"""Puts the example of an extractor on the path as pip would, without a wheel, and others like it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from compiled import COMPILED

from exitgate.cli.main import main
from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.plugins import permissions
from exitgate.core.plugins.extractor import PLUGIN, Plugged
from exitgate.core.state.request import Request

EXAMPLE = Path(__file__).parents[2] / "examples" / "extractor"
POLICY = """\
policy: quality
format: 1
version: 1.0.0
facts:
  quality: {extract: acme.sonar, from: response}
rules:
  - {id: clean, when: quality.issues == 0, exit: complete, because: clean}
  - {id: worse, when: quality.worst is BLOCKER, exit: review, because: "{quality.worst}"}
"""
REPORT = '{"issues": [{"severity": "minor"}, {"severity": "blocker"}]}'
CLEAN = '{"issues": []}'


def install(
    site: Path,
    code: str | None = None,
    name: str = "acme-sonar",
    package: str = "acme_sonar",
) -> Path:
    """Install a distribution with an extractor, the example or `code` as its module; return the package."""
    folder = site / package
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(EXAMPLE / "acme_sonar", folder, ignore=shutil.ignore_patterns("__pycache__"))
    if code is not None:
        (folder / "extractor.py").write_text(code)
    info = site / f"{name.replace('-', '_')}-1.0.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n")
    (info / "entry_points.txt").write_text(f"[exitgate.extractors]\nacme.sonar = {package}.extractor\n")
    files = [*sorted(folder.rglob("*.py")), *sorted(info.iterdir()), info / "RECORD"]
    (info / "RECORD").write_text("".join(f"{one.relative_to(site)},,\n" for one in dict.fromkeys(files)))
    return folder


PATH = tuple(sys.path)
#: A module that leaves a trace of having run, before anything else.
TRACE = "import pathlib\npathlib.Path({trace!r}).write_text('ran')\n"


class Place:
    """A project, a folder of installed packages outside of it, and a home."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.site, self.project, self.home = folder / "site", folder / "project", folder / "home"
        self.trace = folder / "trace"
        for one in (self.site, self.project / ".git", self.home):
            one.mkdir(parents=True)
        self.write(POLICY)
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(self.home / "config"))
        monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
        monkeypatch.chdir(self.project)
        # cases share what is patched: each begins with the path as it was
        monkeypatch.setattr(sys, "path", [str(self.site), *PATH])

    def write(self, policy: str) -> None:
        (self.project / "policy.yaml").write_text(policy)

    def on_path(self, folder: Path) -> None:
        sys.path.insert(0, str(folder))

    def traced(self, code: str = "") -> str:
        """Return the code of a module that leaves a trace."""
        return TRACE.format(trace=str(self.trace)) + code

    def allow(self, *words: str) -> int:
        return main(["plugins", "allow", "acme-sonar", *words])

    def check(self, text: str = REPORT, policy: str = "policy.yaml") -> dict[str, object]:
        """Return the value of each fact of the plug-in, and the rule that decided."""
        (self.project / "response.md").write_text(text)
        found = check(Request("response.md", policy=str(self.project / policy), record=False))
        values: dict[str, object] = {
            name: fact.value for name, fact in found.facts.items() if name.startswith("quality")
        }
        return {**values, "rule": found.decision.rule}

    def refused(self) -> str:
        """Return codes and messages of a check that cannot be made."""
        with pytest.raises(ExitgateError) as caught:
            self.check()
        assert caught.value.exit_code == 65
        assert not self.trace.exists()
        return " ".join(f"{one.code} {one.message} {one.help}" for one in caught.value.diagnostics)

    def asked(self) -> str:
        """Return why the fact `n` is unknown, as a policy that was compiled before asks for it."""
        permission = permissions.read(os.environ, ())["acme-sonar"]
        plugin = {
            "distribution": "acme-sonar",
            "digest": permission.digest,
            "module": permission.points["acme.sonar"],
            "specs": [{"name": "n", "type": "count", "doc": ""}],
        }
        iteration = Iteration(1, "r#1", 0.0, {"response": Source("response", REPORT)})
        (fact,) = Plugged("acme.sonar").extract(
            "quality", "response", JsonObject({PLUGIN: plugin}), iteration
        )
        assert isinstance(fact.value, Unknown)
        return fact.value.reason

    def why(self) -> str:
        """Return why the facts are unknown."""
        found = self.check()
        assert found["rule"] is None
        values = [value for name, value in found.items() if name != "rule"]
        reasons = {value.reason for value in values if isinstance(value, Unknown)}
        assert len(values) >= 1
        assert len(reasons) == 1, found
        return reasons.pop()
