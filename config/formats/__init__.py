"""Dates as Concord writes them, also where Django writes them by itself."""
