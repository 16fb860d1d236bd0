"""British order, 24 hours."""
