"""Every word an annotator reads that belongs to a study, in each language of its panels."""
