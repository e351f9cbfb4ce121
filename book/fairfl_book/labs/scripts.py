"""The labs' JavaScript: modules in ``js/``, read one by one by node and joined into one for a browser."""

import re
from importlib.resources import files

FOLDER = files("fairfl_book.labs") / "js"
_IMPORT = re.compile(r'^import .* from "\./(\w+)\.js";\n', re.MULTILINE)


def read(name: str) -> str:
    """The text of one file of ``js/``."""
    return (FOLDER / name).read_text(encoding="utf-8")


def bundle(view: str) -> str:
    """The frame, the module ``view`` and all that they import as one module that imports nothing: browsers refuse imports of pages
    from disk.

    Its default export is what anywidget expects, ``{ render({ model, el }) }``.
    """
    modules = [_alone(read(f"{name}.js")) for name in _in_order("frame", view)]
    return "\n".join([*modules, "export default { render: ({ model, el }) => mount(el, model, view) };\n"])


def _in_order(*wanted: str) -> list[str]:
    """The modules ``wanted`` and what they import, each after those that it uses. The imports may not go round in a circle."""
    found: list[str] = []

    def visit(name):
        if name not in found:
            for used in _IMPORT.findall(read(f"{name}.js")):
                visit(used)
            found.append(name)

    for name in wanted:
        visit(name)
    return found


def _alone(module: str) -> str:
    """A module's text without its imports, which stand before it, and without the word export."""
    return re.sub(r"^export ", "", _IMPORT.sub("", module), flags=re.MULTILINE)
