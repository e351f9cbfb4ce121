"""The reader's copies: an answer is never lost, and what holds none is kept fresh."""

import json

import pytest
from fairfl_book.reading import copies

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
        return [cell["source"] for cell in json.loads((self.work / name).read_text())["cells"]]

    def bytes(self, name=COPY):
        return (self.work / name).read_bytes()

    def files(self):
        return sorted(path.name for path in self.work.iterdir())


def test_a_copy_is_the_chapter_byte_for_byte(desk):
    assert desk.bytes() == (desk.chapters / COPY).read_bytes()


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
    assert desk.bytes() == (desk.chapters / COPY).read_bytes()


def test_an_answer_survives_a_change_and_the_newer_version_is_beside_it(desk):
    desk.save("answer = 42")
    before = desk.bytes()
    desk.publish("better")
    report = desk.prepare()
    assert desk.bytes() == before
    assert desk.sources(NEWER) == ["better"]
    assert report.arrived == [NEWER] and report.newer == {COPY: NEWER} and not report.refreshed
    [line] = report.lines()
    assert COPY in line and NEWER in line and "left alone" in line


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
    with pytest.raises(ValueError, match="git checkout chapters/01_ferries.ipynb"):
        desk.prepare()
    assert desk.bytes() == before


def test_the_readers_own_files_are_left_alone(desk):
    desk.save("mine", name="notes.ipynb")
    desk.publish("better")
    desk.prepare()
    assert desk.sources("notes.ipynb") == ["mine"]


def test_nothing_half_written_stays_behind(desk):
    assert not [name for name in desk.files() if name.endswith(".part")]
