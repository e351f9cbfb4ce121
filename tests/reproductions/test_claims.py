"""Verdicts on claims, from made-up records of known answer."""

import csv
import shutil

import numpy as np
import own
import pandas as pd
import pytest
from refusals import refused
from scipy import stats

from reproductions import catalogue, claim_report, claim_verdict, paper_claim, result_folders, results
from reproductions.command import main
from reproductions.effects import Recorded, interval
from reproductions.equivalence import adjusted
from reproductions.jobs import select

REAL = result_folders.find()
TOML = own.TOML.replace("seeds = 2", "seeds = 5").replace(
    '{ of = "own:gap", why = "a test" }', '{ of = "std", why = "a test" }'
)
HEAD = 'quote = "our rule is better"\nwhere = "Section 1"\nrefuted_by = "a worse number."\n'
RISES, FALLS = [0.02, 0.03, 0.025, 0.035, 0.03], [-0.02, -0.03, -0.025, -0.035, -0.03]
NOISE = [0.04, -0.05, 0.06, -0.03, 0.0]


@pytest.fixture
def place(tmp_path):
    """Records with two declared tables, ``first`` and ``second``, and the published numbers."""
    records = result_folders.Records(tmp_path)
    records.results.mkdir(parents=True)
    records.papers.mkdir()
    shutil.copy(REAL.papers / "published_results.csv", records.papers)
    for name in ("first", "second"):
        own.declared(tmp_path, TOML, name)
    return records


@pytest.fixture(scope="module")
def shipped():
    return {paper: claim_verdict.judge(paper, REAL) for paper in paper_claim.papers()}


def record(place, name, rows, failed=()):
    """``rows``: by label and seed, what is added to five clients' accuracies of 0.5 or their list."""
    experiment = catalogue.load(place.root / f"{name}.toml")
    with (
        open(place.results / f"{name}.csv", "w", newline="") as jobs,
        open(place.results / f"{name}.clients.csv", "w", newline="") as clients,
    ):
        line, client = csv.writer(jobs), csv.writer(clients)
        line.writerow(["row", "seed", "mean_accuracy", "swing", "rounds", "seconds", "failed", "key"])
        client.writerow(["row", "seed", "client", "test_size", "accuracy", "swing"])
        for job in select(experiment):
            if job.seed in rows.get(job.row.label, {}):
                gain = rows[job.row.label][job.seed]
                line.writerow(
                    [job.row.label, job.seed, 50, 0, 6, 1, "it diverged" if job.row.label in failed else "", job.key]
                )
                for k, accuracy in enumerate(
                    np.array(gain) if np.ndim(gain) else 0.5 + gain + np.array([-0.2, -0.1, 0, 0.1, 0.2])
                ):
                    client.writerow([job.row.label, job.seed, k, 10, f"{100 * accuracy:.4f}", 0])


def seeds(gains, base=0.0):
    return {seed: base + gain for seed, gain in enumerate(gains)}


def contrast(place, more="", tables=("first",), row="FedFV, a third", against=("FedAvg",), of="mean", expect="greater"):
    names = [str(place.root / f"{name}.toml") for name in tables]
    return f'[[claims.tests]]\ntables = {names}\nrow = "{row}"\nagainst = {list(against)}\nof = "{of}"\nexpect = "{expect}"\n{more}\n'


def judged(place, *claims):
    """The verdicts on claims, each the text below its ``HEAD``."""
    path = place.root / "paper.toml"
    path.write_text(
        "\n".join(f'[[claims]]\nid = "c{i}"\n{HEAD}{text}' for i, text in enumerate(claims)), encoding="utf-8"
    )
    return claim_verdict.judge(path, place)


