# What bench/loss/client.mjs asks for, by Python's http.server: "hello <path> <bytes of the body>".
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"hello {self.path} 0\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    request_queue_size = 511


Server(("127.0.0.1", int(os.environ["PYTHON_PORT"])), Hello).serve_forever()
