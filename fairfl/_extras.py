"""Optional packages: which extra installs each of them, and the error if one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from fairfl.errors import NotInstalled

# Module → the extra of pyproject.toml that installs it. PIL comes with torchvision; IPython and traitlets
# with ipywidgets; nbformat and nbclient with JupyterLab; yaml with Jupytext; docutils with Sphinx,
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
    "psutil": "lab",
    "sphinx": "book",
    "docutils": "book",
    "markdown_it": "book",
    "mdit_py_plugins": "book",
    "typst": "pdf",
    "pypandoc": "pdf",
    "pikepdf": "pdf",
    "playwright": "dev",
    "pytest": "dev",
    "flwr": "flower",
    "torchjd": "torchjd",
    "ray": "ray",
    "tensorboard": "tensorboard",
}


@contextmanager
def needed_by(what: str) -> Iterator[None]:
    """Inside this block, importing a missing optional package raises ``NotInstalled``, which says what to install.

    ``what``: the call or the name that the reader used, such as "fairfl_book.labs" or "fairfl-book lab". Other import
    errors, for any other module or for an optional package that is installed but broken, are not changed.
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
