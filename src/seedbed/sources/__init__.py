"""Webs in files: `opening` recognises and reads them, `saving` writes them, `formats` has one file per format."""
