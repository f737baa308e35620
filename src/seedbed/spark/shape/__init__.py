"""What `seedbed info` tells of a web in blocks."""
