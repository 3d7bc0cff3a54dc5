"""Attendance at meetings: check-ins, late players, departures and guests."""
