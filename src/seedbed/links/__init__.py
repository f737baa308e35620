"""Link stores: compressed sparse rows and BVGraph, behind a single `successors`."""
