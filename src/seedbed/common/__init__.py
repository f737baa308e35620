"""What every package here shares: kernels, threads, memory, files, progress, messages."""
