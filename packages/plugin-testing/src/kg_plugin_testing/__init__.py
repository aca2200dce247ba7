"""Contract suites for authors of kg plug-ins."""