def test_an_effect_is_paired_over_the_seeds_that_both_rows_have(place):
    shift = [0.1, -0.2, 0.15, 0.05, -0.1]  # shared by both rows: only pairing takes it away
    record(place, "first", {"FedAvg": seeds(shift), "FedFV, a third": {s: shift[s] + RISES[s] for s in (3, 1, 2, 0)}})
    (one,) = judged(place, contrast(place))
    (found,) = one.found
    want = 100 * np.array(RISES[:4])
    np.testing.assert_allclose(found.effect.values, want)
    np.testing.assert_allclose(interval(found.effect.values)[1:], stats.ttest_1samp(want, 0).confidence_interval(0.95))
    assert (
        found.supports == pytest.approx(stats.ttest_1samp(want, 0, alternative="greater").pvalue)
        and one.word == "holds"
    )
    assert found.opposes == pytest.approx(1 - found.supports)


@pytest.mark.parametrize(
    "gains, expect, word",
    [
        (RISES, "greater", "holds"),
        (FALLS, "greater", "fails"),
        (NOISE, "greater", "undecided"),
        (FALLS, "smaller", "holds"),
        (RISES, "smaller", "fails"),
        (RISES[:1], "greater", "undecided"),
        ([], "greater", "not run"),
    ],
)
def test_words(place, gains, expect, word):
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(gains)})
    assert judged(place, contrast(place, expect=expect))[0].word == word


@pytest.mark.parametrize(
    "gains, expect, margin, word",
    [
        (RISES, "equal", 5, "holds"),
        (RISES, "equal", 1, "fails"),
        (NOISE, "equal", 1, "undecided"),
        (FALLS, "greater", 5, "holds"),
        (FALLS, "greater", 1, "fails"),
        (RISES, "smaller", 5, "holds"),
        ([0.01] * 5, "equal", 2, "holds"),
        ([0.05] * 5, "equal", 2, "fails"),
    ],
)
def test_margins(place, gains, expect, margin, word):
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(gains)})
    assert judged(place, contrast(place, f"margin = {margin}.0", expect=expect))[0].word == word


def test_p_values_are_adjusted_over_all_of_a_papers_tests(place):
    barely = [0.001, 0.03, 0.05, 0.004, 0.02]
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(barely), "First": seeds(NOISE)})
    alone = judged(place, contrast(place))[0]
    assert alone.word == "holds" and 0.025 < alone.found[0].supports < 0.05
    among, other = judged(place, contrast(place), contrast(place, row="First"))
    assert among.word == "undecided" and among.found[0].supports == pytest.approx(2 * alone.found[0].supports)
    assert adjusted([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_a_claim_needs_all_of_its_tests(place):
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES), "First": seeds(FALLS)})
    both, beyond = judged(
        place, contrast(place, against=("FedAvg", "First")), contrast(place) + contrast(place, row="First")
    )
    assert (both.word, beyond.word) == ("holds", "fails") and [f.word for f in beyond.found] == ["holds", "fails"]


def test_the_first_table_that_has_both_rows_is_taken(place):
    record(place, "second", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES)})
    record(place, "first", {"FedAvg": seeds([0] * 5)})
    one = judged(place, contrast(place, tables=("first", "second")))[0]
    assert one.word == "holds" and one.found[0].effect.table.endswith("second.toml")
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(FALLS)})
    assert judged(place, contrast(place, tables=("first", "second")))[0].word == "fails"


def test_a_claim_may_depend_on_a_reading(place):
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES)})
    text = (
        'depends_on = "the weather"\n'
        + contrast(place, 'reading = "rain"')
        + contrast(place, 'reading = "sun"', tables=("second",))
    )
    for gains, word in (
        (FALLS, "depends"),
        (RISES, "holds"),
        ([0.002, -0.002, 0.001, -0.001, 0.0], "depends"),
        (NOISE, "undecided"),
        (RISES[:1], "undecided"),
        ([], "undecided"),
    ):
        record(place, "second", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(gains)})
        one = judged(place, text)[0]
        assert one.word == word, gains
    assert "rain: holds; sun: not run" in one.remark


