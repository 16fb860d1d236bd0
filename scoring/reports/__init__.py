"""What people see and take away of a report: page, plots, CSV and JSON."""
