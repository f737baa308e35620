"""Link stores: compressed sparse rows and BVGraph, behind one `successors`."""