def test_a_trend_is_a_rank_correlation_a_seed(place):
    rows = "".join(f'[[rows]]\nlabel = "q{q}"\nrule = "QFedAvg"\nsettings = {{ q = {q}.0 }}\n' for q in (1, 2, 5, 10))
    own.declared(place.root, TOML + rows, "first")
    record(
        place,
        "first",
        {
            "q1": seeds([0.01] * 5),
            "q2": seeds([0.02] * 5),
            "q5": seeds([0.04, 0.04, 0.04, 0.03, 0.03]),
            "q10": seeds([0.03, 0.03, 0.03, 0.04, 0.04]),
        },
    )
    trend = f'[[claims.tests]]\ntables = ["{place.root / "first.toml"}"]\nrows = ["q10", "q1", "q2", "q5"]\nover = "q"\nof = "mean"\nexpect = "greater"\n'
    one = judged(place, trend)[0]
    np.testing.assert_allclose(one.found[0].effect.values, [0.8, 0.8, 0.8, 1, 1])
    assert one.word == "holds" and one.printed == ""


def test_what_diverges_does_not_hold(place):
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES)}, failed=["FedFV, a third"])
    one = judged(place, contrast(place))[0]
    assert one.word == "fails" and one.found[0].effect.diverged == 5
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES)}, failed=["FedAvg"])
    assert judged(place, contrast(place))[0].word == "not run"


def test_where_the_paper_leaves_out_what_decides_there_is_no_verdict(place):
    own.declared(place.root, 'underspecified = "the step size"\n' + TOML, "first")
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES)})
    one = judged(place, contrast(place))[0]
    assert one.word == "undecided" and one.remark.startswith("holds as run")


def test_what_is_true_by_construction_and_what_cannot_be_run(place):
    words = [one.word for one in judged(place, 'by_construction = "it reads no loss"', 'not_run = "no data"')]
    assert words == ["by construction", "not run"]


def test_the_printed_numbers_and_the_authors_logs_stand_beside_ours(place):
    # Printed: FedAvg 80.42 and 11.50, FedFV with α = 1/3 79.61 and 1.91.
    name = str(place.root / "first.toml")
    pd.DataFrame(
        {
            "table": name,
            "row": ["FedAvg", "FedAvg", "FedFV, a third", "FedFV, a third"],
            "seed": [12, 0, 0, 12],
            "mean": [80, 81, 82, 84],
        }
    ).to_csv(place.papers / "fedfv_finals.csv", index=False)
    mean, spread = judged(place, contrast(place), contrast(place, of="std", expect="smaller"))
    assert mean.found[0].effect.printed == pytest.approx(-0.81) and mean.printed == "otherwise"
    assert spread.found[0].effect.printed == pytest.approx(-9.59) and spread.printed == "as claimed"
    assert mean.found[0].effect.logged == (1, 4) and not spread.found[0].effect.logged
    assert judged(place, contrast(place, "margin = 1.0"))[0].printed == "as claimed"


def test_a_row_of_another_table(shipped):
    assert paper_claim.address("fedmgda_table_7: Baseline: people with a doctorate alone") == (
        "fedmgda_table_7",
        "Baseline: people with a doctorate alone",
    )
    assert paper_claim.address("Baseline: people with a doctorate alone") == (
        "",
        "Baseline: people with a doctorate alone",
    )
    one = next(one for one in shipped["fedmgda_plus"] if one.claim.id == "rivals_better_without_attack")
    ours, theirs = (
        clients[(clients.row == row) & (clients.client == 1)].set_index("seed").accuracy
        for clients, row in (
            (pd.read_csv(REAL.results / "fedmgda_table_7_mean_losses.clients.csv"), "q-FedAvg q = 5, bias 0"),
            (pd.read_csv(REAL.results / "fedmgda_table_7.clients.csv"), "FedMGDA+, any bias"),
        )
    )
    contrasts = {(each.effect.contrast.tables[0], each.effect.contrast.of): each for each in one.found}
    found = contrasts["fedmgda_table_7_mean_losses", "client 1"]
    np.testing.assert_allclose(found.effect.values, ours - theirs, atol=2e-4)  # recorded to four decimals


