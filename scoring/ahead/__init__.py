"""AHEaD on the side of the database: what its scores are made of, the steps that make it, pages."""
