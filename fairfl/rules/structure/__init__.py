"""Rules that read more than one Gram matrix: layers, single coordinates, or the updates of earlier rounds."""
