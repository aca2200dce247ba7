"""The pytest plug-in of kg-plugin-testing; imports nothing heavy, since it loads in every pytest run."""
