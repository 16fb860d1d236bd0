"""The demo study: it may use everything, nothing uses it."""

SLUG = "weddings-and-tea"
PASSWORD = "concord-demo"  # printed at every start; the demo listens on this machine only
