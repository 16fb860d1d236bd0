"""What a report holds, one module of frozen dataclasses a page."""
