"""Management commands, and the supervision of the processes of `serve`."""
