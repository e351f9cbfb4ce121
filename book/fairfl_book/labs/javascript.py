"""The labs' JavaScript: modules in ``js/``, which node runs as they are, and which are bundled into one for
browsers."""

import json
import re
from importlib.resources import files

from fairfl_book.translation.sentences import catalogue, current

FOLDER = files("fairfl_book.labs") / "js"
# These match prettier's formatting: imports and calls of tr may span several lines.
_SENTENCE = re.compile(r'\btr\(\s*("(?:[^"\\\n]|\\.)*")')
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)


def read(name: str) -> str:
    """The text of one file in ``js/``."""
    return (FOLDER / name).read_text(encoding="utf-8")


def bundle(view: str) -> str:
    """Join ``lab.js``, the module ``view`` and everything they import into one module without imports.

    Browsers block imports on pages opened from disk. Sentences are in the current language if they are translated. The
    default export is what anywidget expects, ``{ render({ model, el }) }``.
    """
    modules = [_inlined(read(f"{name}.js")) for name in _in_order("lab", view)]
    known = catalogue(current())
    translated = {english: known[english] for english in sentences(view) if english in known}
    fill = [f"Object.assign(TRANSLATIONS, {json.dumps(translated, ensure_ascii=False)});\n"] if translated else []
    return "\n".join(
        [modules[0], *fill, *modules[1:], "export default { render: ({ model, el }) => mount(el, model, view) };\n"]
    )


def _in_order(*wanted: str) -> list[str]:
    """The modules ``wanted`` and their imports, each after the modules that it imports. Imports must not be
    circular."""
    found = ["i18n"]  # first, because views translate sentences when they are loaded

    def visit(name):
        if name not in found:
            for used in _IMPORT.findall(read(f"{name}.js")):
                visit(used)
            found.append(name)

    for name in wanted:
        visit(name)
    return found


def sentences(*views: str) -> list[str]:
    """The English sentences that the modules of ``views`` pass to ``tr``."""
    texts = [read(f"{name}.js") for name in _in_order("lab", *views)]
    return list(dict.fromkeys(json.loads(sentence) for text in texts for sentence in _SENTENCE.findall(text)))


def translated(view: str) -> bool:
    """Whether the module ``view`` calls ``tr``, and the current language has a translation of every sentence that it
    passes."""
    own = [json.loads(sentence) for sentence in _SENTENCE.findall(read(f"{view}.js"))]
    return bool(own) and set(own) <= set(catalogue(current()))


def _inlined(module: str) -> str:
    """A module's text for a bundle: without imports, the word ``export``, comments and most of the indentation."""
    text = re.sub(r"^export ", "", _COMMENT.sub("", _IMPORT.sub("", module)), flags=re.MULTILINE)
    return re.sub(r"^ +", " ", text, flags=re.MULTILINE)
