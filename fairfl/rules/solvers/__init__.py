"""Quadratic programs and systems of equations in Gram coordinates that several rules share. No rule stands here."""
