"""What every room uses and none owns: kernels, threads, memory, files, progress, words."""
