"""Video and sound: what a file is, whether every browser plays it, and the file made for rating.

Everything here needs PyAV and is imported late, by the worker and the commands, never by a web
process. Django-free.
"""
