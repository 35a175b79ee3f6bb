"""Cases give files of the project as records or texts, under the name of the entry; earlier ones, too."""

from __future__ import annotations

from pathlib import Path

from exitgate.testing.cases.load import load_suite
from exitgate.testing.runner import run_case

POLICY = """\
policy: files
format: 1
version: 1.0.0
title: Files of the project
facts:
  stories: {extract: json_file, file: prd.json, items: userStories, value: passes}
  doing: {extract: task_file, open: "doing/*.md", done: "done/*.md"}
  built: {extract: artifacts, files: [a.html, b.html]}
rules:
  - {id: stop, when: stories.complete and doing.moved, exit: complete, because: done}
otherwise: continue
"""
TESTS = """\
format: 1
tests:
  - name: moved
    earlier: [{doing: {open: [doing/a.md], done: []}}]
    sources:
      doing: {open: [], done: [done/a.md]}
      stories: {userStories: [{passes: true}]}
      built: {found: {a.html: [{path: a.html, size: 3, digest: d, lacks: []}]}}
    expect:
      class: complete
      facts: {doing.moved_files: [a.md], stories.total: 1, built.missing: [b.html]}
  - name: nothing before
    sources: {doing: {open: [], done: [done/a.md]}, stories: '{"userStories": [{"passes": false}]}'}
    expect: {verdict: CONTINUE, facts: {doing.moved: unknown, stories.open: 1, built.all: unknown}}
"""


def test_records_and_texts_of_files(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY)
    suite = load_suite(TESTS, "tests.yaml", str(tmp_path))
    assert [run_case(case, suite.program(case)).failures for case in suite.cases] == [(), ()]
