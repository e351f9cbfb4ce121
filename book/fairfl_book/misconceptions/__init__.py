"""Fifteen questions on misconceptions, asked before and after a course.

``question`` says what a question is, and ``questions`` holds the fifteen. ``notebooks`` writes the two notebooks that a class hands in. ``marking.questionnaire`` reads the answers,
and ``marking.class_gain`` computes what the class has learned.
"""
