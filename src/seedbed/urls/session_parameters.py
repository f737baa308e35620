"""The parameters of URLs that number a visit, not a page; read by whatever tells pages apart by URL."""

SESSIONS = ("jsessionid", "phpsessid", "sessionid", "sid")
"""Names of parameters, in lower case. ;jsessionid= at the end of a path is one of them."""

CAMPAIGN = "utm_"
"""What the names of parameters start with that say where a visitor came from."""
