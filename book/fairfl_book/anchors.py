"""Links to sections: the form that JupyterLab uses, which the chapters write, and the form that the site uses."""

import re

HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_FRAGMENT = re.compile(r"(\]\((?!\w+://)[^()\s#]*#)([^()\s]+)(?=\))")


def of(heading: str) -> str:
    """The fragment of a link to ``heading`` in a notebook. JupyterLab and GitHub's preview replace spaces by hyphens and change nothing else."""
    return heading.replace(" ", "-")


def on_a_page(fragment: str) -> str:
    """The fragment of the same section on the site: lower case, without punctuation."""
    return re.sub(r"[^\w-]", "", fragment.lower())


def for_pages(markdown: str) -> str:
    """A chapter's Markdown with its links to sections in the site's form."""
    return _FRAGMENT.sub(lambda link: link[1] + on_a_page(link[2]), markdown)
