"""What people look at: a comparison as one HTML file, and figures."""
