"""Rules that read the geometry of a round: lengths and angles of the updates, which is their Gram matrix ``A = G Gᵀ``.

All that such a rule decides is a function of A and of a few numbers a client; the vectors are touched once, for A, and
once more, for ``Gᵀ λ``.
"""
