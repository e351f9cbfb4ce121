"""The book's published address, read from ``book/address.toml``. Every launch link is made from it.

Without that file the book has no launch links. It may contain::

    repository = "https://github.com/OWNER/NAME"   # opened by Colab, Kaggle and Codespaces, which support only GitHub
    branch = "main"                                # a branch or a tag (default: this edition's tag, v1.0.0)
    site = "https://OWNER.github.io/NAME"          # the published site, if any
"""

import re
import tomllib
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import fairfl
from fairfl.errors import Refused, refuse, unknown
from fairfl_book import book_paths

FILE = "book/address.toml"
KEYS = ("repository", "branch", "site")
_REPOSITORY = re.compile(r"https://github\.com/([A-Za-z0-9][A-Za-z0-9-]*)/([A-Za-z0-9._-]+)")
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


@dataclass(frozen=True)
class Address:
    """A public address. ``repository``: https://github.com/OWNER/NAME. ``branch``: the branch or tag that links open and hosts fetch.
    ``site``: the published site without a trailing slash, or "".

    Raises ``Refused`` for any other form.
    """

    repository: str
    branch: str = f"v{fairfl.__version__}"
    site: str = ""

    def __post_init__(self) -> None:
        for key in KEYS:
            if not isinstance(getattr(self, key), str):
                raise refuse(f"{key} in {FILE}", getattr(self, key), "a string", "Put it in quotation marks.", "type")
        found = _REPOSITORY.fullmatch(self.repository)
        if not found or found[2].endswith(".git") or not found[2].strip("."):
            raise refuse(
                f"repository in {FILE}",
                self.repository,
                "https://github.com/OWNER/NAME",
                "Remove a trailing slash, branch or .git. Colab, Kaggle and Codespaces support only GitHub.",
            )
        if not _BRANCH.fullmatch(self.branch) or ".." in self.branch or self.branch.endswith(("/", ".lock")):
            raise refuse(
                f"branch in {FILE}",
                self.branch,
                "the name of a branch or a tag",
                f"Leave it out to use this edition's tag, v{fairfl.__version__}.",
            )
        if self.site:
            _check_site(self.site)

    def notebook(self, name: str) -> str:
        """The notebook of chapter ``name`` in the repository."""
        return f"{self.repository}/blob/{self._ref}/chapters/{name}.ipynb"

    def source(self, name: str) -> str:
        """The source text of chapter ``name`` in the repository."""
        return f"{self.repository}/blob/{self._ref}/chapters/src/{name}.md"

    def page(self, name: str) -> str:
        """The page of chapter ``name`` on the site, or "" if there is no site."""
        return f"{self.site}/{name}.html" if self.site else ""

    def colab(self, name: str) -> str:
        """The link that opens chapter ``name`` in Google Colab."""
        return self.notebook(name).replace("https://github.com/", "https://colab.research.google.com/github/", 1)

    def kaggle(self, name: str) -> str:
        """The link that copies chapter ``name`` into a new Kaggle notebook."""
        return f"https://kaggle.com/kernels/welcome?src={quote(self.notebook(name), safe=':/')}"

    @property
    def codespace(self) -> str:
        """The link that starts a GitHub codespace from ``.devcontainer``."""
        return self.repository.replace("https://github.com/", "https://codespaces.new/", 1) + f"/tree/{self._ref}"

    @property
    def _ref(self) -> str:
        return quote(self.branch, safe="/")


def _check_site(site: str) -> None:
    """Raise ``Refused`` for an address to which page names cannot be appended."""
    parts = urlsplit(site)
    plain = not (parts.query or parts.fragment or re.search(r"[\s?#]", site) or site.endswith(("/", ".html")))
    if parts.scheme != "https" or not parts.netloc or not plain:
        raise refuse(
            f"site in {FILE}",
            site,
            "an https address without a query or fragment",
            "Remove a trailing slash, page name, ? or #, because page names are appended.",
        )


def address(book: book_paths.Book | None = None) -> Address | None:
    """The address of ``book`` (default: the enclosing repository), or ``None`` if it has none.

    Raises ``Refused`` for a file that is not TOML, an unknown key or an invalid value.
    """
    path = (book or book_paths.find()).root / FILE
    if not path.exists():
        return None
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(
            f'{FILE} is not valid TOML: {error}. Write each line as a key, = and a quoted string: site = "https://…"',
            "file",
        ) from error
    for key in given:
        if key not in KEYS:
            raise unknown(f"key in {FILE}", key, KEYS)
    if "repository" not in given:
        raise Refused(
            f"{FILE} has no key repository; allowed: https://github.com/OWNER/NAME. "
            "Add that line, or remove the file to publish without launch links.",
            "missing",
        )
    return Address(**given)
