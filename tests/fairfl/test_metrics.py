import numpy as np
import pytest

from fairfl import metrics


def test_known_values():
    a = np.array([0.2, 0.4, 0.6, 0.8])
    assert metrics.mean(a) == pytest.approx(0.5)
    assert metrics.std(a) == pytest.approx(np.sqrt(0.05))
    assert metrics.worst(a, 50) == pytest.approx(0.3) and metrics.best(a, 50) == pytest.approx(0.7)
    assert metrics.worst(a, 10) == pytest.approx(0.2)
    assert metrics.improved([1.0, 1.0, 1.0, 1.0], [0.5, 1.0, 0.9, 2.0]) == pytest.approx(0.5)


def test_ten_percent_of_thirty_is_three():
    assert metrics.worst(np.arange(30.0), 10) == pytest.approx(1.0)


def test_angle_is_the_angle_to_ones():
    rng = np.random.default_rng(0)
    for _ in range(100):
        a = rng.uniform(size=rng.integers(2, 30))
        cosine = a.sum() / np.sqrt(len(a)) / np.linalg.norm(a)
        assert metrics.angle(a) == pytest.approx(np.degrees(np.arccos(cosine)), abs=1e-5)


def test_kl_is_zero_only_for_equal_values_and_log_n_at_a_corner():
    assert metrics.kl([0.3, 0.3, 0.3]) == pytest.approx(0, abs=1e-15)
    assert metrics.kl([1.0, 0.0, 0.0, 0.0]) == pytest.approx(np.log(4))


def test_sampling_spread_predicts_equal_clients():
    rng = np.random.default_rng(0)
    sizes = np.array([50, 100, 200] * 20)
    seen = np.mean([(rng.binomial(sizes, 0.8) / sizes).std() for _ in range(300)])
    assert metrics.sampling_std(np.full(60, 0.8), sizes) == pytest.approx(seen, rel=0.03)


def test_rows_of_a_history_at_once():
    assert metrics.mean(np.ones((5, 4))).shape == (5,)


@pytest.mark.parametrize(
    "bad, words",
    [
        (lambda: metrics.mean([]), "N ≥ 1"),
        (lambda: metrics.std([1.0, np.nan]), "client 1 has a non-finite"),
        (lambda: metrics.worst([1.0], 0), "above 0"),
        (lambda: metrics.kl([-1.0, 2.0]), "non-negative"),
        (lambda: metrics.improved([1.0, 2.0], [1.0]), "equal"),
        (lambda: metrics.sampling_std([0.5, 0.5], [10]), "2 positive numbers"),
    ],
)
def test_refusals_teach(bad, words):
    with pytest.raises(ValueError, match=words):
        bad()
