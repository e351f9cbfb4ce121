"""Without the extras: what needs none works, and what needs one says in one line which, instead of a traceback."""

import json
import os
import re
import subprocess
import sys

import pytest

from fairfl._extras import needed_by
from fairfl.errors import NotInstalled

# What a reader calls → the extra that it needs.
LIBRARY = {
    "data.load('mnist')": "data",
    "data.load('parquet', path='there.parquet')": "data",
    "data.image_decoding._pixels('there.parquet', 0, b'', None)": "data",
    "models.build('resnet18', data.load('digits'))": "data",
    "published(paper='fedfv')": "data",
    "figures.style()": "chapters",
    "figures.show(None, 'four words or more')": "chapters",
    "labs.TwoClients().widget()": "chapters",
    "labs.TwoClients().picture()": "chapters",
    "labs.Hull().widget()": "chapters",
    "labs.Hull().picture()": "chapters",
    "fairfl.deployment.flower.FairStrategy": "flower",
    "training.TensorBoard('runs')": "tensorboard",
    "fairfl.testing.parametrize_with_properties([])": "dev",
}
COMMANDS = {
    "main(['lab'])": "lab",
    "main(['chapters'])": "lab",
    "main(['check-chapters'])": "lab",
    "main(['student'])": "lab",
    "reproduce(['run', 'fedfv_table_3', '--engine', 'ray', '--runs', 'runs'])": "ray",
    "site.main(['--no-vendor'])": "book",
}
WORKS = {"train(partition.iid(data.load('digits'), 4), 'FedMGDAPlus', rounds=1)": "History", "reproduce(['run'])": "0"}
WITHOUT = """
import contextlib, io, json, sys
from fairfl._extras import BROUGHT_BY
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BROUGHT_BY:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
import fairfl.deployment.flower
from fairfl import data, models, partition, train, training
from fairfl_book import figures, labs
from fairfl_book.command import main
from reproductions.command import main as reproduce
from fairfl_book.site import __main__ as site
from reproductions.published import published
said = {}
for call in json.loads(sys.argv[1]):
    words = io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        try:
            answer = repr(eval(call))
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
    said[call] = answer, words.getvalue()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each call answers, and prints, where no extra and no dataset is installed."""
    folder = tmp_path_factory.mktemp("without")
    (folder / "there.parquet").write_bytes(b"")
    environment = {name: value for name, value in os.environ.items() if name != "FAIRFL_DATA"} | {
        "FAIRFL_CACHE": str(folder / "cache")
    }
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps([*LIBRARY, *COMMANDS, *WORKS])],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert not (folder / "work").exists()
    return json.loads(done.stdout)


@pytest.mark.parametrize("call", LIBRARY)
def test_a_call_says_what_to_install(said, call):
    assert re.fullmatch(
        rf'NotInstalled: .+ needs \w+, which is not installed here; pip install "fairfl\[{LIBRARY[call]}\]"',
        said[call][0],
    )


@pytest.mark.parametrize("call", COMMANDS)
def test_a_command_says_what_to_install_in_one_line(said, call):
    status, printed = said[call]
    assert status == "2"
    assert re.fullmatch(
        rf'fairfl: .+ needs \w+, which is not installed here; pip install "fairfl\[{COMMANDS[call]}\]"\n', printed
    )


@pytest.mark.parametrize("call", WORKS)
def test_what_needs_no_extra_works(said, call):
    assert said[call][0].startswith(WORKS[call])


def test_other_failures_pass_through():
    with pytest.raises(ModuleNotFoundError, match="No module named 'nothing_of_ours'"), needed_by("this"):
        import nothing_of_ours  # noqa: F401
    with pytest.raises(ImportError, match="cannot import name") as broken, needed_by("this"):
        from json import nothing_there  # noqa: F401
    assert not isinstance(broken.value, NotInstalled)


def test_the_public_names_of_flower_are_shown_without_importing_flower():
    script = (
        "import sys, pydoc, importlib.util\n"
        "import fairfl.deployment.flower as f\n"
        "names = ('FairStrategy', 'client_app', 'server_app')\n"
        "assert all(name in f.__doc__ for name in names)\n"
        "there = importlib.util.find_spec('flwr') is not None\n"
        "assert there == (set(names) <= set(dir(f)))\n"
        "assert 'flwr' not in sys.modules\n"
        "text = pydoc.render_doc(f, renderer=pydoc.plaintext)\n"
        "assert all(name in text for name in names)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
