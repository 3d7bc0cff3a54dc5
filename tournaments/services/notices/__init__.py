"""Mail and notices: written with what they tell of, sent by a worker afterwards."""
