"""Attendance at meetings, as lists and pages show it."""
