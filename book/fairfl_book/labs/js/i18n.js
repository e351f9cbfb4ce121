// Words in the reader's language. A bundle fills TRANSLATIONS, English → translation (scripts.py); what it lacks stays English.

export const TRANSLATIONS = {};
/** The sentence in the reader's language, with {name} filled in from ``values``. */
export const tr = (english, values = {}) =>
  Object.entries(values).reduce(
    (said, [name, value]) => said.replaceAll(`{${name}}`, String(value)),
    TRANSLATIONS[english] ?? english,
  );
