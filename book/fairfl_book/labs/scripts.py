"""The labs' JavaScript: modules in ``js/``, read one by one by node and joined into one for a browser."""

import re
from importlib.resources import files

FOLDER = files("fairfl_book.labs") / "js"
# What every lab stands on, in the order in which a module may use another.
GROUND = ("palette", "geometry", "address", "frame")


def read(name: str) -> str:
    """The text of one file of ``js/``."""
    return (FOLDER / name).read_text(encoding="utf-8")


def bundle(view: str) -> str:
    """The ground and the module ``view`` as one module that imports nothing: browsers refuse imports of pages from disk.

    Its default export is what anywidget expects, ``{ render({ model, el }) }``.
    """
    modules = [_joined(read(f"{name}.js")) for name in (*GROUND, view)]
    return "\n".join([*modules, "export default { render: ({ model, el }) => mount(el, model, view) };\n"])


def _joined(module: str) -> str:
    """A module's text without its imports, which stand before it, and without the word export."""
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", module, flags=re.MULTILINE), flags=re.MULTILINE)
