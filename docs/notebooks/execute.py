"""Runs the notebooks and writes their outputs: `python docs/notebooks/execute.py`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
SECONDS = 300


def notebooks() -> list[Path]:
    """Return the notebooks, in order."""
    return sorted(HERE.glob("*.ipynb"))


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of a new run. Raises `nbclient.exceptions.CellExecutionError`."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    asyncio.run(client.async_execute())
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop("text/html", None)
    return notebook


def texts(notebook: Any) -> list[str]:
    """Return what the cells of a notebook wrote, a text for each cell of code."""
    return [
        "".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def main() -> None:
    """Run and write every notebook."""
    for path in notebooks():
        nbformat.write(executed(path), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
