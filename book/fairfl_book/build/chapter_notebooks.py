"""Execute a chapter's text into a notebook, with as few differences as possible between two executions."""

import hashlib
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from fairfl import _atomic_files
from fairfl.errors import Refused
from fairfl_book.book_paths import Book, is_companion
from fairfl_book.reading import cloud_launch, copy_extras, threads
from fairfl_book.repository_address import address

try:
    import resource
except ImportError:  # Windows
    resource = None

COMPANION_BUDGET = 20.0  # the same for a companion
BUDGET = 60.0  # seconds that a chapter may take on one thread; one text took 36 and 44 s on the same rented machine, hours apart
SLOWEST = 1.5  # a slow machine's time in a quick one's: chapter 14's text took 42 and 65 s of processor time on two rented machines
ADDRESS = re.compile(r"0x[0-9a-f]{6,16}")  # the same as in tests/nbval.cfg
QUIET = {"FAIRFL_PROGRESS": "0"}  # progress bars would be stored in the outputs
RUN = "fairfl_run"  # the notebook's metadata that says how it was executed


@dataclass(frozen=True)
class Run:
    """Record of an execution. ``seconds``: processor time, including the start of the kernel."""

    name: str
    seconds: float

    @property
    def line(self) -> str:
        most = budget(self.name)
        late = f"  over the budget of {most:.0f} s: train less, or record the run" if self.seconds > most else ""
        return f"{self.name:40s} {self.seconds:6.1f} s{late}"


def budget(name: str) -> float:
    """The most seconds that chapter or companion ``name`` may take."""
    return COMPANION_BUDGET if is_companion(name) else BUDGET


def read(path: Path) -> NotebookNode:
    """The text twin at ``path`` as a notebook without outputs."""
    return jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")


def front(book: Book, name: str) -> Mapping[str, object] | None:
    """The block ``fairfl`` of a chapter."""
    return original(book, name).metadata.get("fairfl")


def original(book: Book, name: str) -> NotebookNode:
    """A chapter's text as a notebook or, in an installed book, which has no texts, its executed notebook."""
    return nbformat.read(book.notebook(name), as_version=4) if book.installed else read(book.twin(name))


def cells(notebook: NotebookNode) -> list[tuple[str, str, tuple[str, ...]]]:
    """Type, source and tags of each cell of the chapter itself. These must agree between a text and its notebook."""
    own = copy_extras.own(notebook.cells)
    return [(cell.cell_type, cell.source, tuple(cell.metadata.get("tags", ()))) for cell in own]


def differences(twin: NotebookNode, notebook: NotebookNode) -> list[str]:
    """Describe where the notebook differs from the text. Empty if they agree."""
    of_text, of_notebook = cells(twin), cells(notebook)
    problems = [
        f"cell {number}: text and notebook differ; run make chapters"
        for number, (a, b) in enumerate(zip(of_text, of_notebook), 1)
        if a != b
    ][:3]
    if len(of_text) != len(of_notebook):
        problems.append(f"the text has {len(of_text)} cells and the notebook {len(of_notebook)}; run make chapters")
    if twin.metadata.get("fairfl") != notebook.metadata.get("fairfl"):
        problems.append("the front matter of text and notebook differ; run make chapters")
    return problems


def execute(book: Book, name: str, timeout: int = 600) -> Run:
    """Execute the text of chapter ``name`` into its notebook, on one thread, in the chapters' folder.

    ``timeout``: seconds per cell. Raises ``ValueError`` if a cell fails. The old notebook is then left unchanged.
    """
    notebook, seconds = executed(book, name, timeout)
    notebook.metadata[RUN] = {
        "seconds": seconds,
        "threads": 1,
        "python": version_of_python(notebook),
        **{package: version(package) for package in ("numpy", "torch")},
    }
    if not is_companion(name):
        notebook.cells = nbformat.from_dict(cloud_launch.dressed(notebook.cells, address(book), name))
    notebook.metadata.language_info.pop("version", None)
    notebook.metadata.pop("jupytext", None)  # with "formats" in its header, JupyterLab would look for a paired text
    book.notebook(name).parent.mkdir(exist_ok=True)
    _atomic_files.write(book.notebook(name), (nbformat.writes(notebook) + "\n").encode("utf-8"))
    return Run(name, seconds)


def executed(book: Book, name: str, timeout: int = 600) -> tuple[NotebookNode, float]:
    """Execute the text of chapter ``name``; return the notebook and the seconds of processor time. No file is written.

    Raises ``ValueError`` if a cell fails.
    """
    notebook = read(book.twin(name))
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # on a busy machine, one cell's output may arrive in several pieces
        resources={"metadata": {"path": str(book.chapters)}},
    )
    start = spent()
    try:
        client.execute(env={**os.environ, **threads.ONE, **QUIET})
    except CellExecutionError as error:
        raise Refused(f"{name} was not written, because a cell failed:\n{error}", "file") from error
    seconds = round(spent() - start, 1)
    still(notebook)
    return notebook, seconds


def spent() -> float:
    """Processor seconds of the kernels that have ended, which does not depend on the machine's other load.

    On systems that do not report it (Windows), the elapsed time.
    """
    if resource is None:
        return time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def version_of_python(notebook: NotebookNode) -> str:
    """The version that the kernel reported."""
    return notebook.metadata.language_info.get("version", "unknown")


def still(notebook: NotebookNode) -> None:
    """Remove, in place, everything that would differ between two executions of the same text.

    Cell ids are derived from the cells' sources, and widget ids from their order. Memory addresses are replaced by a
    word. Tracebacks (of cells tagged ``raises-exception``) name folders of this machine, so only the error's own line
    is kept.
    """
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        base = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
        seen[base] = seen.get(base, 0) + 1
        cell["id"] = base if seen[base] == 1 else f"{base}-{seen[base]}"
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
            for holder, key in ((output, "text"), (output.get("data", {}), "text/plain")):
                if key in holder:
                    holder[key] = ADDRESS.sub("0xADDRESS", holder[key])
    widgets = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    if widgets:
        text = nbformat.writes(notebook)
        for number, model in enumerate(widgets):
            text = text.replace(model, f"widget-{number:04d}")
        notebook.update(nbformat.reads(text, as_version=4))
