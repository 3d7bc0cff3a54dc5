"""Releases: the table of those that were made, and the command that makes the next one."""
