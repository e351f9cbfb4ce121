"""Run a class's notebooks one by one and mark them against the teacher's copy of the book: ``fairfl-book mark``.

Input: a folder of notebooks, and the book's own. Output: a table for a spreadsheet. ``submissions`` reads the folder, ``chapter_exercises`` lists a chapter's
exercises, and ``comparison`` finds what a student changed. ``student_process`` is the process in which one notebook runs. ``notebook_marker`` talks to it and has the
right answers; ``isolation`` runs it in a process that an answer may crash. ``json_values`` defines the values that pass between the two. ``marks_table`` is the file,
``class_marks`` goes through the class, and ``command`` is the command line.
"""
