"""What web archives hold: records, captures, the links of pages. Light to load, because worker processes do."""
