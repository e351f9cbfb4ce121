"""A class's notebooks, run one by one and marked by the teacher's own book: ``fairfl-book mark``.

In: a folder of notebooks, and the book's own. Out: a table for a spreadsheet. ``handed_in`` reads the folder, ``chapter`` says what a chapter
asks and ``compared`` what somebody changed in it; ``examinee`` is the process in which one notebook runs, ``examiner`` the other end, which has the
right answers and works ``apart``, in a process that an answer may end, and ``values`` what may pass between them; ``table`` is the file, ``marks`` goes through the class, and ``command`` offers it on
the command line.
"""
