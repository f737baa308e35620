"""Webs: link stores, URL tables, sites, the native store."""
