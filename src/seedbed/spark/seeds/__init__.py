"""Seeds on the blocks of a web, and on what of it fits the driver."""
