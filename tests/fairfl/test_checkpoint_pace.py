from fairfl.training.checkpoint import Pace


def test_long_checkpoints_take_a_twentieth_of_the_time_and_short_ones_are_always_due():
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert pace.due()
    with pace.writing():
        now[0] += 2.0
    assert not pace.due()
    now[0] += 37.9
    assert not pace.due()
    now[0] += 0.2
    assert pace.due()
    with pace.writing():
        now[0] += 0.2
    assert pace.due()
