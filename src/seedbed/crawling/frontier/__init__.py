"""The pages that wait in a simulated crawl: heaps and a partial sort."""
