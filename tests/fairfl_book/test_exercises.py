import dataclasses
import re
from fractions import Fraction

import numpy as np
import pytest
from fairfl_book import book_paths
from fairfl_book.exercises import (
    Exercise,
    Wrong,
    check,
    claim,
    common_errors,
    judge,
    registry,
    solutions,
    try_claim,
    turns,
)
from fairfl_book.exercises.registry import everything
from refusals import refused

ALL = registry()


@pytest.mark.parametrize("slug", ALL)
def test_stub_right_and_wrong_answers_are_told_apart(slug):
    exercise = ALL[slug]
    stub = (lambda *a: None) if exercise.is_function else ...
    assert judge(exercise, stub).status == "not attempted yet"
    assert judge(exercise, exercise.right).status == "right"
    assert len(exercise.wrong) >= 2, "recognise at least two wrong answers"
    messages = set()
    for name, wrong in exercise.wrong.items():
        verdict = judge(exercise, wrong.answer)
        assert verdict.status == "not yet" and verdict.known == name, f"{slug}: {name} is taken for {verdict.known!r}"
        assert "{" not in verdict.message.replace("{case", "")
        messages.add(wrong.why)
    assert len(messages) == len(exercise.wrong)


DOUBLE = Exercise(
    "t.double",
    "twice x",
    lambda x: 2 * np.asarray(x),
    cases=[(1.0,), ([1.0, 2.0],)],
    wrong={
        "square": Wrong(lambda x: np.asarray(x) ** 2, "for {case}: {given}, not {right}"),
        "half": Wrong(lambda x: np.asarray(x) / 2, "halved"),
    },
)


@pytest.mark.parametrize(
    "answer, known, mention",
    [
        (lambda x: 1 / 0, "", "ZeroDivisionError"),
        (lambda: 3, "", "TypeError"),
        (7, "", " 7"),
        (lambda x: "two", "slip", " 2."),
        (lambda x: np.asarray(x) ** 2, "square", "for 1: 1, not 2"),
        (lambda x: [object()], "", " 2."),
    ],
)
def test_any_answer_gets_a_reply(answer, known, mention):
    verdict = judge(DOUBLE, answer)
    assert (verdict.status, verdict.known) == ("not yet", known) and mention in verdict.message


def test_the_statuses_are_those_in_the_docstring_of_a_verdict():
    answers = ..., DOUBLE.right, lambda x: np.asarray(x) ** 2, lambda x: "two", 7
    given = {judge(DOUBLE, answer).status for answer in answers}
    assert set(re.findall(r'"([^"]+)"', judge(DOUBLE, 7).__doc__.partition("``message``")[0])) == given


def test_check_does_not_let_an_answer_change_the_cases():
    def greedy(x):
        if isinstance(x, np.ndarray):
            x *= 2
        return x

    judge(DOUBLE, greedy)
    assert DOUBLE.cases[1][0].tolist() == [1.0, 2.0]


def test_a_slip_that_shows_in_another_case_names_that_case():
    exercise = dataclasses.replace(
        registry()["start.rates"],
        wrong={},
        cases=[([[1.0, 0.0], [-1.0, 2.0]], [0.5, 0.5]), ([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]], [0.5, 0.5])],
    )
    message = judge(exercise, lambda G, w: sum(G)).message  # two numbers first, which is right, and then three
    assert message.index("[0, 2]") < message.index("[[1, 2, 0], [0, 1, 1]]") < message.index("a list of 2")
    assert "a list of 3" in message
    message = judge(exercise, lambda G, w: [*sum(G), 1]).message
    assert "a list of 3" in message and "[[1, 2, 0]" not in message, "the case that is already shown is named once"


def test_unknown_slug_offers_the_nearest():
    with refused("name", "fl.averag", "'fl.average'"):
        check("fl.averag", 1)


def test_an_open_exercise_is_known_and_has_no_check():
    with refused("name", "prox.corrected", "no check", 'hint("prox.corrected")'):
        check("prox.corrected", lambda w: w)


def test_a_claim_that_holds_prints_its_bound_which_every_machine_repeats(capsys):
    claim("sums commute", lambda rng: np.subtract(*(lambda a: (a.sum(), a[::-1].sum()))(rng.normal(size=5))), n=50)
    assert capsys.readouterr().out == "sums commute: 50 of 50 random cases, residual at most 1e-8\n"


