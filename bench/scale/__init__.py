"""A large memory in Postgres that can be made in minutes: text by Zipf's law, vectors around made-up subjects."""
