"""Quality control: what speaks against answers, and the layer that leaves some out of results."""
