"""Django's SQLite backend, its statements rewritten once."""
