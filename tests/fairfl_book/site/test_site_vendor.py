import base64
import hashlib
import io
import re
import tarfile

import pytest
from fairfl_book.site import third_party, typefaces
from refusals import refused


def archive(content):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        entry = tarfile.TarInfo("package/a.js")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def package(monkeypatch):
    packed = archive(b"good")
    pinned = third_party.Package(
        "thing",
        "1.0",
        base64.b64encode(hashlib.sha512(packed).digest()).decode(),
        {"package/a.js": ("a.js", hashlib.sha256(b"good").hexdigest())},
    )
    monkeypatch.setattr(third_party, "PACKAGES", (pinned,))
    return packed


def test_what_is_cached_is_not_fetched_again(package, tmp_path):
    asked = []
    download = lambda address: asked.append(address) or package
    assert third_party.fetch(tmp_path, download) == ["thing 1.0"] and third_party.fetch(tmp_path, download) == []
    assert asked == ["https://registry.npmjs.org/thing/-/thing-1.0.tgz"] and (tmp_path / "a.js").read_bytes() == b"good"


def test_a_scoped_package_has_its_address_and_the_typefaces_their_licences():
    addresses = {package.name: package.address for package in third_party.PACKAGES}
    serif = "@fontsource-variable/source-serif-4"
    assert re.fullmatch(rf"https://registry\.npmjs\.org/{serif}/-/source-serif-4-[\d.]+\.tgz", addresses[serif])
    kept = {name for package in third_party.PACKAGES for name, _ in package.files.values()}
    assert set(third_party.STYLES) <= kept and all(
        f"{style.partition('/')[0]}/LICENSE" in kept for style in third_party.STYLES
    )


def test_a_spoilt_file_is_fetched_anew(package, tmp_path):
    (tmp_path / "a.js").write_bytes(b"spoilt")
    assert third_party.fetch(tmp_path, lambda address: package) == ["thing 1.0"]
    assert (tmp_path / "a.js").read_bytes() == b"good"


def test_another_archive_is_refused_and_nothing_is_written(package, tmp_path):
    with refused("file", "thing-1.0.tgz", "SHA-512"):
        third_party.fetch(tmp_path, lambda address: archive(b"evil"))
    assert list(tmp_path.iterdir()) == []


def test_without_a_network_the_remedy_is_named(package, tmp_path, monkeypatch):
    def offline(*_, **__):
        raise third_party.urllib.error.URLError("no route")

    monkeypatch.setattr(third_party.urllib.request, "urlopen", offline)
    with refused("missing", "thing-1.0.tgz", "--no-vendor"):
        third_party.fetch(tmp_path)


def test_a_style_sheet_asks_for_no_font_that_is_not_there(tmp_path):
    faces = "@font-face { src: url(./files/there.woff2); }\n@font-face { src: url(./files/absent.woff2); }"
    for style in third_party.STYLES:
        (tmp_path / style).parent.mkdir(exist_ok=True)
        (tmp_path / style).write_text(faces, encoding="utf-8")
        (tmp_path / style).with_name("files").mkdir(exist_ok=True)
        ((tmp_path / style).with_name("files") / "there.woff2").touch()
    typefaces.drop_absent(tmp_path)
    for style in third_party.STYLES:
        kept = (tmp_path / style).read_text(encoding="utf-8")
        assert "there.woff2" in kept and "absent" not in kept
