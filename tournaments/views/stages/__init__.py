"""Pages of stages: plan, begin, cut; the bracket."""
