"""The pages "How do I …": one for each script of ``examples/how_to``, made from the script itself.

A script begins with a docstring in Markdown: the question on its first line, then the answer. The list of all questions
is ``examples/README.md``, which is also the index on the site.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import fairfl

FOLDER = "how_to"


@dataclass(frozen=True)
class Script:
    """One script. ``name``: of its file, without the suffix. ``question`` and ``answer``: its docstring. ``code``: what
    follows. ``names``: the public names of the packages that it uses, with their modules.
    """

    name: str
    question: str
    answer: str
    code: str
    names: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> "Script":
        """The script at ``path``. Raises ``ValueError`` if its docstring has no question or no answer."""
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        question, _, answer = (ast.get_docstring(tree) or "").partition("\n\n")
        if not (question.startswith("How do I ") and question.endswith("?") and "\n" not in question and answer):
            raise ValueError(f"{path} has no docstring with a line 'How do I …?' and, below an empty line, the answer")
        code = "\n".join(source.splitlines()[tree.body[0].end_lineno or 0 :]).strip()
        return cls(path.stem, question, answer, code, tuple(_used(tree)))

    @property
    def page(self) -> str:
        """The page in MyST."""
        reference = ", ".join(f"{{py:obj}}`{name}`" for name in self.names)
        return (
            f"# {self.question}\n\n{self.answer}\n\n```python\n{self.code}\n```\n\n"
            f"In a clone of the repository: `python examples/{FOLDER}/{self.name}.py`. In the reference: {reference}.\n"
        )


def scripts(root: Path) -> list[Script]:
    """The scripts of the repository at ``root``, by name."""
    return [Script.read(path) for path in sorted((root / "examples" / FOLDER).glob("*.py"))]


def index(root: Path) -> str:
    """The index in MyST: ``examples/README.md``, with links to pages, and the order of the pages."""
    text = (root / "examples" / "README.md").read_text(encoding="utf-8")
    listed = [f"{what} <{name}>" for what, name in re.findall(rf"\[(.+)\]\({FOLDER}/(\w+)\.py\)", text)]
    text = re.sub(rf"\]\({FOLDER}/(\w+)\.py\)", r"](\1.md)", text)
    return "\n".join([text, "```{toctree}", ":hidden:", "", *listed, "```", ""])


def _used(tree: ast.Module) -> list[str]:
    """The public names of the packages that a script uses, in their order, as the reference calls them."""
    found, modules = [], {"fairfl": "fairfl", "reproductions": "reproductions"}
    for line in tree.body:
        if isinstance(line, ast.ImportFrom) and (line.module or "").partition(".")[0] == "fairfl":
            for name in (alias.name for alias in line.names):
                if line.module == "fairfl" and name not in fairfl._DEFINED_IN:
                    modules[name] = f"fairfl.{name}"
                else:
                    found.append(_documented(line.module or "", name))
    for part in ast.walk(tree):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in modules:
            found.append(_documented(modules[part.value.id], part.attr))
    return list(dict.fromkeys(found))


def _documented(module: str, name: str) -> str:
    """The name with the module on whose page of the reference it is."""
    return f"fairfl.{fairfl._DEFINED_IN[name]}.{name}" if module == "fairfl" else f"{module}.{name}"
