"""Attendance at meetings: who was checked in, who is late, who left, and guests."""
