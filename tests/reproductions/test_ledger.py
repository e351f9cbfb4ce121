"""What is recorded in data/results is sound and says what the ledger says."""

import pytest

from reproductions import catalogue, ledger, places, results
from reproductions.jobs import select

RECORDS = places.find()
RECORDED = [name for name in catalogue.names() if (RECORDS.results / f"{name}.csv").exists()]


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_number_has_its_provenance_and_is_still_declared(name):
    experiment = catalogue.load(name)
    own = {
        row.label for row in experiment.rows if not row.reprints
    }  # the others' runs are recorded with their own table
    lines = [line for line in results.load(experiment, RECORDS.results) if line["row"] in own]
    told = results.provenance(experiment, RECORDS.results)
    keys = {job.key for job in select(experiment)}
    assert {line["key"] for line in lines} == set(told) <= keys
    for job in told.values():
        assert job["versions"]["fairfl"] and "+changes" not in job["versions"]["fairfl"], "record from a clean checkout"
        assert job["federation"]["digest"] and job["machine"]["device"] and job["group"]


def test_the_two_tables_promised_in_full_are_there_in_full():
    for name in ("fedmgda_table_7", "fedfv_table_3"):
        experiment = catalogue.load(name)
        assert len(results.load(experiment, RECORDS.results)) == len(select(experiment)), name


def test_other_readings_are_not_counted_twice():
    told = ledger.ledger(RECORDS)
    counted = sum(
        len([c for c in cells if c.verdict.word != "not run"])
        for name, cells in told.items()
        if not catalogue.load(name).reading_of
    )
    assert ledger.headline(RECORDS).startswith(f"{counted} published cells")
    assert all(catalogue.load(name).reading_of in ("", *told) for name in told)


def test_no_spread_buys_a_recorded_cell_a_green_verdict():
    cells = [cell for cells in ledger.ledger(places.find()).values() for cell in cells]
    green = [cell for cell in cells if cell.equivalence.word == "equivalent"]
    assert all(abs(cell.equivalence.difference) <= cell.equivalence.margin for cell in green)
    ten = [cell for cell in ledger.ledger(places.find())["adafed_table_12"] if cell.row == "AdaFed, γ = 10"]
    assert any(
        cell.verdict.word == "reproduced" and abs(cell.verdict.difference) > 10 for cell in ten
    )  # by the first edition's rule
    assert len(ten) == 5 and not any(cell.equivalence.word == "equivalent" for cell in ten)
