"""The pytest plug-in of kg-plugin-testing; imports nothing heavy, since it loads in every pytest run."""

import pytest

# The clauses' own assertions then show values, as those of a test module do.
pytest.register_assert_rewrite("kg_plugin_testing.contract", "kg_plugin_testing.harness", "kg_plugin_testing.search")