def test_equal_means_are_ties_in_a_rank_correlation(shipped):
    one = next(one for one in shipped["adafed"] if one.claim.id == "gamma_costs_accuracy")
    clients = pd.read_csv(REAL.results / "adafed_table_12_logged.clients.csv")
    hits = (clients.accuracy * clients.test_size / 100).round().astype(int)  # equal test sets: sums rank as means do
    told = hits.groupby([clients.row, clients.seed]).sum().unstack()
    rows = one.found[0].effect.contrast.rows
    assert told.loc[list(rows), 0].nunique() < len(rows), "seed 0 has ties"
    exact = [stats.spearmanr(range(len(rows)), told.loc[list(rows), seed]).statistic for seed in told.columns]
    np.testing.assert_allclose(one.found[0].effect.values, exact)


def test_a_reprinted_row_has_the_runs_of_the_row_that_it_reprints(place):
    reprint = f'label = "FedAvg"\nreprints = "{place.root / "first.toml"}: FedAvg"'
    own.declared(place.root, TOML.replace('label = "FedAvg"', reprint), "second")
    record(place, "first", {"FedAvg": seeds([0.1] * 5)})
    record(place, "second", {"FedFV, a third": seeds(RISES)})
    np.testing.assert_allclose(
        judged(place, contrast(place, tables=("second",)))[0].found[0].effect.values, 100 * np.array(RISES) - 10
    )
    lines = results.load(catalogue.load(place.root / "second.toml"), place.results)
    assert [line["mean_accuracy"] for line in lines if line["row"] == "FedAvg"] == pytest.approx([60] * 5)


@pytest.mark.parametrize(
    "old, new, kind, mentions",
    [
        ('row = "FedFV, a third"', 'row = "FedFX"', "name", ("'first'", "FedFX", "FedFV, a third")),
        ('of = "mean"', 'of = "meen"', "name", ("meen", "'mean'")),
        ('expect = "greater"', 'expect = "more"', "name", ("expect", "'more'", "greater")),
        ('expect = "greater"', 'expect = "equal"', "value", ("margin", "0.0")),
        ("expect", "margins = 1\nexpect", "name", ("'margins'", "'margin'")),
        ("first.toml", "third.toml", "file", ("third.toml",)),
        ("against = ['FedAvg']", "", "combination", ("row", "against", "over")),
        ('quote = "our rule', f'quote = "{"very " * 40}', "value", ("42", "35")),
        ("where", 'by_construction = "so"\nwhere', "combination", ("tests", "by_construction", "not_run")),
        ("where", 'depends_on = "x"\nwhere', "combination", ("depends_on", "reading")),
        ("[[claims]]", "[claims]", "type", ("[[claims]]",)),
        ("where = ", "", "file", ("paper.toml", "TOML")),
        ("tables =", 'over = "alpha"\ntables =', "combination", ("rows", "over")),
        (
            "row = \"FedFV, a third\"\nagainst = ['FedAvg']",
            'over = "alpha"\nrows = ["FedFV, a third"]',
            "combination",
            ("three rows", "over"),
        ),
        ('where = "Section 1"', "", "missing", ("'c0'", "where")),
    ],
)
def test_an_error_in_the_claims_is_named(place, old, new, kind, mentions):
    path = place.root / "paper.toml"
    text = f'[[claims]]\nid = "c0"\n{HEAD}{contrast(place)}'
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with refused(kind, *mentions):
        paper_claim.load(path)


def test_unknown_papers_are_named():
    with refused("name", "fedprox", "adafed"):
        paper_claim.load("fedprox")
    with refused("file", "nothing.toml", "adafed"):
        paper_claim.load("nothing.toml")


