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
