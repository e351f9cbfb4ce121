"""A stored notebook as a chapter of the printed book. Folded cells are left out; their outputs are not."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from fairfl.errors import Refused
from fairfl_book import labs
from fairfl_book.build import bibtex, lab_cells
from fairfl_book.exercises.exercise_cells import turn_in
from fairfl_book.paper import html_output
from fairfl_book.paper.pictures import Pictures
from fairfl_book.paper.prose import Block, Prose, code
from fairfl_book.paper.typst_text import called, quoted

_UNSOLVED = re.compile(r"[\w, ]+ = [. ,()]*\.\.\.[. ,()]*|check\(.*|#.*|")  # a line that shows nothing on paper


@dataclass
class Output:
    """What a cell shows. ``picture``: whether it is one that a caption may belong to."""

    typst: str
    picture: bool = False


class Lines:
    """Finds where a cell of a notebook stands in its source text."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = str(path.relative_to(root))
        self.text = path.read_text(encoding="utf-8") if path.exists() else ""
        self.at = 0

    def of(self, cell: NotebookNode) -> Callable[[int], str]:
        """``where(line)`` of ``cell``: file and line. Cells have to be asked for in order."""
        found = self.text.find(cell.source.strip("\n"), self.at)
        if found >= 0:
            self.at = found
        first = self.text.count("\n", 0, self.at) + 1
        return lambda line: f"{self.path}:{first + line}"


def body(notebook: NotebookNode, prose: Prose, pictures: Pictures, lines: Lines) -> str:
    """The cells of ``notebook`` as Typst, from the first to the references."""
    made, outputs, turn, last_lab = [], [], [], ""

    def put(text: str, where: str) -> None:
        made.append(f"// {where}\n{text}")

    def flush(where: str) -> None:
        if outputs:
            put("".join(output.typst for output in outputs), where)
        outputs.clear()

    for cell in notebook.cells:
        where = lines.of(cell)
        if cell.cell_type == "markdown":
            source, heading, _ = cell.source.partition(bibtex.HEADING)
            cell_blocks = prose.blocks(source, where)
            for number, block in enumerate(cell_blocks):
                if block.kind == "caption":
                    put(_figure(block, outputs), block.where)
                    continue
                flush(block.where)
                if block.kind == "turn":
                    turn = cell_blocks[number:]
                    break
                put(
                    called("exercise", body=block.typst) + "\n\n" if block.kind == "exercise" else block.typst,
                    block.where,
                )
            if heading:
                break
            continue
        flush(where(0))
        cell_tags = cell.metadata.get("tags", [])
        if "head" in cell_tags:
            continue
        if slug := turn_in(cell):
            words = "".join(block.typst for block in turn)
            put(called("turn", quoted(slug), body=words + _stub(cell.source)) + "\n\n", where(0))
            turn = []
        elif "exercise" in cell_tags or "check" in cell_tags:
            put(_stub(cell.source), where(0))
        elif "lab" in cell_tags:
            stills = _stills(cell, pictures)
            new = [Output(still, True) for still in stills if still != last_lab]
            outputs += new
            if new:
                outputs.append(Output("#lab-note();\n\n"))
            last_lab = stills[-1] if stills else last_lab
        else:
            if not cell.metadata.get("jupyter", {}).get("source_hidden"):
                put(code(cell.source, "python") + "\n\n", where(0))
            for output in cell.outputs:
                shown = _output(output, pictures, where(0))
                last_lab = shown.typst if shown.picture else last_lab
                outputs.append(shown)
    flush(lines.path)
    prose.closed()
    if turn:
        raise Refused(f"{turn[0].where}: this turn has no cell. Put a cell tagged `turn` after it.", "file")
    return "\n".join(made)


def _figure(caption: Block, outputs: list[Output]) -> str:
    """The pictures in ``outputs`` with their caption, then what was printed beside them. It empties ``outputs``."""
    pictures = [output.typst for output in outputs if output.picture]
    rest = "".join(output.typst for output in outputs if not output.picture)
    if not pictures:
        pictures, rest = [rest], ""
    outputs.clear()
    if not pictures[0].strip():
        raise Refused(
            f"{caption.where}: the caption of Figure {caption.number} follows no picture. Put it directly after the cell "
            "that draws the figure, and run make chapters.",
            "file",
        )
    head, _, tail = caption.typst.partition("(")
    return f"#let drawn = [{''.join(pictures)}]\n{head}(drawn, {tail}\n\n{rest}"


def _stub(source: str) -> str:
    """The lines of a stub that tell a reader without a computer more than the text does."""
    lines = [line for line in source.splitlines() if not line.startswith("check(")]
    if all(_UNSOLVED.fullmatch(line.strip()) for line in lines):
        return ""
    return code("\n".join(lines).strip("\n"), "python") + "\n\n"


def _stills(cell: NotebookNode, pictures: Pictures) -> list[str]:
    """The stored images of the labs that a cell creates. A cell that only shows a lab has none: its image is in an
    earlier cell."""
    made = [getattr(labs, name)() for name in lab_cells.created(cell.source).values() if hasattr(labs, name)]
    return [pictures.drawing(lab.still()) for lab in made]


def _output(output: NotebookNode, pictures: Pictures, where: str) -> Output:
    if output.output_type == "stream":
        return Output(html_output.printed(output.text))
    if output.output_type == "error":
        return Output(html_output.printed(f"{output.ename}: {output.evalue}"))
    data = output.data
    if "image/svg+xml" in data:
        return Output(pictures.drawing(data["image/svg+xml"], str(data.get("text/plain", ""))), True)
    page = data.get("text/html", "")
    if "<img" in page:
        return Output(pictures.in_page(page, where), True)
    if page:
        return Output(html_output.typst(page, where))
    return Output(html_output.printed(str(data.get("text/plain", ""))))
