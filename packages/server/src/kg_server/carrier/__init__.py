"""What agents start: the hook client and the MCP shim. Standard library only, and as little of it as possible.

Both run as ``python -I -S run.py …`` once per event or session, so every import here is paid for by a waiting person:
no ``pathlib``, ``dataclasses``, ``typing`` or ``asyncio``, and annotations are never evaluated. The hook client goes
without ``json``, ``re`` and ``socket`` too, which halves what it costs.
"""
