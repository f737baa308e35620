"""What a web looks like: degrees, components, the bow-tie, distances."""
