"""The labs' JavaScript: modules in ``js/``, read one by one by node and joined into one for a browser."""

import json
import re
from importlib.resources import files

from fairfl_book.translation.sentences import catalogue, current

FOLDER = files("fairfl_book.labs") / "js"
_SAID = re.compile(r'\btr\(\s*("(?:[^"\\\n]|\\.)*")')
_IMPORT = re.compile(r'^import [^;]* from "\./(\w+)\.js";\n', re.MULTILINE)


def read(name: str) -> str:
    """The text of one file of ``js/``."""
    return (FOLDER / name).read_text(encoding="utf-8")


def bundle(view: str) -> str:
    """The frame, the module ``view`` and all that they import as one module that imports nothing: browsers refuse imports of pages
    from disk. It speaks the current language, as far as that is translated.

    Its default export is what anywidget expects, ``{ render({ model, el }) }``.
    """
    modules = [_alone(read(f"{name}.js")) for name in _in_order("lab_frame", view)]
    known = catalogue(current())
    told = {english: known[english] for english in sentences(view) if english in known}
    spoken = [f"Object.assign(SAYS, {json.dumps(told, ensure_ascii=False)});\n"] if told else []
    return "\n".join(
        [modules[0], *spoken, *modules[1:], "export default { render: ({ model, el }) => mount(el, model, view) };\n"]
    )


def _in_order(*wanted: str) -> list[str]:
    """The modules ``wanted`` and what they import, each after those that it uses. The imports may not go round in a circle."""
    found = ["i18n"]  # first, so that the language is known before a view is read

    def visit(name):
        if name not in found:
            for used in _IMPORT.findall(read(f"{name}.js")):
                visit(used)
            found.append(name)

    for name in wanted:
        visit(name)
    return found


def sentences(*views: str) -> list[str]:
    """What the modules of ``views`` say through ``tr``, in English."""
    texts = [read(f"{name}.js") for name in _in_order("lab_frame", *views)]
    return list(dict.fromkeys(json.loads(said) for text in texts for said in _SAID.findall(text)))


def translated(view: str) -> bool:
    """Whether the module ``view`` says something through ``tr``, and all of it is known in the current language."""
    own = [json.loads(said) for said in _SAID.findall(read(f"{view}.js"))]
    return bool(own) and set(own) <= set(catalogue(current()))


def _alone(module: str) -> str:
    """A module's text without its imports, which stand before it, and without the word export."""
    return re.sub(r"^export ", "", _IMPORT.sub("", module), flags=re.MULTILINE)
