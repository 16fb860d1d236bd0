"""The formats, one module each: text a line at a time, files a block of rows at a time."""
