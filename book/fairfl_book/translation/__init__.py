"""The book in another language, so that it cannot drift from the English: whatever changed there and not here shows, in English, with a mark.

``words`` answers for single sentences (what checks say, the labs' words), by a catalogue keyed by the English sentence,
and ``spoken`` lists what such a catalogue should hold. ``units`` cuts a chapter's text
into pieces known by their digests, ``text`` reads and writes the translator's file of a chapter, ``same`` says what a translation has to share with its
English, ``edition`` makes translated notebooks from executed English ones, ``waiting`` counts what is not translated, and ``desk`` is how readers get it.
"""
