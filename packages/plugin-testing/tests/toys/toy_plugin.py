"""A plug-in that keeps every clause: found, loaded and asked without a trace, on which mutations are tried."""

from kg_plugin_api import SearchBackendFactory, hookimpl


async def open_index(options):
    import hypothesis  # what is heavy is imported here

    return hypothesis


@hookimpl
def kg_search_backends():
    return [SearchBackendFactory(name="toy", open=open_index)]
