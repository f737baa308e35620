"""Seeds of an old snapshot carried over to a new one."""
