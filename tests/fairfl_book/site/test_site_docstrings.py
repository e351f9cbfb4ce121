import pytest

pytest.importorskip("sphinx", reason="the site's packages are not installed (pip install -e '.[book]')")

from fairfl_book.site import api, sphinx_extension


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("the scale |f|^γ and ``a * b``, w* and f_", "the scale \\|f\\|^γ and ``a * b``, w\\* and f\\_"),
        ("smallest_rate stays", "smallest_rate stays"),
        ("code::\n\n    a * b\n\nthen |f|", "code::\n\n    a * b\n\nthen \\|f\\|"),
        ("``two\nlines * here``", "``two\nlines * here``"),
    ],
)
def test_docstrings_are_plain_text_with_code(text, wanted):
    assert sphinx_extension.escape(text) == wanted


def test_the_rooms_are_the_packages_public_ones_in_the_order_of_the_data():
    rooms = api.rooms()
    flow = [rooms.index(f"fairfl.{name}") for name in ("data", "partition", "clients", "rules", "server", "training")]
    assert flow == sorted(flow) and rooms.index("fairfl_book.labs") > max(flow)
    assert not {"fairfl._atomic_files", "fairfl._repository", "fairfl._torchvision"} & set(rooms)