def test_a_claim_that_fails_prints_its_worst_case_and_the_plainest_beside_it(capsys):
    sizes = iter([0.5, 22.1, 0.0, 3.0])
    claim("it holds", lambda rng: (lambda x: (x, {"a": "a long story" if x > 20 else x}))(next(sizes)), n=4)
    assert capsys.readouterr().out == (
        "it holds: fails in 3 of 4 random cases. Worst: a a long story, residual 22. Plainest: a 3, residual 3\n"
    )
    for case in (lambda x: (x, {"a": x}), lambda x: x):
        sizes = iter([4.0, 3.0])
        claim("it holds", lambda rng, case=case, sizes=sizes: case(next(sizes)), n=2)
        assert "Plainest" not in capsys.readouterr().out  # it would not be shorter


def test_a_claim_never_passes_on_nan():
    outcome = try_claim(lambda rng: float("nan"), n=3)
    assert outcome.held == 0 and outcome.worst == np.inf


EVERYTHING = everything()
BOOK = book_paths.find()


@pytest.mark.parametrize("slug", EVERYTHING)
def test_every_exercise_has_hints_that_give_a_step_and_not_the_answer(slug):
    exercise = EVERYTHING[slug]
    assert 2 <= len(exercise.hints) <= 4
    hints = " ".join(exercise.hints)
    for form in spelled(getattr(exercise, "right", None)):
        assert not re.search(rf"(?<![\w.]){re.escape(form)}(?![\w.]*\d)", hints), f"a hint gives away {form}"
    for line in code_lines(slug):
        assert line not in hints.replace("`", ""), f"a hint gives away the line {line}"


def spelled(right):
    """The forms in which a hint may contain a number; single digits appear for other reasons."""
    if not isinstance(right, (int, float)):
        return []
    fraction = Fraction(right).limit_denominator(100)
    forms = {f"{right:g}", f"{right:.3g}", f"{right:,.0f}" if right > 100 else f"{right:.2f}", f"{fraction}"}
    return [form for form in forms if len(form) > 1]


def code_lines(slug):
    found = [solutions.of_chapter(BOOK, name).get(slug) for name in BOOK.names()]
    code = "\n".join(solution.code for solution in found if solution)
    bare = [re.sub(r"^(return|\w+ =) ", "", line.strip()) for line in code.splitlines()]
    return [line for line in bare if len(line) > 8 and not line.startswith(("check(", "def ", "import ", "from "))]


@pytest.mark.skipif(not solutions.there(BOOK), reason="this copy of the book has no solutions")
def test_the_solutions_are_those_of_the_exercises_that_their_chapter_asks():
    converted = [name for name in BOOK.names() if "[solution]" not in BOOK.twin(name).read_text(encoding="utf-8")]
    for name in converted:
        text = BOOK.twin(name).read_text(encoding="utf-8")
        asked = re.findall(r'^check\("([\w.]+)"|^# (\w+\.\w+): your', text, re.MULTILINE)
        exercises = [slug for pair in asked if not turns.is_turn(slug := "".join(pair))]
        assert list(solutions.of_chapter(BOOK, name)) == exercises, name
    known = [slug for name in BOOK.names() for slug in solutions.of_chapter(BOOK, name)]
    assert set(known) <= set(EVERYTHING) and len(known) == len(set(known))
    assert {path.stem for path in solutions.folder(BOOK).glob("*.md")} <= set(BOOK.names())


def test_a_solution_says_why_before_its_code():
    for name in BOOK.names():
        for slug, found in solutions.of_chapter(BOOK, name).items():
            assert len(found.text.partition("```")[0].split()) >= 10, (
                f"{slug}: a solution needs a sentence that explains it"
            )
            assert "np.array(" not in found.code or "[" in found.code, f"{slug}: what is passed is already an array"


@pytest.mark.parametrize(
    "slug, answer, known, mention",
    [
        ("pareto.dominates", lambda f, g, e: (f + 2 * e <= g).all() or (f + 2 * e < g).any(), "or", "(1)"),
        ("pareto.dominates", lambda f, g, e: f <= g and (f < g).any(), "", "`and`"),
        ("pareto.dominates", lambda f, g, e: f < g, "slip", "`.any()`"),
        (
            "pareto.dominates",
            lambda f, g, e: int((f + 2 * e <= g).all() and (f + 2 * e < g).any()),
            "slip",
            "True or False",
        ),
        ("pareto.weights", lambda a, b: 1 / np.array([np.linalg.norm(a), np.linalg.norm(b)]), "slip", "proportions"),
        ("prox.one_step", 2.6, "shrunken step", "4 (w − 1)"),
        ("prox.match", lambda mu, h, lr: np.log1p(h / mu) / np.log1p(-lr * h), "sign", "1 − ℓ h"),
        ("prox.huber", lambda w, eta, h, c, L: w - eta * np.clip(h * (w - c), -L, L), "gradient step", "η"),
        ("fedfv.two_clients", 2 * 0.8**0.5, "sine not squared", "sin² φ"),
        ("reweighting.bought", lambda f, t, share: np.log(share / (1 - share)) / t, "", "3.627"),
        ("reweighting.capped", lambda f, cap: np.eye(len(f))[f.argmax()] * cap, "the worst alone", "cap"),
        ("mgda.common_rate", [3 / 7, 3 / 7], "form", " 2"),
        ("mgda.common_rate", 0.43, "form", "0.43"),
        ("mgda.common_rate", 6 / 7, "slip", "2 times"),
        ("fl.test_images", 90.0, "slip", "0.1 times"),
        ("pareto.inflated", 0.3, "", "0.3"),
        ("reading.one_tail", lambda mean, worst, p: 3.0, "slip", "all 3 inputs"),
        ("fedmgda.worst_rate", lambda K, epsilon: 2 / K - 1, "FedAvg-n", "-0.6"),
    ],
)
def test_natural_mistakes_get_a_reply_that_is_true_of_them(slug, answer, known, mention):
    verdict = judge(ALL[slug], answer)
    assert (verdict.status, verdict.known) == ("not yet", known) and mention in verdict.message
    assert "direction" not in verdict.message  # none of these is a vector of the wrong length


