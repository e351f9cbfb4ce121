"""Download KaTeX, the site's typefaces, MiniSearch and one file of MathJax, check them, and keep them in a folder that git ignores.

The download uses the standard library. pooch would hash only the archive and not the files taken from it, and it goes
through requests, which ignores certificates that only the system (SSL_CERT_FILE) knows.
"""

import base64
import hashlib
import io
import tarfile
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fairfl import _atomic_files
from fairfl.errors import Refused


@dataclass(frozen=True)
class Package:
    """One version of a package in the npm registry. ``integrity``: the SHA-512 of its archive in base64, as in the
    registry. ``files``: path in the archive → (local name, SHA-256)."""

    name: str
    version: str
    integrity: str
    files: dict[str, tuple[str, str]]

    @property
    def address(self) -> str:
        return f"https://registry.npmjs.org/{self.name}/-/{self.name.rpartition('/')[2]}-{self.version}.tgz"


# The fonts that the book's formulas use. If one is missing, the browser reports a failed request, and a test of the
# site fails.
_FONTS = {
    "AMS-Regular": "0cdd387c9590a1a9f9794560022dbb59654a7d86f187aa0c81495ad42d3a7308",
    "Caligraphic-Regular": "5d53e70ad607c2352162dec9e0923fb54ecdafaccbf604cd8dcf7d00facb989b",
    "Main-Bold": "0f60d1b897938ec918c8ce073092411baf9438f6739465693ff18b0f9d20b021",
    "Main-Italic": "97479ca6cce906abc961ecac96faa5f9ca2e61b8e7670d475826bcdee9a7c267",
    "Main-Regular": "c2342cd8b869e01752a9321dc17213fc40d4d04c79688c1d43f2cf316abd7866",
    "Math-BoldItalic": "dc47344dbb6cb5b655c8460d561f4df5f501b90c804ad3c6cec65fe322351ab1",
    "Math-Italic": "7af58c5ec8f132a2ddde9027c6d7814decce4d3b822a11192a42a20e2e973264",
    "Size1-Regular": "6b47c40166b6dbe21a5dfca7718413f2147fd2399be1ba605d8ad39cedf25dfe",
    "Size2-Regular": "d04c54219f9eaec6d4d4fd42dfb28785975a4794d6b2fc71e566b9cd6db842dd",
    "Size3-Regular": "73d591271b1604960cb10bb90fee021670af7297017e0e98480b332d11f51995",
    "Size4-Regular": "a4af7d414440a1c1790825cfb700cf9cf43b0f2c4b04f0ebc523011ad9853ec0",
    "Typewriter-Regular": "71d517d67827787cfabdf186914cc3358eda539e37931941f2b2fd4a21f68c0b",
}

# The site's typefaces, Source Serif for text and Source Sans for headings and menus: the letters that the book uses, in all
# weights, and the packages' own style sheets, whose other alphabets a browser asks for only if a page has them.
_TYPEFACES = {
    "source-serif-4": (
        "5.3.1",
        "4Rtay22SC4lMvw11r/+9kxANB6P3M0X8s1NudBC2v0J1KU2y3DcMoNcT3lBoZ/CqLirzf+StlO6UlJilyrvaUg==",
        {
            "LICENSE": "18aabf190848725e2576eefb5c29ba06aac1029d02132252a7f312eac2e50cf3",
            "wght.css": "7aa0d72948ad126191104431e4d3fb8e697d4c59604ea22139a0140945b16cad",
            "wght-italic.css": "3b3c07da0e50b15c9cebd5a3ea9b72c9c7b185310a14344f9bb36d88a5b34d80",
            "files/source-serif-4-latin-wght-normal.woff2": "382475f38242c52d42a3e5ff8dc69b5d73f10d0d21e4550b5fe232984688779a",
            "files/source-serif-4-latin-wght-italic.woff2": "b4f56ddc9873487f1c9a3ad5bbce31982fe89b951f57e4604f62b4c8a540fb19",
            "files/source-serif-4-latin-ext-wght-normal.woff2": "d10ccbbd0dc4ebae2938958dc1f622a53460fe297e9c958564742dd684309c3f",
            "files/source-serif-4-latin-ext-wght-italic.woff2": "14e38c2d6a4ea6effcddde38f0262c03af252cbf82dbc68037f2d6c9112f2097",
            "files/source-serif-4-greek-wght-normal.woff2": "54c4728aa0fd97d59b89b6d89b230065794b4c088c55efe71abc9ce882cfa853",
            "files/source-serif-4-greek-wght-italic.woff2": "faf378c4d30f3c6b0e0f70df1d1981d29c984753ecf9ce149c7bb2ef27cd56b7",
        },
    ),
    "source-sans-3": (
        "5.3.1",
        "u0p5Z/PM2e1uxYOMiodLM6NVzxHwULcB6Oi7QSr2WU/sdoLBFP/BeOZ3YYHeJ6rHsjPZA1nZweZVaV7sf2MAyQ==",
        {
            "LICENSE": "18aabf190848725e2576eefb5c29ba06aac1029d02132252a7f312eac2e50cf3",
            "wght.css": "c45a11fd4cd673a724faf6293aaf45b6d0ee0f51840632610caf8fa2abc10259",
            "wght-italic.css": "e9126d44cee0c0dff53cc9f052c4c4d28bdafdd40277fab62b7ef50f54f9c25d",
            "files/source-sans-3-latin-wght-normal.woff2": "19143dca075972bc84e3fd9eab7416dd40cc565dccb2435a044bdfabe060c7d5",
            "files/source-sans-3-latin-wght-italic.woff2": "5fbc14d56cea35e60596c72ca969b349443c6a536f74e11748eed8b3a396e61d",
            "files/source-sans-3-latin-ext-wght-normal.woff2": "a85a7459bdb3cdc1136751e151a506bae653fc29ada3ca86237477df6f1b59e6",
            "files/source-sans-3-latin-ext-wght-italic.woff2": "6fe10a66ec416f77a26309b645471d032ad8175063bb605b886e9b7e57efaaa8",
            "files/source-sans-3-greek-wght-normal.woff2": "dd6ec3878cf37dc8b864562acf1a37bd8c9e0ca638d7f75a7cd6b6f7ae16cf3d",
            "files/source-sans-3-greek-wght-italic.woff2": "7ebcf40b8c0e5576c16546bd3e94a3fd7f5f0a410c268af74e9cbcf444f32cf8",
        },
    ),
}

