"""What `import fairfl` must not do: load what only some readers need, or touch the network."""

import subprocess
import sys

WATCH = """
import sys
opened = []
sys.addaudithook(lambda event, _: event.startswith("socket.") and opened.append(event))
import fairfl
heavy = {"torchvision", "pandas", "matplotlib", "ipywidgets", "sklearn", "jupytext", "nbformat"} & set(sys.modules)
print(sorted(heavy), opened)
"""


def test_import_is_light_and_offline():
    done = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True, check=True)
    assert done.stdout == "[] []\n"


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
