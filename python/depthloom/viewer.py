"""The viewer's page and the stream that it shows, from one server on this machine."""

import asyncio
import html
import json
import math
import mimetypes
import secrets
import sys
import threading
import time
import webbrowser
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np

from .frames import Frame, Units, bend_of, colour_of, lens_of, pack

PAGE = Path(__file__).resolve().parent / "page"
#: The port that is tried first. Browsers keep a page's settings by its port.
PORT = 8770
PROTOCOL = "depthloom.depth.v1"
#: A client without a word for a second reports a stall.
STILL_S = 0.5
#: The page's workers share memory only where it is isolated from pages of other origins.
HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


class Viewer:
    """Shows depth in Depthloom's viewer, in a browser on this machine. `with Viewer() as v:` ends the server at the end of the block.

    open: whether a browser is opened; None opens one except in a notebook, which shows the page itself.
    port: of the server on 127.0.0.1; None takes 8770, or a free one where that is taken. An OSError tells that the asked one is taken.
    """

    def __init__(self, name="Python", open=None, port=None):
        self.name = str(name)
        self._port, self._token = port, secrets.token_urlsafe(16)
        self._newest, self._index, self._units = None, 0, Units()
        self._clients = set()
        self._assumed = []
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._error = None
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait()
        if self._error:
            raise self._error
        if open or (open is None and not _in_notebook()):
            webbrowser.open(self.address)

    @property
    def address(self):
        """The page's address. Its token lets only those see the stream that know the address."""
        stream = f"ws://127.0.0.1:{self._port}/?token={self._token}"
        return f"http://127.0.0.1:{self._port}/?source={quote(stream, safe='')}"

    def show(self, depth, color=None, K=None, unit=None, timestamp=None, distortion=None):
        """Shows the next frame; a page that is slower gets the newest one. Returns at once.

        depth: height × width; 0, NaN and infinity are no measurement. uint16 in units of `unit` (0.001 m if not given), or floats in
        metres. color: uint8, height × width × 3 or 4, red first, what the depth camera sees. K: the camera matrix, or fx, fy, cx, cy in pixels;
        without it a lens of 58° across is assumed, and the page says so. timestamp: when it was captured, in seconds since 1970.
        distortion: OpenCV's k1, k2, p1, p2, k3 …, where depth was not undistorted.
        Raises a ValueError that says what is wrong with a frame.
        """
        is_guessed = unit is None and np.asarray(depth).dtype.kind in "iu"
        depth, unit = self._units.of(depth, unit)
        height, width = depth.shape
        lens = lens_of(K, width, height)
        color = None if color is None else colour_of(color, height, width)
        stamp = time.time() if timestamp is None else float(timestamp)
        if not math.isfinite(stamp):
            raise ValueError(f"timestamp must be seconds since 1970, not {timestamp!r}")
        if self._loop.is_closed():
            raise RuntimeError("this viewer is closed")
        self._assumed = ["unit"] * is_guessed + ["intrinsics"] * (K is None)
        message = pack(Frame(depth, unit, lens, color, stamp, self._index, bend_of(distortion)))
        self._index += 1
        self._loop.call_soon_threadsafe(self._offer, message)

    def wait(self):
        """Returns when the user presses Ctrl-C, so that a script's last frame stays in the page."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            pass

    def close(self):
        """Ends the server."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ending.set)
            self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _repr_html_(self):
        return f'<iframe src="{html.escape(self.address)}" style="width:100%;height:600px;border:0"></iframe>'

    def _offer(self, message):
        self._newest = message
        for fresh in self._clients:
            fresh.set()

    def _run(self, ready):
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve(ready))
        except Exception as error:  # The program's thread raises it.
            self._error = error
        finally:
            ready.set()
            self._loop.close()

    async def _serve(self, ready):
        import websockets

        self._ending = asyncio.Event()

        def serve(port):
            options = {"subprotocols": [PROTOCOL], "compression": None, "max_size": 2**16}
            return websockets.serve(self._client, "127.0.0.1", port, process_request=self._request, **options)

        try:
            server = await serve(PORT if self._port is None else self._port)
        except OSError:
            if self._port is not None:
                raise
            server = await serve(0)
        (socket, *_) = server.sockets
        self._port = socket.getsockname()[1]
        ready.set()
        await self._ending.wait()
        server.close()
        await server.wait_closed()

    async def _client(self, socket, *_):
        """Sends the newest frame whenever the client has taken the one before and somebody watches, until either end closes."""
        fresh, watch = asyncio.Event(), asyncio.Event()

        async def listen():
            async for text in socket:
                on = json.loads(text).get("watch") if isinstance(text, str) else None
                if on is not None:
                    (watch.set if on else watch.clear)()

        async def send():
            told = None
            while True:
                if told != self._assumed:
                    told = self._assumed
                    await socket.send(json.dumps({"name": self.name, "assumed": told}))
                try:
                    await asyncio.wait_for(fresh.wait(), STILL_S)
                except asyncio.TimeoutError:
                    # Greets again, so that a picture that stands still does not look like a lost connection.
                    told = None
                    continue
                await watch.wait()
                if told != self._assumed:
                    continue
                fresh.clear()
                await socket.send(self._newest)
                # The answer comes when the frame has been read: buffers on the way hold seconds of frames.
                await (await socket.ping())

        self._clients.add(fresh)
        if self._newest:
            fresh.set()
        works = [asyncio.ensure_future(work()) for work in (listen, send)]
        try:
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._clients.discard(fresh)
            for work in works:
                work.cancel()
            # A connection that breaks off is an end as any other.
            await asyncio.gather(*works, return_exceptions=True)

    async def _request(self, first, second):
        """Answers what is no WebSocket with a file of the page. websockets before 14 passes the path and headers, later a request."""
        is_old = isinstance(first, str)
        path, headers = (first, second) if is_old else (second.path, second.headers)
        own = {f"{name}:{self._port}" for name in ("127.0.0.1", "localhost")}
        if headers.get("Host") not in own:
            # Another name that leads here would be a web page's (DNS rebinding).
            status, body, kind = HTTPStatus.MISDIRECTED_REQUEST, b"this server answers by 127.0.0.1 alone\n", "text/plain"
        elif headers.get("Upgrade", "").lower() == "websocket":
            token = parse_qs(urlsplit(path).query).get("token", [""])[0]
            if secrets.compare_digest(token.encode(), self._token.encode()):
                return None
            status, body, kind = HTTPStatus.FORBIDDEN, b"the address lacks its token\n", "text/plain"
        else:
            status, body, kind = _file(urlsplit(path).path)
        extra = {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
        if is_old:
            return status, list(extra.items()), body
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        return Response(status.value, status.phrase, Headers(extra), body)


def _file(path):
    file = (PAGE / (path.lstrip("/") or "index.html")).resolve()
    if PAGE not in file.parents or not file.is_file():
        return HTTPStatus.NOT_FOUND, b"there is nothing of this name\n", "text/plain"
    # Some systems name other types for scripts, which browsers then refuse.
    kinds = {".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html; charset=utf-8", ".css": "text/css"}
    kind = kinds.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return HTTPStatus.OK, file.read_bytes(), kind


def _in_notebook():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


_shared = None


def view(depth, K=None, unit=None, color=None, distortion=None):
    """Shows depth in a page that all calls share: opens it with the first call, and shows the next frame with each further one.

    The arguments are those of `Viewer.show`. Returns the Viewer; in a notebook its page stands below the cell that ends with it.
    """
    global _shared
    if _shared is None or not _shared._thread.is_alive():
        _shared = Viewer()
    _shared.show(depth, color=color, K=K, unit=unit, distortion=distortion)
    return _shared
