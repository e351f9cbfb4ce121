"""Declarations: errors are refused, and the package's own are sound and match their published rows."""

import re
import time

import own
import pytest
from refusals import refused

from fairfl import rules
from reproductions import catalogue, report, result_folders, results
from reproductions.jobs import Job, groups, select


@pytest.mark.parametrize("name", catalogue.names())
def test_each_declared_row_is_a_row_of_the_published_table(name):
    experiment = catalogue.load(name)
    cells = report.cells(experiment, [], result_folders.find().papers)
    assert {c.row for c in cells} == {row.label for row in experiment.rows if row.algorithm}
    if cells:
        assert {c.metric for c in cells} == {column.metric for column in experiment.columns}
    # A figure has no printed numbers to compare with, and its declaration says so.
    assert cells or "in no text" in " ".join(experiment.chosen)


@pytest.mark.parametrize(
    "old, new, kind, mentions",
    [
        ("rounds = 6", "round = 6", "name", ("'round'", "'rounds'")),
        ("rounds = 6", "", "missing", ("'small'", "rounds")),
        ("rounds = 6", "rounds = 0", "value", ("rounds is 0", "1 to 1000000")),
        ("rounds = 6", "rounds = 'six'", "type", ("rounds is 'six'", "int", "str")),
        ("rounds = 6", "rounds = true", "type", ("rounds is True", "bool")),
        ("seeds = 2", "seeds = [1, 1]", "value", ("seeds is (1, 1)",)),
        ("lr = 0.1", "lr = -0.1", "value", ("row 'FedAvg'", "lr is -0.1", "0")),
        ("batch_size", "batchsize", "name", ("local", "'batchsize'", "'batch_size'")),
        ('rule = "FedFV"', 'rule = "FedFB"', "name", ("rule", "'FedFB'", "FedFV")),
        ("alpha =", "alfa =", "name", ("rule FedFV", "'alfa'")),
        ("own:First", "own:Frst", "name", ("'Frst'", "'First'")),
        ("own:First", "own:gap", "type", ("'own:gap'", "fairfl.rules.Rule")),
        ("own:offices", "own.elsewhere:offices", "missing", ("'own.elsewhere'", "PYTHONPATH")),
        ("own:offices", "fedfv_cifar", "name", ("'fedfv_cifar'", "'fedfv_cifar10'")),
        ('model = "logistic"', 'model = "logstic"', "name", ("model", "'logstic'", "'logistic'")),
        ('"mean"', '"means"', "name", ("measure", "'means'", "'mean'")),
        ('attack = "Bias"', 'attack = "Bais"', "name", ("attack", "'Bais'", "'Bias'")),
        ('label = "First"', 'label = "FedAvg"', "value", ("['FedAvg', 'FedFV, a third', 'FedAvg']",)),
        ('label = "First"', 'labels = "First"', "name", ("row", "'labels'", "'label'")),
        ('rule = "FedFV"', 'rule = "AFL"', "name", ("rule AFL", "'alpha'")),
        ('"mean"', '"losses that rose"', "combination", ("'mean_accuracy'", "training_losses = true")),
        (
            "rounds = 6",
            "rounds = 6\ntraining_losses = true\nevaluate_every = 2",
            "combination",
            ("evaluate_every is 2",),
        ),
        ("title =", "title", "file", ("small.toml", "TOML")),
    ],
)
def test_a_slip_is_refused_by_name(tmp_path, old, new, kind, mentions):
    assert own.TOML.count(old) >= 1
    with refused(kind, *mentions):
        catalogue.load(own.declared(tmp_path, own.TOML.replace(old, new)))


@pytest.mark.parametrize(
    "old, new",
    [
        ('rule = "own:First"\nsettings = { factor = 0.5 }', 'rule = "subprocess:Popen"\nsettings = {{ {} }}'),
        ('attack = "Bias", client = 0, constant = 10.0', 'attack = "subprocess:Popen", {}'),
        ('model = "logistic"', 'model = "subprocess:run"\nmodel_settings = {{ {} }}'),
        ('federation = "own:offices"', 'federation = "os:_exit"\nsplit_seed = 3'),
    ],
)
def test_nothing_is_called_that_is_not_of_the_kind_it_is_named_for(tmp_path, old, new):
    assert own.TOML.count(old) == 1
    shell = f'args = "touch {(tmp_path / "called").as_posix()}; sleep 0.2", shell = true, executable = "/bin/sh"'
    if "model" in new:
        shell = "capture_output = true"
    with refused("type", *re.findall(r"subprocess:\w+|os:_exit", new)):
        own.small(tmp_path, own.TOML.replace(old, new.format(shell)))
    time.sleep(0.1)  # what was started would have made its file
    assert not (tmp_path / "called").exists()


