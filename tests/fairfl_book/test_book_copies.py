"""The reader's copies: an answer is never lost, and what holds none is kept fresh."""

import json

import nbformat
import pytest
from fairfl_book.reading import copies, copy_extras
from jupyter_client import kernelspec
from nbformat.sign import NotebookNotary
from refusals import refused

COPY, NEWER = "01_ferries.ipynb", "01_ferries.newer.ipynb"


def notebook(*sources, outputs=(), count=None):
    cells = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "source": source,
            "outputs": list(outputs),
            "execution_count": count,
        }
        for n, source in enumerate(sources)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def desk(tmp_path):
    """A chapter with one stub, and the folder of copies after the first start."""
    return Desk(tmp_path)


class Desk:
    def __init__(self, folder):
        self.chapters, self.work = folder / "chapters", folder / "work"
        self.chapters.mkdir()
        self.publish("answer = ...")
        assert self.prepare().created == [COPY]

    def publish(self, *sources, **rest):
        (self.chapters / COPY).write_text(notebook(*sources, **rest))

    def save(self, *sources, name=COPY, **rest):
        (self.work / name).write_text(notebook(*sources, **rest))

    def prepare(self):
        return copies.prepare(self.chapters, self.work)

    def sources(self, name=COPY):
        """What a copy says between its links."""
        return [cell["source"] for cell in self.cells(name) if cell["metadata"].get("tags") != [copy_extras.NAVIGATION]]

    def cells(self, name=COPY):
        return json.loads((self.work / name).read_text())["cells"]

    def bytes(self, name=COPY):
        return (self.work / name).read_bytes()

    def files(self):
        return sorted(path.name for path in self.work.iterdir())


def test_a_copy_is_the_chapter_between_links(desk):
    first, *cells, last = desk.cells()
    assert cells == json.loads((desk.chapters / COPY).read_text())["cells"]
    assert first["source"] == last["source"] == f"[The map]({copy_extras.COVER})"
    assert first["metadata"] == last["metadata"] == {"tags": ["navigation"]} and first["id"] != last["id"]


def test_links_lead_to_the_neighbours_and_the_map(desk):
    (desk.chapters / "00_start.ipynb").write_text(notebook("start"))
    titled = {**json.loads(notebook("boats")), "metadata": {"fairfl": {"title": "2. Boats"}}}
    (desk.chapters / "02_boats.ipynb").write_text(json.dumps(titled))
    assert desk.prepare().refreshed == [COPY]  # the links of the chapter between them are new
    map_ = f"[The map]({copy_extras.COVER})"
    before, after = "[← 00_start](00_start.ipynb)", "[2. Boats →](02_boats.ipynb)"
    assert desk.cells()[0]["source"] == f"{before} · {map_} · {after}"
    assert desk.cells("00_start.ipynb")[-1]["source"] == f"{map_} · [01_ferries →](01_ferries.ipynb)"
    assert desk.cells("02_boats.ipynb")[-1]["source"] == f"[← 01_ferries](01_ferries.ipynb) · {map_}"


def test_new_links_do_not_make_an_answered_chapter_newer(desk):
    desk.save("answer = 42")
    before = desk.bytes()
    (desk.chapters / "02_boats.ipynb").write_text(notebook("boats"))
    report = desk.prepare()
    assert report.created == ["02_boats.ipynb"] and not report.newer and desk.bytes() == before


def test_a_kernel_finds_its_own_name_in_a_copy(desk):
    """Otherwise JupyterLab changes the metadata on opening, and asks on closing."""
    from ipykernel.ipkernel import IPythonKernel

    metadata = json.loads(desk.bytes())["metadata"]
    assert metadata["language_info"] == {**IPythonKernel.language_info, "name": "python"}
    spec = kernelspec.get_kernel_spec("python3")
    assert metadata["kernelspec"] == {"display_name": spec.display_name, "language": spec.language, "name": "python3"}


def test_what_the_book_wrote_is_told_and_can_be_trusted(desk, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "keys"))
    (desk.work / COPY).unlink()
    desk.save("mine", name="notes.ipynb")
    assert desk.prepare().written == [COPY] and desk.prepare().written == []
    copy_extras.trust(desk.work / COPY)
    trusted = {
        name: NotebookNotary().check_signature(nbformat.read(desk.work / name, 4)) for name in (COPY, "notes.ipynb")
    }
    assert trusted == {COPY: True, "notes.ipynb": False}


