// Words in the reader's language. A bundle fills TRANSLATIONS, English → translation (javascript.py). Other sentences stay English.

export const TRANSLATIONS = {};
/** The sentence in the reader's language, with {name} filled in from ``values``. */
export const tr = (english, values = {}) =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`{${name}}`, String(value)),
    TRANSLATIONS[english] ?? english,
  );