def test_the_shipped_claims_are_what_was_promised(shipped):
    assert list(shipped) == ["adafed", "dqn_fed", "fedfv", "fedmgda_plus"]
    for paper, judged in shipped.items():
        assert 4 <= len(judged) <= 8
        tables = {name for one in judged for each in one.claim.tests for name in each.tables}
        assert {catalogue.load(name).paper for name in tables} == {paper}
        for one in judged:
            open_ = ("not run", "undecided") if one.word == "depends" else ()  # in a reading that is not decided
            run = [found for found in one.found if found.word not in open_]
            decided = [max(len(found.effect.values), found.effect.diverged) for found in run]
            assert one.word not in ("holds", "fails", "depends") or min(decided) > 1
            readings = {found.effect.contrast.reading for found in one.found}
            whole = [
                reading
                for reading in readings
                if all(f in run for f in one.found if f.effect.contrast.reading == reading)
            ]
            assert one.word != "depends" or whole, "no reading of it is decided by more than one seed of every row"
    counts = [one.word for judged in shipped.values() for one in judged]
    assert claim_verdict.headline(REAL).startswith(f"{len(counts)} claims of 4 papers: {counts.count('holds')} hold, ")


@pytest.mark.parametrize("format", claim_report.FORMATS)
def test_a_page_says_everything(shipped, format):
    for paper, judged in shipped.items():
        told = claim_report.page(paper, judged, format)
        for one in judged:
            for part in (one.claim.quote, one.claim.where, one.claim.refuted_by, one.word.upper(), one.remark):
                assert part in told
        assert told.count("\n| AdaFed, γ = 1 − FedAvg |") == (3 if (paper, format) == ("adafed", "markdown") else 0)


def test_a_decided_verdict_says_where_the_settings_are_from(place):
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES)})
    assert "c0: HOLDS (settings: paper, guess)" in claim_report.page("mine", judged(place, contrast(place)))
    own.declared(
        place.root, TOML.replace("[columns]", '[sources]\nrounds = "released code: six"\n[columns]', 1), "first"
    )
    told = claim_report.page("mine", judged(place, contrast(place)))
    assert "c0: HOLDS (settings: paper, released code)" in told and "released code: rounds." in told


def test_all_claims_in_a_line_each(shipped, capsys):
    lines = {paper: claim_report.short(paper, judged).splitlines() for paper, judged in shipped.items()}
    assert sum(map(len, lines.values())) == 30
    for paper, judged in shipped.items():
        assert len(lines[paper]) == len(judged)
        for one, line in zip(judged, lines[paper]):
            assert len(line) <= 100 and line.startswith(f"{paper} ") and f" {one.claim.id} " in line
            assert line.split()[2] == one.word.split()[0] and (line[57] == "!") == (one.printed == "otherwise")
            assert line.endswith(one.claim.decided_by) == (one.word not in ("holds", "fails", "depends"))
    assert "2 hold; n = 5–15" in next(line for line in lines["adafed"] if "gamma_buys_fairness" in line)
    assert main(["claims", "adafed", "--short"]) == 0
    assert capsys.readouterr().out.splitlines() == [*lines["adafed"], *claim_report.LEGEND.splitlines()]


def test_each_claim_says_what_it_would_take_to_decide_it(shipped):
    for one in (one for judged in shipped.values() for one in judged):
        need, _, what = one.claim.decided_by.partition(": ")
        assert what and len(one.claim.decided_by) <= 41
        assert (need == one.lacks) if one.word == "undecided" else (not one.lacks)
        if one.word != "undecided" and one.word != "depends":
            assert (need == "nothing") == (one.word != "not run"), one.claim.id


def test_what_an_undecided_claim_lacks(place):
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(NOISE), "First": seeds(FALLS)})
    assert judged(place, contrast(place))[0].lacks == "seeds"
    assert judged(place, contrast(place, row="First"))[0].lacks == ""
    record(place, "first", {"FedAvg": seeds([0] * 5), "FedFV, a third": seeds(RISES[:1])})
    assert judged(place, contrast(place))[0].lacks == "runs"
    own.declared(place.root, 'underspecified = "the step size"\n' + TOML, "first")
    assert judged(place, contrast(place))[0].lacks == "settings"


def test_a_claim_is_decided_by_something(place):
    path = place.root / "paper.toml"
    for wrong in ("time: more", "runs", "runs: " + "x" * 40):
        path.write_text(f'[[claims]]\nid = "c0"\n{HEAD}decided_by = "{wrong}"\n{contrast(place)}')
        with refused("value", "decided_by", "runs, seeds, settings"):
            paper_claim.load(path)