def test_reset_puts_the_chapter_back_and_keeps_what_was_written(desk):
    for number, name in enumerate(("01_ferries.yours.ipynb", "01_ferries.yours-2.ipynb")):
        desk.save(f"answer = {number}")
        assert copies.reset(desk.chapters, desk.work, "01_ferries") == desk.work / name
        assert desk.sources() == ["answer = ..."] and desk.sources(name) == [f"answer = {number}"]
    assert copies.reset(desk.chapters, desk.work, "01_ferries") is None  # nothing of the reader's was in it
    desk.publish("better")
    assert desk.prepare().refreshed == [COPY] and len(desk.files()) == 4


def test_reset_takes_the_newest_version_and_withdraws_the_one_beside_it(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    copies.reset(desk.chapters, desk.work, "01_ferries")
    assert desk.prepare().lines() == []
    assert desk.sources() == ["better"] and desk.files() == [copies.RECORD, COPY, "01_ferries.yours.ipynb"]


def test_a_page_of_the_books_own_follows_the_book_and_keeps_notes(desk):
    def prepare(text):
        return copies.prepare(desk.chapters, desk.work, {"PAGE.ipynb": copy_extras.page(copy_extras.text(text, "a"))})

    assert prepare("one").written == ["PAGE.ipynb"] and not prepare("one").written
    assert prepare("two").written == ["PAGE.ipynb"] and desk.sources("PAGE.ipynb") == ["two"]
    desk.save("two", "a note", name="PAGE.ipynb")
    assert not prepare("two").written and desk.sources("PAGE.ipynb") == ["two", "a note"]
    report = prepare("three")
    assert report.aside == {"PAGE.ipynb": "PAGE.yours.ipynb"} and "PAGE.yours.ipynb" in report.lines()[0]
    assert desk.sources("PAGE.ipynb") == ["three"] and desk.sources("PAGE.yours.ipynb") == ["two", "a note"]


def test_nothing_new_is_nothing_said(desk):
    before = desk.bytes()
    assert desk.prepare().lines() == []
    assert desk.bytes() == before and desk.files() == [copies.RECORD, COPY]


def test_an_untouched_copy_is_refreshed(desk):
    desk.publish("answer = ...  # better")
    assert desk.prepare().refreshed == [COPY]
    assert desk.sources() == ["answer = ...  # better"]


@pytest.mark.parametrize(
    "saved",
    [
        {
            "sources": ["answer = ..."],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}],
            "count": 3,
        },
        {"sources": ["answer = ...", ""]},
        {"sources": [["answer ", "= ..."]]},
    ],
)
def test_running_a_copy_is_not_editing_it(desk, saved):
    desk.save(*saved.pop("sources"), **saved)
    before = desk.bytes()
    assert desk.prepare().lines() == [] and desk.bytes() == before
    desk.publish("better")
    assert desk.prepare().refreshed == [COPY] and desk.sources() == ["better"]


def test_an_untouched_copy_gets_new_outputs(desk):
    desk.publish("answer = ...", count=1)
    assert desk.prepare().refreshed == [COPY]
    assert [cell["execution_count"] for cell in desk.cells()[1:-1]] == [1]


def test_an_answer_survives_a_change_and_the_newer_version_is_beside_it(desk):
    desk.save("answer = 42")
    before = desk.bytes()
    desk.publish("better")
    report = desk.prepare()
    assert desk.bytes() == before
    assert desk.sources(NEWER) == ["better"]
    assert report.arrived == [NEWER] and report.newer == {COPY: NEWER} and not report.refreshed
    [line] = report.lines()
    assert COPY in line and NEWER in line


