"""Reads packed depth (depthloom.depth.v2, docs/depthV2.md) and the frames of a live stream."""

import asyncio
import queue
import struct
import subprocess
import tempfile
import threading
import zlib

import numpy as np

from .frames import CannotUnpack, unpack

#: How many frames may wait for the program; older ones are left out, and their indices are missing.
MOST_WAITING = 4
#: The most pixels of packed depth, as in the rest of Depthloom.
MOST_PIXELS = 16 * 2**20
DAMAGED = "packed depth cannot be unpacked: the file is cut off or damaged"


def read(place):
    """Reads depth.

    - The path of a file of packed depth (or its bytes) gives its image: uint16, height × width, 0 where there is no measurement.
    - The address of a live stream, "ws://…" of `depthloom serve` or of a Viewer, gives its frames as they come (`Frame`). A program
      that is slower than the stream gets the newest ones. The loop ends with the stream.

    Raises a ValueError for bytes that are no packed depth, and a ConnectionError where nobody answers, where a server speaks another
    protocol, and where the server ends the stream for a reason."""
    if isinstance(place, (bytes, bytearray, memoryview)):
        return unpacked(bytes(place))
    if str(place).startswith(("ws://", "wss://")):
        return _stream(str(place))
    with open(place, "rb") as file:
        return unpacked(file.read())


def _stream(address):
    frames = queue.Queue(MOST_WAITING)
    loop = asyncio.new_event_loop()

    def offer(item):
        while True:
            try:
                return frames.put_nowait(item)
            except queue.Full:
                try:
                    frames.get_nowait()
                except queue.Empty:
                    pass

    async def listen():
        import websockets

        # On one machine depth is sent as it is: unpacking takes longer than the bytes that it saves.
        options = {"subprotocols": ["depthloom.depth.v1"], "compression": None, "max_size": 2**27}
        async with websockets.connect(address, **options) as socket:
            if socket.subprotocol is None:
                raise ConnectionError("this server streams no raw depth (depthloom.depth.v1)")
            async for message in socket:
                # A server that greets with a text sends frames once it has this answer.
                if isinstance(message, str):
                    await socket.send('{"watch":true}')
                else:
                    offer(unpack(message, unpacked))

    listening = loop.create_task(listen())

    def run():
        try:
            loop.run_until_complete(listening)
            offer(None)
        except asyncio.CancelledError:  # The program has left its loop.
            pass
        except Exception as error:  # The program's thread raises it.
            offer(error)
        finally:
            loop.close()

    threading.Thread(target=run, daemon=True).start()
    try:
        while (item := frames.get()) is not None:
            if isinstance(item, Exception):
                # A server that stops breaks the connection off, and neither side says why.
                if type(item).__name__.startswith("ConnectionClosed") and item.rcvd is None and item.sent is None:
                    return
                raise ConnectionError(f"{address.split('?')[0]}: {item}") from item
            yield item
    finally:
        try:
            loop.call_soon_threadsafe(listening.cancel)
        except RuntimeError:  # The stream has ended already.
            pass


def unpacked(data):
    """The depth image of packed bytes."""
    if len(data) < 16 or data[:4] != b"DLD2":
        raise ValueError("this is no packed depth (depthloom.depth.v2)")
    _, packing, _, count, width, height, valid = struct.unpack_from("<4sBBHHHI", data)
    if packing > 2:
        raise CannotUnpack(f"depth is packed in a way {packing} that is not known here: a newer depthloom may read it")
    if width * height > MOST_PIXELS:
        raise ValueError(f"packed depth of {width} × {height} pixels is refused: {MOST_PIXELS} pixels are the most")
    if valid > width * height:
        raise ValueError("packed depth contradicts itself: the file is damaged")
    size = (width * height + 7) // 8
    length = 2 * count + size + 2 * valid
    # A few bytes may unpack to gigabytes: no more is unpacked than there should be, and one.
    block = (lambda data, _: data, _inflate, _unzstd)[packing](data[16:], length + 1)
    if len(block) != length:
        raise ValueError(f"packed depth is not of the {length} bytes of {width} × {height} pixels: the file is cut off or damaged")
    block = np.frombuffer(block, np.uint8).astype(np.int64)
    low, high, block = block[:count], block[count : 2 * count], block[2 * count :]
    values = np.cumsum((low | high << 8) + 1)
    mask = np.unpackbits(block[:size].astype(np.uint8), bitorder="little")[: width * height].reshape(height, width)
    if count and values[-1] > 65535 or mask.sum() != valid:
        raise ValueError("packed depth contradicts itself: the file is damaged")
    zigzag = block[size : size + valid] | block[size + valid :] << 8
    numbers = _numbers(((zigzag >> 1) ^ -(zigzag & 1)).tolist(), mask)
    depth = np.zeros((height, width), np.uint16)
    places = np.array(numbers)[mask.astype(bool)]
    if valid and places.max() >= count:
        raise ValueError("packed depth contradicts itself: the file is damaged")
    depth[mask.astype(bool)] = values[places]
    return depth


def _numbers(differences, mask):
    """The number of each pixel, by its neighbours' (MED); see docs/depthV2.md."""
    height, width = mask.shape
    difference = iter(differences)
    numbers = [[0] * width for _ in range(height)]
    for y, (row, measured) in enumerate(zip(numbers, mask.tolist())):
        above = numbers[y - 1] if y else None
        for x in range(width):
            a = row[x - 1] if x else above[0] if y else 0
            b = above[x] if y else a
            d = above[x - 1] if x and y else b if y else a
            guess = max(min(a, b), min(max(a, b), a + b - d))
            row[x] = (guess + next(difference)) & 0xFFFF if measured[x] else guess
    return numbers


def _inflate(data, most):
    stream = zlib.decompressobj()
    try:
        block = stream.decompress(data, most)
    except zlib.error as error:
        raise ValueError(DAMAGED) from error
    if not stream.eof:
        raise ValueError(DAMAGED)
    return block


def _unzstd(data, most):
    try:
        import zstandard
    except ImportError:
        return _by_zstd(data, most)
    try:
        return zstandard.ZstdDecompressor().stream_reader(data).read(most)
    except zstandard.ZstdError as error:
        raise ValueError(DAMAGED) from error


def _by_zstd(data, most):
    """The same by the program zstd, which is stopped where there is more."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        try:
            zstd = subprocess.Popen(["zstd", "-dcq"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            raise CannotUnpack("this depth is packed by zstd: pip install zstandard, or install the program zstd") from None
        with zstd:
            block = zstd.stdout.read(most)
            if len(block) == most:
                zstd.kill()
    if zstd.returncode != 0:
        raise ValueError(DAMAGED)
    return block
