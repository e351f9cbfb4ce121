"""Where the book stands in the world: ``book/address.toml``, the one setting from which every launch link is made.

Without that file there is no link at all, and so none that leads nowhere. It may hold::

    repository = "https://github.com/OWNER/NAME"   # where Colab, Kaggle and Codespaces find it: they open nothing but GitHub
    branch = "main"                                # a branch or a tag; left out, the edition's own tag, v1.0.0
    site = "https://OWNER.github.io/NAME"          # the published site, if there is one
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
    ``site``: the published site without a slash at its end, or "".

    Raises ``ValueError`` for what is written in another way.
    """

    repository: str
    branch: str = f"v{fairfl.__version__}"
    site: str = ""

    def __post_init__(self) -> None:
        for key in KEYS:
            if not isinstance(getattr(self, key), str):
                raise refuse(f"{key} in {FILE}", getattr(self, key), "a text", "Put it in quotation marks.")
        found = _REPOSITORY.fullmatch(self.repository)
        if not found or found[2].endswith(".git") or not found[2].strip("."):
            raise refuse(
                f"repository in {FILE}",
                self.repository,
                "https://github.com/OWNER/NAME, and nothing behind the name",
                "Take away a slash, a branch or .git at its end; Colab, Kaggle and Codespaces open nothing but GitHub.",
            )
        if not _BRANCH.fullmatch(self.branch) or ".." in self.branch or self.branch.endswith(("/", ".lock")):
            raise refuse(
                f"branch in {FILE}",
                self.branch,
                "the name of a branch or a tag",
                f"Leave it out for this edition's own tag, v{fairfl.__version__}.",
            )
        if self.site:
            _check_site(self.site)

    def notebook(self, name: str) -> str:
        """Where chapter ``name`` stands in the repository."""
        return f"{self.repository}/blob/{self._ref}/chapters/{name}.ipynb"

    def source(self, name: str) -> str:
        """Where the text that chapter ``name`` is made from stands."""
        return f"{self.repository}/blob/{self._ref}/chapters/src/{name}.md"

    def page(self, name: str) -> str:
        """The page of chapter ``name`` on the site; "" where there is no site."""
        return f"{self.site}/{name}.html" if self.site else ""

    def colab(self, name: str) -> str:
        """What opens chapter ``name`` in Google Colab."""
        return self.notebook(name).replace("https://github.com/", "https://colab.research.google.com/github/", 1)

    def kaggle(self, name: str) -> str:
        """What copies chapter ``name`` into a new Kaggle notebook."""
        return f"https://kaggle.com/kernels/welcome?src={quote(self.notebook(name), safe=':/')}"

    @property
    def codespace(self) -> str:
        """What starts a GitHub codespace, by ``.devcontainer``."""
        return self.repository.replace("https://github.com/", "https://codespaces.new/", 1) + f"/tree/{self._ref}"

    @property
    def _ref(self) -> str:
        return quote(self.branch, safe="/")


def _check_site(site: str) -> None:
    """Raises ``ValueError`` for a site's address that pages' names cannot be put behind."""
    parts = urlsplit(site)
    plain = not (parts.query or parts.fragment or re.search(r"[\s?#]", site) or site.endswith(("/", ".html")))
    if parts.scheme != "https" or not parts.netloc or not plain:
        raise refuse(
            f"site in {FILE}",
            site,
            "an https address, and nothing behind it",
            "Take away a slash, a page's name, ? or # at its end: the pages' names are put there.",
        )


def address(book: book_paths.Book | None = None) -> Address | None:
    """The address of ``book`` (default: the one around this folder); ``None`` where it has none.

    Raises ``ValueError`` for a file that cannot be read, a key that is not known and a value that no link can be made of.
    """
    path = (book or book_paths.find()).root / FILE
    if not path.exists():
        return None
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(
            f'{FILE} is not TOML: {error}. A line in it is a key, =, and a text in quotation marks: site = "https://…"'
        ) from error
    for key in given:
        if key not in KEYS:
            raise unknown(f"key in {FILE}", key, KEYS)
    if "repository" not in given:
        raise Refused(
            f"{FILE} has no repository, from which all links are made; allowed: https://github.com/OWNER/NAME. "
            "Write that line, or remove the file: without it there are no links."
        )
    return Address(**given)
