"""The checker of links and pictures finds what it looks for."""

import site_links


def test_each_kind_of_break_is_named(tmp_path):
    (tmp_path / "other.html").write_text('<h2 id="here">x</h2>', encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "page.html").write_text(
        '<a href="other.html#here">good</a><a href="other.html#there">no place</a><a href="gone.html">no file</a><a href="#top">none</a>'
        '<a href="https://example.org/x">elsewhere</a><img src="other.html" alt=" "><img src="other.html" alt="a picture">'
        '<script src="https://example.org/x.js"></script><a href="https://nowhere">bad</a><a href="folder/">a folder</a>',
        encoding="utf-8",
    )
    found = list(site_links.problems(tmp_path))
    assert found == [
        "page.html: a picture without alternative text: other.html",
        "page.html: #top leads to no place in its page",
        "page.html: folder/ leads to no file",
        "page.html: gone.html leads to no file",
        "page.html: https://nowhere is no address",
        "page.html: other.html#there leads to no place in its page",
    ]
    assert list(site_links.outside(tmp_path)) == ["https://example.org/x.js"]
