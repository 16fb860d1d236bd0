"""Which static files of other packages are served."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class UsedStaticFiles(StaticFilesConfig):
    """Without ReDoc: 5 MB that no page asks for, and that a strict policy would not run."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc"]
