"""One local memory for every coding agent: the server and the kg command."""
