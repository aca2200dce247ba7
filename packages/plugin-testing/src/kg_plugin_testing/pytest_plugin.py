"""The pytest plug-in of kg-plugin-testing; imports nothing heavy, since it loads in every pytest run."""

import pytest

# The clauses' own assertions then show values, as those of a test module do.
pytest.register_assert_rewrite(
    *(
        f"kg_plugin_testing.{name}"
        for name in ("contract", "dialect", "following", "harness", "opened", "parts", "plugin", "search", "wiring")
    )
)
