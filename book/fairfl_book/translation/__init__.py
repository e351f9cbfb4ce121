"""The book in other languages. A translation cannot drift from the English: a passage whose English has changed appears in English, marked.

``sentences`` translates single sentences (messages of checks, text of labs) with a catalogue keyed by the English sentence,
and ``required_sentences`` lists the sentences that a catalogue needs. ``units`` splits a chapter's text
into pieces identified by digests, ``translation_file`` reads and writes a chapter's translation, ``invariants`` checks what a translation must share with its
English, ``edition`` makes translated notebooks from executed English ones, ``pending`` counts untranslated pieces, and ``translated_copies`` makes the reader's copies.
"""
