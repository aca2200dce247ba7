"""The memory itself: model, rendering, policy, storage, plug-in host and the settings editor. No network."""
