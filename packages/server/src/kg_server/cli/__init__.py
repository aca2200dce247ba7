"""The ``kg`` command: one file a subcommand, imported only when it is used, over one HTTP client."""
