"""CultureScore beside its metric: the bank of probes, and what its reports need from answers."""
