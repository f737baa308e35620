"""What seeds and crawls are worth: measures, the uncertainty of each, and the experiments of the papers."""