def test_the_command(tmp_path, capsys):
    assert main(["claims", "fedmgda_plus", "--format", "markdown", "--out", str(tmp_path / "page.md")]) == 0
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert text.startswith("# Claims of fedmgda_plus: ")
    assert main(["claims", "fedprox"]) == 2 and "adafed" in capsys.readouterr().err
    assert main(["claims", "--out", str(tmp_path)]) == 2 and "is a folder" in capsys.readouterr().err


def test_every_effect_names_a_printed_or_a_recorded_number_or_none(shipped):
    recorded = Recorded(REAL)
    afl = next(one.claim.tests[0] for one in shipped["fedfv"] if one.claim.id == "beats_afl_on_every_class")
    (effect,) = recorded.effects(afl)
    assert effect.printed == pytest.approx(77.91 - 76.57) and len(effect.logged) == 5
    assert np.mean(effect.logged) == pytest.approx(effect.printed, abs=0.011)


LOSSES = TOML.replace("rounds = 6", "rounds = 6\ntraining_losses = true").replace(
    "[columns]", '[columns]\nlosses_that_rose = "losses that rose"'
)


def rose(place, rows, failed=()):
    """``first``, with training losses: by label and seed, the share in per cent of losses that rose."""
    own.declared(place.root, LOSSES, "first")
    record(place, "first", {label: seeds([0] * len(shares)) for label, shares in rows.items()}, failed)
    path = place.results / "first.csv"
    lines = pd.read_csv(path)
    lines["losses_that_rose"] = [rows[label][seed] for label, seed in zip(lines.row, lines.seed)]
    lines.to_csv(path, index=False)


def alone(place, more="margin = 1.0", expect="equal", of="losses that rose"):
    tables = [str(place.root / "first.toml")]
    return f'[[claims.tests]]\ntables = {tables}\nrow = "FedFV, a third"\nof = "{of}"\nexpect = "{expect}"\n{more}\n'


@pytest.mark.parametrize(
    "shares, word",
    [
        ([0] * 5, "holds"),
        ([0, 0, 0.5, 0, 0.2], "holds"),
        ([30, 25, 40, 20, 35], "fails"),
        ([0, 4, 0, 3, 0], "undecided"),
        ([30], "undecided"),
    ],
)
def test_that_every_loss_falls_is_a_row_alone_beside_nought(place, shares, word):
    rose(place, {"FedFV, a third": shares})
    (one,) = judged(place, alone(place))
    assert one.word == word and one.found[0].effect.values == pytest.approx(shares)
    assert one.found[0].effect.what == "FedFV, a third" and np.isnan(one.found[0].effect.printed)


def test_losses_that_rose_are_compared_seed_by_seed(place):
    rose(place, {"FedAvg": [20, 30, 40, 25, 35], "FedFV, a third": [15, 24, 36, 20, 29]})
    (one,) = judged(place, contrast(place, of="losses that rose", expect="smaller"))
    assert one.word == "holds" and one.found[0].effect.values == pytest.approx((-5, -6, -4, -5, -6))
    told = claim_report.page("mine", [one])
    assert claim_report.ROUNDS in told and "losses that rose" in told
    other = judged(place, contrast(place))
    assert claim_report.ROUNDS not in claim_report.page("mine", other)


def test_runs_that_diverge_are_no_share_and_fail(place):
    rose(place, {"FedFV, a third": [0] * 5}, failed=["FedFV, a third"])
    (one,) = judged(place, alone(place))
    assert one.word == "fails" and one.found[0].effect.diverged == 5 and not one.found[0].effect.values


def test_only_losses_that_rose_are_compared_with_nought_and_only_where_they_are_recorded(place):
    with refused("combination", "row and against", "'losses that rose'"):
        judged(place, alone(place, of="mean"))
    with refused("combination", "first", "'losses that rose'"):
        judged(place, alone(place))