def test_an_attack_of_one_s_own_says_what_it_returns(tmp_path):
    text = own.TOML.replace('attack = "Bias", client = 0, constant = 10.0', 'attack = "own:Silent", client = 2')
    experiment = own.small(tmp_path, text)
    assert experiment.tamper_of(experiment.row("First")).client == 2


def test_a_rule_for_everyone_is_refused_where_clients_are_drawn(tmp_path):
    text = own.TOML.replace("rounds = 6", "rounds = 6\nparticipation = 0.5").replace(
        'rule = "FedFV"\nsettings = { alpha = "1/3" }', 'rule = "AFL"'
    )
    with refused("combination", "AFL", "0.5"):
        own.small(tmp_path, text)


def test_a_name_that_nobody_knows(tmp_path):
    with refused("name", "'fedfv_table_33'", "'fedfv_table_3'"):
        catalogue.load("fedfv_table_33")
    with refused("file", "none.toml"):
        catalogue.load(tmp_path / "none.toml")
    for other in ("README.md", "tables/mine", "fedfv_table_3.tmol"):
        with refused("file", f"'{other}'", ".toml"):
            catalogue.load(other)


def test_rules_and_fractions_are_built_as_written(tmp_path):
    experiment = own.small(tmp_path)
    assert experiment.rule(experiment.row("FedFV, a third")).alpha == 1 / 3
    first = experiment.rule(experiment.row("First"))
    assert isinstance(first, rules.Rule) and first.factor == 0.5
    assert experiment.tamper_of(experiment.row("First")).constant == 10


def test_equal_settings_share_a_key_and_others_do_not(tmp_path):
    experiment = own.small(tmp_path)
    jobs = select(experiment)
    assert len({job.key for job in jobs}) == len(jobs) == 6
    again = own.small(
        tmp_path, own.TOML.replace("A small table", "Another title").replace('label = "First"', 'label = "The first"')
    )
    assert [job.key for job in select(again)] == [job.key for job in jobs]
    slower = own.small(tmp_path, own.TOML.replace("lr = 0.1", "lr = 0.2"))
    assert not {job.key for job in select(slower)} & {job.key for job in jobs}


def test_groups_hold_what_may_train_as_one_batch(tmp_path):
    text = own.TOML.replace('label = "First"', 'label = "First"\nlocal = { proximal = 0.1 }')
    jobs = select(own.small(tmp_path, text))
    assert [len(g) for g in groups(jobs, "none")] == [1] * 6
    assert [len(g) for g in groups(jobs, "seeds")] == [2, 2, 2]
    assert [len(g) for g in groups(jobs, "rows")] == [4, 2]


def test_the_same_run_in_two_tables_is_one_job():
    keys = lambda name, label: {Job(e, e.row(label), 0).key for e in [catalogue.load(name)]}
    assert keys("adafed_table_7", "AdaFed, γ = 1") == keys("adafed_table_12", "AdaFed, γ = 1")
    assert keys("fedfv_table_3", "FedFV, α = 0.0") == keys("fedfv_table_4_fashion_mnist", "FedFV, ascending")


def test_old_runs_whose_shards_are_dealt_per_seed_have_a_name_that_says_so():
    """FedFV's released code deals the shards once; ours once dealt them anew for each seed, and no text calls that theirs."""
    tables = [catalogue.load(name) for name in catalogue.names()]
    anew = [e for e in tables if e.federation == "fedfv_cifar10_released" and e.split_per_seed]
    assert {e.name for e in anew} == {name for name in catalogue.names() if name.endswith("_dealt_per_seed")}
    assert len(anew) == 3
    for e in anew:
        assert e.sources["split_per_seed"].startswith("guess") and e.published_split == "one"
        assert "dealt per seed" in e.title and e.reading_of.endswith("_dealt_once")
        assert not [
            told for told in (e.title, *e.chosen) if "as the logs were made" in told or "very setting is that" in told
        ]


