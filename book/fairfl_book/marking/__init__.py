"""Run a class's notebooks one by one and mark them against the teacher's copy of the book: ``fairfl-book mark``.

Input: a folder of notebooks, and the book's own. Output: a table for a spreadsheet, and a sheet for each student. ``submissions`` reads the folder, ``chapter_exercises`` lists a chapter's
exercises, and ``comparison`` finds what a student changed. ``student_process`` is the process in which one notebook runs. ``notebook_marker`` talks to it and has the
right answers; ``isolation`` runs it in a process that an answer may crash. ``sandbox`` shuts the notebook's process in, as far as the system allows. ``json_values`` defines the values that pass between the two. ``marks_table`` is the file, ``student_sheets`` writes the sheets, each
a ``sheet_page`` with the sections to read again from ``read_on``. ``questionnaire`` reads the questions before and after a course (``misconceptions``), and ``class_gain`` counts them.
``class_marks`` goes through the class, and ``command`` is the command line.
"""
