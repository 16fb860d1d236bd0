"""The pages of Help: the documents of ``docs/``, drawn as pages of the site."""
