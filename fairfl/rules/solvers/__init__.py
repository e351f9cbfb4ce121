"""Quadratic programs and systems of equations in Gram coordinates, shared by several rules."""