def near_opposite(a, b):
    return not a.any() or not b.any() or bool(a @ b / np.linalg.norm(a) / np.linalg.norm(b) < -0.9)


def on_101_weights(f):
    t = np.linspace(0, 1, 101)[:, None]
    sums = t * f[:, 0] + (1 - t) * f[:, 1]
    return (sums <= sums.min(1, keepdims=True) + 1e-9).any(0)


def no_pair_gains(A, s, lam, epsilon):
    """Audits with the lower bound 1/K − ε in the place of max(0, 1/K − ε)."""
    nu, x, K = s * lam, A @ lam / s, len(s)
    if abs(nu.sum() - 1) > 1e-9 or (nu < -1e-9).any() or (abs(nu - 1 / K) > epsilon + 1e-9).any():
        return False
    gives, takes = nu > 1 / K - epsilon + 1e-9, nu < 1 / K + epsilon - 1e-9
    return all(x[i] <= x[j] + 1e-9 for i in np.flatnonzero(gives) for j in np.flatnonzero(takes))


def exactly_combined(Lam):
    K = Lam.shape[1]
    found = [np.linalg.lstsq(Lam.T, unit, rcond=None)[0] @ Lam == unit for unit in np.eye(K)]
    return [k for k in range(K) if found[k].all()]


@pytest.mark.parametrize(
    "slug, answer, known",
    [
        ("mgda.stationary", near_opposite, "nearly opposite"),
        ("pareto.supported", on_101_weights, "a few weights"),
        ("picture.audit", no_pair_gains, "bound below zero"),
        (
            "reading.possible",
            lambda v, n: any(f"{100 * k / n:.2f}" == f"{v:.2f}" for k in range(n + 1)),
            "one way only",
        ),
    ],
)
def test_answers_that_are_nearly_right_are_told_apart(slug, answer, known):
    verdict = judge(ALL[slug], answer)
    assert (verdict.status, verdict.known) == ("not yet", known)


def test_an_exact_comparison_is_a_reason_wherever_rounding_leaves_a_client_out():
    verdict = judge(ALL["real.exposed"], exactly_combined)
    assert verdict.known in ("alone", "differences", "") and verdict.status == "not yet"
    assert not verdict.known or "==" in verdict.message


def test_a_changed_argument_does_not_explain_true_or_false():
    for slug in ("picture.audit", "picture.agree", "reading.possible", "pareto.dominates"):
        assert not any("argument" in name for name, _ in common_errors.natural(ALL[slug])), slug


def test_the_arguments_of_a_case_have_the_names_that_the_readers_function_gives_them():
    def step_size(t, T, eta, decay):
        return eta * decay ** ((t + 1) // 100 * 100 / T)

    assert "t = 99, T = 400, eta = 2, decay = 0.5 " in judge(ALL["fedmgda.step_size"], step_size).message
    assert " 99, 400, 2, 0.5 " in judge(ALL["fedmgda.step_size"], lambda *a: step_size(*a)).message


def test_right_answers_in_other_forms_pass():
    assert (
        judge(
            ALL["pareto.dominates"], lambda f, g, e: np.array((f + 2 * e <= g).all() and (f + 2 * e < g).any())
        ).status
        == "right"
    )
    assert judge(ALL["reweighting.threshold"], 0.6667).status == "right"


def test_a_missing_line_that_still_returns_dots_is_not_attempted():
    def step_size(t, T, eta, decay):
        due = T / 100
        return ... if due else eta

    assert judge(ALL["fedmgda.step_size"], step_size).status == "not attempted yet"
