"""The tools that models call: each decides in one synchronous step what shall change and what is said."""
