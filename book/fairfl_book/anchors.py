"""The address of a section: as a notebook's readers have it in JupyterLab, which chapters write, and as a web page has it."""

import re

HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_FRAGMENT = re.compile(r"(\]\((?!\w+://)[^()\s#]*#)([^()\s]+)(?=\))")


def of(heading: str) -> str:
    """The fragment of a link to ``heading`` in a notebook: JupyterLab and GitHub's preview put hyphens for spaces and change nothing else."""
    return heading.replace(" ", "-")


def on_a_page(fragment: str) -> str:
    """The fragment of the same section on the site: small letters, no other marks."""
    return re.sub(r"[^\w-]", "", fragment.lower())


def for_pages(markdown: str) -> str:
    """A chapter's Markdown with its links to sections as the site has them."""
    return _FRAGMENT.sub(lambda link: link[1] + on_a_page(link[2]), markdown)
