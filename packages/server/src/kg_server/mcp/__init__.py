"""The Model Context Protocol, as far as a server of tools needs it."""
