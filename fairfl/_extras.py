"""Packages that only some readers need: which extra brings each, and the one line that says so where it is absent."""

from collections.abc import Iterator
from contextlib import contextmanager

# Module → the extra of pyproject.toml that brings it. PIL comes with torchvision; IPython and traitlets
# with ipywidgets; nbformat and nbclient with JupyterLab; yaml with Jupytext; docutils and pygments with Sphinx,
# markdown_it and mdit_py_plugins with MyST.
BROUGHT_BY = {
    "torchvision": "data",
    "pandas": "data",
    "pyarrow": "data",
    "PIL": "data",
    "jupyterlab": "lab",
    "jupyter_server": "lab",
    "jupyterlab_server": "lab",
    "anywidget": "chapters",
    "traitlets": "chapters",
    "matplotlib": "chapters",
    "jupytext": "lab",
    "nbformat": "lab",
    "nbclient": "lab",
    "IPython": "chapters",
    "yaml": "lab",
    "pybtex": "lab",
    "sphinx": "book",
    "docutils": "book",
    "markdown_it": "book",
    "mdit_py_plugins": "book",
    "pygments": "book",
    "playwright": "dev",
    "pypdf": "dev",
    "flwr": "flower",
    "torchjd": "torchjd",
    "ray": "ray",
}


class NotInstalled(ImportError):
    """An extra is needed that is not installed here; the message says which one and how to install it.

    ``name`` is the module.
    """


@contextmanager
def needed_by(what: str) -> Iterator[None]:
    """Inside this block, an import of an optional package that is not there ends in one line that says what to install.

    ``what`` is called or named by the reader: "fairfl_book.labs", "fairfl-book lab". Raises ``NotInstalled``; the
    absence of any other module, and an optional package that is there but broken, pass through as they are.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in BROUGHT_BY:
            raise
        raise NotInstalled(
            f'{what} needs {module}, which is not installed here; pip install "fairfl[{BROUGHT_BY[module]}]"',
            name=module,
        ) from None
