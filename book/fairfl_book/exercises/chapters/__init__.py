"""The exercises, one module per chapter, registered on import."""
