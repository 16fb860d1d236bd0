"""Tables of other tools, read into records: files into rows, rows into ratings. No Django."""
