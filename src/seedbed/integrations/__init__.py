"""Live crawls: seedbed inside crawlers that others wrote. One crawler a file, and what that file needs."""
