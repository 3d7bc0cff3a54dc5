"""The page of an event's director in words: next step, attention list, tiles, groups of links."""
