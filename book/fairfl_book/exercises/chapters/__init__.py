"""One module a chapter: its exercises, registered on import."""
