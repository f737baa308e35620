"""What web archives hold: records, captures, the links of pages. Light to import, because worker processes do it."""
