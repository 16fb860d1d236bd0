"""Django writes %s where SQLite wants ?, and searches each statement for them each time it runs,
which takes longer than finding a row. Here what was rewritten is remembered.
"""

from functools import lru_cache

from django.db.backends.sqlite3 import base

_rewritten = lru_cache(maxsize=1024)(base.SQLiteCursorWrapper.convert_query)


class CursorWrapper(base.SQLiteCursorWrapper):
    def convert_query(self, query, *, param_names=None):
        if param_names is None:
            return _rewritten(None, query)
        return super().convert_query(query, param_names=param_names)


class DatabaseWrapper(base.DatabaseWrapper):
    def create_cursor(self, name=None):
        return self.connection.cursor(factory=CursorWrapper)
