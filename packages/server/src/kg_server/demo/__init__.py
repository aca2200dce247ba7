"""Two scripted agents that share a temporary memory, over the same paths as real ones."""