def test_tables_with_the_logs_settings_deal_the_shards_once():
    logged = [catalogue.load(name) for name in catalogue.names() if name.endswith(("_logged", "_dealt_once", "_steps"))]
    cifar = [e for e in logged if e.dataset == "CIFAR-10"]
    assert len(cifar) == 6 and {e.federation for e in cifar} == {"fedfv_cifar10_dealt_once"}
    assert all(e.sources["split_per_seed"].startswith("released code") for e in cifar)


def test_the_scaling_attack_is_declared_as_the_paper_says():
    """FedMGDA+'s Figure 2, B.2 and 6.2.2: 1,500 rounds, a fifth of the users, five runs, decay 1/10, q = 0.5 and 2, the attacker always."""
    figure = catalogue.load("fedmgda_figure_2_scaling")
    assert (figure.rounds, figure.participation, len(figure.seeds)) == (1500, 0.2, 5)
    assert {row.settings["q"] for row in figure.rows if row.rule == "QFedAvg"} == {0.5, 2.0}
    decays = {figure.server_of(row).decay for row in figure.rows if row.rule in ("FedMGDAPlus", "FedAvgN")}
    assert decays == {0.1}
    attackers = {row.tamper["client"] for row in figure.rows if row.tamper}
    assert attackers == set(figure.always) == {0}


def test_a_width_that_no_paper_prints_is_called_a_guess():
    """Two hidden layers of 200: DQN-Fed prints the layers, not the 200."""
    for name in (name for name in catalogue.names() if name.startswith("dqn_fed")):
        table = catalogue.load(name)
        if any("width is not" in told for told in table.chosen):
            assert table.sources["model"].startswith("guess"), name


def test_a_reprinted_row_says_the_settings_that_were_run():
    """AdaFed prints q = 0.1 and ε = 0.5 beside numbers that are FedFV's for q = 5 and ε = 1."""
    for name in ("adafed_table_7_logged", "dqn_fed_table_9_logged"):
        rows = {row.label: row for row in catalogue.load(name).rows}
        assert "q = 5" in rows["q-FFL, q = 0.1"].chosen and "ε = 1.0" in rows["FedMGDA+, ε = 0.5"].chosen


def test_a_report_calls_a_reprinted_row_by_what_was_run():
    """Beside the printed name, which is that of a setting that nobody ran; a row of the same name is called once."""
    table, records = catalogue.load("adafed_table_7_logged"), result_folders.find()
    text = report.render(table, results.load(table, records.results), records.papers)
    called = {line.split("  ")[0] for line in text.split("published")[1].splitlines()}
    assert "q-FedAvg, q = 5 (printed as q-FFL, q = 0.1)" in called and "q-FFL, q = 0.1" not in called
    assert "FedMGDA+, ε = 1.0 (printed as FedMGDA+, ε = 0.5)" in called and "FedFA" in called


@pytest.mark.parametrize(
    "name, sources",
    [
        ("dqn_fed_table_9_losses", ("dqn_fed_table_9", "dqn_fed_table_9_capped", "adafed_table_7")),
        ("adafed_figure_2_cifar10", ("adafed_table_1_setup_1",)),
        ("fedmgda_figure_4_batch_10", ("fedmgda_table_8",)),
        ("fedmgda_figure_4_full_batch", ("fedmgda_table_10",)),
    ],
)
def test_a_table_with_training_losses_has_the_settings_of_the_one_it_names(name, sources):
    """All but what is scored, and DQN-Fed's number of rounds: thirty of 300 are enough to see losses rise."""
    losses, others = catalogue.load(name), [catalogue.load(source) for source in sources]
    assert losses.training_losses and losses.evaluate_every == 1 and not losses.unsourced
    assert (losses.rounds, others[0].rounds) == ((30, 300) if name.startswith("dqn") else (others[0].rounds,) * 2)
    for row in losses.rows:
        (ran, same) = next((e, other) for e in others for other in e.rows if other.label == row.label)
        now, then = Job(losses, row, 0).identity, Job(ran, same, 0).identity
        for scored in ("training_losses", "evaluate_every", "rounds"):
            now.pop(scored, None), then.pop(scored, None)
        assert now == then, row.label
    text = " ".join(losses.chosen)
    assert all(source in text for source in sources if source.startswith(("dqn", "fedmgda", "adafed_table_1")))
