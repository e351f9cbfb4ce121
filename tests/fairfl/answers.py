"""What members answer a coordinator in its next round."""


def replies(c, members):
    return [m.work(c.arrays(), c.round, c.needs) for m in members]
