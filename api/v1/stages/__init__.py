"""Stages of an event: cuts, knock-outs, walk-overs."""
