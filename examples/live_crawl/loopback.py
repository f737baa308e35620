"""A synthetic web on this machine: a server that answers for every host of it, and a resolver that leads there."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import succeed

import seedbed as sb


class Loopback(CachingThreadedResolver):
    """For Scrapy's setting of a resolver: every host is this machine."""

    def getHostByName(self, name, timeout=()):  # noqa: N802
        """Without asking anyone."""
        return succeed("127.0.0.1")


class Server(ThreadingHTTPServer):
    """Serves the pages of a web, as HTML with its links. `asked`: the ids of the pages, in the order fetched."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, web: sb.Web) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.web, self.asked = web, []
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    def here(self, url: str) -> str:
        """The URL with the server's port."""
        scheme, _, host, path = url.split("/", 3)
        return f"{scheme}//{host}:{self.server_port}/{path}"


class Page(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        """The links of the page."""
        host = self.headers["Host"].partition(":")[0]
        web, page = self.server.web, self.server.web.urls.find(f"http://{host}{self.path}")
        if page is None:
            self.send_error(404)
            return
        self.server.asked.append(page)
        links = [self.server.here(url) for url in web.urls.many(web.links.successors(page))]
        body = "".join(f'<a href="{url}">a link</a>\n' for url in links).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Nothing."""
