// Pages opened from disk cannot read other pages: the search then lists titles without excerpts.
"use strict";
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined")
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