def test_the_notice_names_both_files_until_it_is_settled(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    [page] = desk.sources(copies.NOTICE)
    assert f"[{COPY}]({COPY})" in page and f"[{NEWER}]({NEWER})" in page
    again = desk.prepare()
    assert again.lines() and not again.arrived and copies.NOTICE in desk.files()
    (desk.work / NEWER).unlink()
    assert desk.prepare().lines() == [] and desk.files() == [copies.RECORD, COPY]


def test_a_deleted_newer_version_comes_back_only_with_a_further_change(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    (desk.work / NEWER).unlink()
    desk.prepare()
    assert NEWER not in desk.files()
    desk.publish("best")
    assert desk.prepare().arrived == [NEWER] and desk.sources() == ["answer = 42"]


def test_an_untouched_newer_version_is_refreshed(desk):
    desk.save("answer = 42")
    for text in ("better", "best"):
        desk.publish(text)
        desk.prepare()
    assert desk.sources(NEWER) == ["best"] and desk.sources() == ["answer = 42"]


def test_an_edited_newer_version_is_kept_too(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    desk.save("answer = 43", name=NEWER)
    desk.publish("best")
    assert desk.prepare().newer == {COPY: "01_ferries.newer-2.ipynb"}
    assert (desk.sources(), desk.sources(NEWER), desk.sources("01_ferries.newer-2.ipynb")) == (
        ["answer = 42"],
        ["answer = 43"],
        ["best"],
    )


def test_a_deleted_copy_comes_back_and_takes_the_place_of_the_newer_one(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    (desk.work / COPY).unlink()
    assert desk.prepare().created == [COPY]
    assert desk.sources() == ["better"] and desk.files() == [copies.RECORD, COPY]


def test_a_deleted_copy_does_not_take_an_edited_newer_one_with_it(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    desk.save("answer = 43", name=NEWER)
    (desk.work / COPY).unlink()
    desk.prepare()
    assert desk.sources(NEWER) == ["answer = 43"]


def test_an_edited_copy_of_the_current_chapter_is_left_in_peace(desk):
    desk.save("answer = 42")
    before = desk.bytes()
    assert desk.prepare().lines() == [] and desk.bytes() == before


def test_an_edit_taken_back_makes_the_copy_fresh_again(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    desk.save("better")
    assert desk.prepare().lines() == [] and desk.files() == [copies.RECORD, COPY]
    desk.publish("best")
    assert desk.prepare().refreshed == [COPY]


def test_a_change_taken_back_withdraws_the_newer_version(desk):
    desk.save("answer = 42")
    desk.publish("better")
    desk.prepare()
    desk.publish("answer = ...")
    assert desk.prepare().lines() == []
    assert desk.sources() == ["answer = 42"] and NEWER not in desk.files()


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"cells": 3}', b'{"cells": [{"cell_type": "code"}]}', b"\xff\xfe", b"[]"]
)
def test_what_cannot_be_read_counts_as_edited(desk, content):
    (desk.work / COPY).write_bytes(content)
    desk.publish("better")
    assert desk.prepare().newer == {COPY: NEWER}
    assert desk.bytes() == content and desk.sources(NEWER) == ["better"]


@pytest.mark.parametrize("record", [None, b"", b"[]", b'{"01_ferries.ipynb": 3}'])
def test_without_its_record_a_differing_copy_counts_as_edited(desk, record):
    (desk.work / copies.RECORD).unlink() if record is None else (desk.work / copies.RECORD).write_bytes(record)
    desk.publish("better")
    assert desk.prepare().newer == {COPY: NEWER}
    assert desk.sources() == ["answer = ..."]


def test_without_its_record_an_equal_copy_keeps_its_outputs(desk):
    (desk.work / copies.RECORD).unlink()
    desk.save("answer = ...", count=9)
    before = desk.bytes()
    assert desk.prepare().lines() == [] and desk.bytes() == before


def test_an_unreadable_chapter_is_refused_and_changes_nothing(desk):
    (desk.chapters / COPY).write_text("{")
    before = desk.bytes()
    with refused("file", "git checkout chapters/01_ferries.ipynb"):
        desk.prepare()
    assert desk.bytes() == before


def test_the_readers_own_files_are_left_alone(desk):
    desk.save("mine", name="notes.ipynb")
    desk.publish("better")
    desk.prepare()
    assert desk.sources("notes.ipynb") == ["mine"]


def test_nothing_half_written_stays_behind(desk):
    assert not [name for name in desk.files() if name.endswith(".part")]
