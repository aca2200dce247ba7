"""Starting, stopping and finding the one server of a memory home."""
