"""What the site needs from elsewhere: one file of MathJax, fetched once, checked, and kept in an ignored folder."""

import base64
import hashlib
import io
import tarfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from fairfl import atomic
from fairfl.errors import Refused


@dataclass(frozen=True)
class Package:
    """A package of the npm registry at one version. ``integrity``: SHA-512 of its archive as the registry writes it, in base 64.
    ``files``: path in the archive → (the name it gets here, its SHA-256)."""

    name: str
    version: str
    integrity: str
    files: dict[str, tuple[str, str]]

    @property
    def address(self) -> str:
        return f"https://registry.npmjs.org/{self.name}/-/{self.name}-{self.version}.tgz"


# tex-svg-full holds every TeX extension (nothing is loaded later) and draws formulas as SVG (no fonts).
PACKAGES = (
    Package(
        "mathjax",
        "3.2.2",
        "Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsjKPZGJvtRZM1vO+geW0OhGw==",
        {
            "package/es5/tex-svg-full.js": (
                "tex-svg-full.js",
                "a4354ff94fd868aea0cc6eaaa79a57fda0588646fc46ee3700a349ee0a11cbe6",
            ),
            "package/LICENSE": (
                "LICENSE-mathjax.txt",
                "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
            ),
        },
    ),
)


def missing(folder: Path) -> list[Package]:
    """The packages of which ``folder`` lacks a file, or holds one that is not the pinned one."""
    return [
        package
        for package in PACKAGES
        if not all(_sound(folder / name, digest) for name, digest in package.files.values())
    ]


def _sound(path: Path, digest: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def fetch(folder: Path, download=None) -> list[str]:
    """Put what is missing into ``folder``; returns the packages that were fetched, none if all was there.

    ``download(address) → bytes``; by default over the network. Raises ``ValueError`` if the network does not answer or
    answers with something other than what is pinned.
    """
    fetched = []
    for package in missing(folder):
        files = unpack(package, (download or _download)(package.address))
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            atomic.write(folder / name, content)
        fetched.append(f"{package.name} {package.version}")
    return fetched


def unpack(package: Package, archive: bytes) -> dict[str, bytes]:
    """The wanted files of a package's archive by the names they get here. Raises ``ValueError`` if it is not the pinned one."""
    found = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != package.integrity:
        raise Refused(
            f"{package.address} is not the archive that is pinned: its SHA-512 is {found[:16]}…, expected "
            f"{package.integrity[:16]}…. Try again; if it stays so, do not use it, and compare with the registry's page."
        )
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {name: tar.extractfile(path).read() for path, (name, _) in package.files.items()}


def _download(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read()
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise Refused(
            f"{address} could not be fetched ({error}). The site needs it once, for its formulas; connect to a "
            "network and repeat, or build without formulas: python -m fairfl_book.site --no-vendor."
        ) from error
