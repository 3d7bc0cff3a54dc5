"""Events: settings, states, seasons, entrants, adjustments."""
