"""The notebooks run, and show what they say they do."""

from __future__ import annotations

import importlib.util
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
assert spec is not None
assert spec.loader is not None
execute = importlib.util.module_from_spec(spec)
spec.loader.exec_module(execute)


@pytest.mark.parametrize("path", execute.notebooks(), ids=lambda path: path.stem)
def test_a_notebook_shows_what_a_new_run_shows(path: Path) -> None:
    told = execute.texts(nbformat.read(path, as_version=4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the kernel's own packages
        # In a thread of its own: tests of pages may have a loop of events running in this one.
        with ThreadPoolExecutor(1) as thread:
            found = execute.texts(thread.submit(execute.executed, path).result())
    assert found == told, "run `make docs`: the outputs in the notebook are old"
    assert len([text for text in told if text]) > 5


def test_there_is_a_notebook() -> None:
    assert [path.name for path in execute.notebooks()] == ["dry-run.ipynb"]
