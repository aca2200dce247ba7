"""``python -m kg_server``: the ``kg`` command."""

from kg_server.main import main

if __name__ == "__main__":
    main()