# KaTeX typesets formulas on the site. With fonts it is a fifth of MathJax's size, and six hundred formulas appear at
# once.
# MiniSearch ranks what the search finds. It is one script, so it runs from disk as well.
# MathJax's tex-svg-full holds every TeX extension (nothing is loaded later) and draws formulas as SVG (no fonts), for paper.
PACKAGES = (
    Package(
        "katex",
        "0.16.22",
        "XCHRdUw4lf3SKBaJe4EvgqIuWwkPSo9XoeO8GjQW94Bp7TWv9hNhzZjZ+OH9yf1UmLygb7DIT5GSFQiyt16zYg==",
        {
            "package/dist/katex.min.js": (
                "katex.min.js",
                "e8d885505949f3a5f4abdd5dd0d53696bd1371ad26ffbf4f310dcd77c8cdae89",
            ),
            "package/dist/katex.min.css": (
                "katex.min.css",
                "19095127357ed6d29fe0a63a6b000c913a89f7f1963b765dd3715e97c9852e75",
            ),
            "package/LICENSE": (
                "LICENSE-katex.txt",
                "766ccc1f306c885aa45542a9846bbd0a505b27a0374f146778171c2254ce18e3",
            ),
            **{
                f"package/dist/fonts/KaTeX_{font}.woff2": (f"fonts/KaTeX_{font}.woff2", digest)
                for font, digest in _FONTS.items()
            },
        },
    ),
    *(
        Package(
            f"@fontsource-variable/{typeface}",
            version,
            integrity,
            {f"package/{file}": (f"{typeface}/{file}", digest) for file, digest in files.items()},
        )
        for typeface, (version, integrity, files) in _TYPEFACES.items()
    ),
    Package(
        "minisearch",
        "7.2.0",
        "dqT2XBYUOZOiC5t2HRnwADjhNS2cecp9u+TJRiJ1Qp/f5qjkeT5APcGPjHw+bz89Ms8Jp+cG4AlE+QZ/QnDglg==",
        {
            "package/dist/umd/index.js": (
                "minisearch.js",
                "03c27931eb603af1d3358579e9885eafdb6a2f5fa9929557b3e77d7e99d06d03",
            ),
            "package/LICENSE.txt": (
                "LICENSE-minisearch.txt",
                "70d37354d6395629fb99edb28cb37a5d356ffa24a48cd02a5def5b83a300a899",
            ),
        },
    ),
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

STYLES = tuple(f"{typeface}/{style}.css" for typeface in _TYPEFACES for style in ("wght", "wght-italic"))


def missing(folder: Path) -> list[Package]:
    """The packages with a file that is missing from ``folder`` or differs from the pinned one."""
    return [
        package
        for package in PACKAGES
        if not all(_sound(folder / name, digest) for name, digest in package.files.values())
    ]


def _sound(path: Path, digest: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def fetch(folder: Path, download: Callable[[str], bytes] | None = None) -> list[str]:
    """Download what is missing from ``folder``, and return the downloaded packages (an empty list if nothing was
    missing).

    ``download(address) → bytes``: by default, a network request. Raises ``ValueError`` if the network fails or the
    archive is not the pinned one.
    """
    fetched = []
    for package in missing(folder):
        files = unpack(package, (download or _download)(package.address))
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            _atomic_files.write(folder / name, content)
        fetched.append(f"{package.name} {package.version}")
    return fetched


def unpack(package: Package, archive: bytes) -> dict[str, bytes]:
    """Extract a package's files from its archive, by local name. Raises ``ValueError`` if the archive is not the pinned
    one."""
    found = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != package.integrity:
        raise Refused(
            f"{package.address} is not the pinned archive: its SHA-512 is {found[:16]}…, expected "
            f"{package.integrity[:16]}…. Try again. If it still differs, do not use it, and compare it with the registry's page.",
            "file",
        )
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {name: tar.extractfile(path).read() for path, (name, _) in package.files.items()}


def _download(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read()
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise Refused(
            f"{address} could not be downloaded ({error}). The site needs it once, for its formulas, typefaces and search. "
            "Connect to a network and repeat, or build without them: python -m fairfl_book.site --no-vendor.",
            "missing",
        ) from error
