"""What `import fairfl` must not do: load what only some readers need, or touch the network."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import fairfl

WATCH = """
import sys
from pathlib import Path

import fairfl
opened = []
sys.addaudithook(lambda event, _: event.startswith("socket.") and opened.append(event))
from fairfl import *
heavy = {"torchvision", "pandas", "matplotlib", "ipywidgets", "sklearn", "jupytext", "nbformat"} & set(sys.modules)
print(sorted(heavy), opened)
"""


def test_import_is_light_and_offline():
    done = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True, check=True)
    assert done.stdout == "[] []\n"


HELP = "import sys, runpy; sys.argv = ['{0}', *{1}]; runpy.run_module('{0}', run_name='__main__')"


@pytest.mark.parametrize(
    "code",
    [
        "import fairfl, fairfl.errors, fairfl._atomic_files, fairfl._repository, fairfl._randomness",
        "import fairfl_book.toy",
        "from fairfl_book.labs import TwoClients; TwoClients().numbers()",
        "from fairfl_book.exercises import claim; claim('zero is zero', lambda rng: 0.0)",
        HELP.format("fairfl_book", ["--help"]),
        *(HELP.format("fairfl_book", [name, "--help"]) for name in ("lab", "mark", "check-chapters", "release")),
        HELP.format("reproductions", ["--help"]),
        *(HELP.format("reproductions", [name, "--help"]) for name in ("run", "tables", "report", "claims")),
    ],
)
def test_no_pytorch_is_loaded_before_something_computes_with_it(code):
    watch = (
        "import contextlib, io, sys\nwith contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    exec({code!r}, {{}})\nprint('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", watch], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_public_name_is_there_on_first_access_and_an_unknown_one_is_not():
    watch = (
        "import fairfl\nfor name in [*fairfl.__all__, 'federation', 'training', 'updates']:\n    getattr(fairfl, name)\n"
        "assert fairfl.train is fairfl.training.train and fairfl.Rule is fairfl.rules.Rule\n"
        "print(hasattr(fairfl, 'trian'))"
    )
    done = subprocess.run([sys.executable, "-c", watch], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_what_a_user_needs_is_in_sight_and_nothing_else():
    import fairfl

    assert dir(fairfl) == sorted(fairfl.__all__) and {"attacks", "errors", "metrics", "rules", "train"} <= set(
        dir(fairfl)
    )


def test_the_package_never_imports_what_is_built_on_it():
    watch = (
        "import sys, pkgutil, importlib, fairfl\nfor found in pkgutil.walk_packages(fairfl.__path__, 'fairfl.'):\n"
        "    try:\n        importlib.import_module(found.name)\n    except ImportError as error:\n        assert 'fairfl' not in str(error.name), error\n"
        "print({name.partition('.')[0] for name in sys.modules} & {'fairfl_book', 'reproductions', 'post_offices'})"
    )
    done = subprocess.run([sys.executable, "-c", watch], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_no_module_imports_one_that_imports_it_types_included():
    """Found in the source, so that imports inside functions and ``if TYPE_CHECKING`` count as well."""
    root = Path(fairfl.__file__).parent
    files = {".".join(p.relative_to(root.parent).with_suffix("").parts): p for p in root.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): path for name, path in files.items()}

    def imports(name, path):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "fairfl":
                for alias in node.names:
                    submodule = f"{node.module}.{alias.name}"
                    # A room's __init__ is no part of a circle: it only offers what its files define.
                    yield submodule if submodule in modules else node.module

    graph = {name: set(imports(name, path)) - {name} for name, path in modules.items()}
    sorter = graphlib.TopologicalSorter(
        {name: {m for m in found if modules[m].name != "__init__.py"} for name, found in graph.items()}
    )
    assert len(list(sorter.static_order())) == len(modules)  # raises CycleError, which names the circle

    room = lambda name: ".".join(name.split(".")[:2])
    rooms: dict[str, set[str]] = {}
    for name, found in graph.items():
        rooms.setdefault(room(name), set()).update({room(m) for m in found} - {room(name), "fairfl"})
    order = list(graphlib.TopologicalSorter({n: found for n, found in rooms.items() if n != "fairfl"}).static_order())
    assert order.index("fairfl.rules") < order.index("fairfl.training") < order.index("fairfl.deployment")
    assert not rooms["fairfl.errors"]
    assert [name for name, found in rooms.items() if "fairfl.testing" in found] == ["fairfl"]


def test_whoever_lists_the_package_sees_terms_of_the_field():
    names = {p.stem for p in Path(fairfl.__file__).parent.iterdir() if p.name[0] not in "_." and p.name != "py.typed"}
    assert names == {
        *("attacks", "clients", "data", "deployment", "errors", "federation", "metrics", "models", "partition"),
        *("rules", "testing", "training", "updates"),
    }
