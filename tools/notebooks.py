"""Run the notebooks of the documentation and store their outputs: python tools/notebooks.py"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
TIMEOUT = 300  # seconds of a cell
VARIES = "varies"
"""Tag of a cell whose output depends on the machine."""


def read(path: Path) -> Any:
    """Return a notebook."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def run(path: Path) -> Any:
    """Return a notebook with the outputs of a run in a new kernel; raise an error of a cell."""
    notebook = read(path)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # several run at once in the tests
    NotebookClient(
        notebook,
        timeout=TIMEOUT,
        coalesce_streams=True,
        resources={"metadata": {"path": FOLDER}},
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times
    return notebook


def outputs(notebook: Any) -> Iterator[tuple[str, Any]]:
    """Yield the source and the outputs of each cell that gives the same everywhere."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and VARIES not in cell.metadata.get("tags", ()):
            shown = [{**output, "execution_count": None} for output in cell.outputs]
            yield cell.source, shown


def main(paths: list[Path]) -> None:
    for path in paths:
        begin = time.perf_counter()
        nbformat.write(run(path), path)  # type: ignore[no-untyped-call]
        print(f"{path.name}: {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or NOTEBOOKS)
