import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { firstValueFrom, map, take, toArray } from "rxjs";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { StreamServer } from "../../run/serve/server.ts";
import { packDepth } from "../../sources/decode/depthV2/index.ts";
import { type DepthFrame, openLive, syntheticRoom } from "../../sources/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { python, running, streamOf } from "./python.ts";

// The Python package against this library's own reader and server: the same depth, unit, lens and colour on both sides.

const disk = useFolder();

describe.skipIf(!python)("Python", () => {
  const VIEWER = `
import sys, numpy as np, depthloom
shape = (4, 6)
numbers = np.arange(24).reshape(shape)
made = {
    "uint16": lambda: dict(depth=(1000 + numbers).astype(np.uint16), K=[5, 6, 2.5, 1.5], unit=0.002, distortion=[0.1, -0.2, 0, 0]),
    "float": lambda: dict(depth=np.where(numbers == 3, np.nan, 1 + numbers / 1000), K=np.array([[5, 0, 2.5], [0, 6, 1.5], [0, 0, 1]])),
    "far": lambda: dict(depth=np.where(numbers == 3, np.inf, 20.0 + numbers), color=np.full((*shape, 3), 7, np.uint8)),
}
with depthloom.Viewer("camera", open=False, port=0) as viewer:
    print(viewer.address)
    viewer.show(**made[sys.argv[1]]())
    sys.stdin.read()
`;

  const shown = async (kind: string) => {
    const { child, line, ended } = running(VIEWER, { args: [kind] });
    const source = await openLive(streamOf(await line()));
    onTestFinished(() => source.close());
    const frame = await firstValueFrom(source.frames$);
    expect(source.title).toBe("camera");
    child.stdin.end();
    return { frame, source, ended };
  };

  test("shows 16-bit depth as it is, and ends with the block", async () => {
    const { frame, ended } = await shown("uint16");
    const { metresPerUnit, depth, intrinsics } = frame;
    expect([metresPerUnit, ...depth.data.slice(0, 5)]).toEqual([0.002, 1000, 1001, 1002, 1003, 1004]);
    expect(intrinsics).toEqual({ fx: 5, fy: 6, cx: 2.5, cy: 1.5, width: 6, height: 4, distortion: [0.1, -0.2, 0, 0] });
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
  });

  test("rounds floats to a quarter of a millimetre, and takes NaN as no measurement", async () => {
    const { metresPerUnit, depth, intrinsics } = (await shown("float")).frame;
    expect([metresPerUnit, ...depth.data.slice(0, 5)]).toEqual([0.00025, 4000, 4004, 4008, 0, 4016]);
    expect(intrinsics).toMatchObject({ fx: 5, fy: 6, cx: 2.5, cy: 1.5 });
  });

  test("takes a coarser step for what is far, colour, and says that the lens is assumed", async () => {
    const { frame, source } = await shown("far");
    expect([frame.metresPerUnit, ...frame.depth.data.slice(2, 5)]).toEqual([0.001, 22000, 0, 24000]);
    expect([...(frame.color?.data.slice(0, 4) ?? [])]).toEqual([7, 7, 7, 255]);
    expect(source.facts.find(({ what }) => what === "intrinsics")).toMatchObject({ from: "assumed" });
  });

  test("a reader that pauses goes on with the newest frame: no more than two are on the way", async () => {
    const program = `
import sys, numpy as np, depthloom
with depthloom.Viewer(open=False, port=0) as viewer:
    print(viewer.address)
    for line in sys.stdin:
        viewer.show(np.full((480, 640), 1000, np.uint16))
`;
    const { child, line } = running(program);
    const socket = new WebSocket(streamOf(await line()), "depthloom.depth.v1");
    onTestFinished(() => socket.terminate());
    const came: number[] = [];
    socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) came.push(JSON.parse(data.toString("utf8", 4, 4 + data.readUInt32LE())).index);
    });
    await once(socket, "open");
    socket.send('{"watch": true}');
    child.stdin.write("\n");
    await expect.poll(() => came).toEqual([0]);
    socket.pause();
    for (let i = 1; i <= 40; i++) {
      child.stdin.write("\n");
      await pause(20);
    }
    socket.resume();
    await expect.poll(() => came.at(-1)).toBe(40);
    expect(came.length).toBeLessThanOrEqual(4);
  });

  test("greets again while a picture stands still, which a client takes for no stall", async () => {
    const { line } = running(VIEWER, { args: ["uint16"] });
    const socket = new WebSocket(streamOf(await line()), "depthloom.depth.v1");
    onTestFinished(() => socket.terminate());
    const came: string[] = [];
    socket.on("message", (data: Buffer, isBinary) => came.push(isBinary ? "frame" : JSON.parse(`${data}`).name));
    await once(socket, "open");
    socket.send('{"watch": true}');
    await expect.poll(() => came.slice(-2), { timeout: 10_000 }).toEqual(["camera", "camera"]);
    expect(came.filter((one) => one === "frame")).toEqual(["frame"]);
  });

  test("refuses pages of other names, streams without the token, and files outside the page", async () => {
    const { line } = running(VIEWER, { args: ["uint16"] });
    const address = await line();
    await expect(openLive(streamOf(address).replace(/\?.*/, ""))).rejects.toThrow("ws://127.0.0.1");
    const { origin } = new URL(address);
    expect((await fetch(`${origin}/..%2fviewer.py`)).status).toBe(404);
    expect((await fetch(`${origin}/../viewer.py`)).status).toBe(404);
  });

  test("reads packed depth, and the frames of a stream, as they were sent", async () => {
    const plain = syntheticRoom({ width: 32, height: 24, frames: 3, sensor: "kinect-v1" });
    const bent = { distortion: [0.1, 0, 0, 0.5], distortionModel: "fisheye" } as const;
    const bend = (frame: DepthFrame) => ({ ...frame, intrinsics: { ...frame.intrinsics, ...bent } });
    const room = {
      ...plain,
      read: async (i: number) => bend(await plain.read(i)),
      frames$: plain.frames$.pipe(map(bend)),
    };
    const { depth } = await room.read(0);
    const [packed, cut] = [join(disk.root, "frame.dld2"), join(disk.root, "cut.dld2")];
    const bytes = packDepth(depth.data, 32, 24, "deflate", deflateSync);
    writeFileSync(packed, bytes);
    writeFileSync(cut, bytes.slice(0, 40));
    const options = { host: "127.0.0.1", port: 0, rate: 1, loop: true, origins: [], maxClients: 2, warn() {} };
    const server = new StreamServer(room, options);
    onTestFinished(() => server.close());
    const [stream] = await server.open();
    const program = `
import sys, json, time, depthloom
packed, cut, stream = sys.argv[1:]
try:
    depthloom.read(cut)
except Exception as error:
    print(type(error).__name__)
image = depthloom.read(packed)
print(image.dtype, image.shape, int(image.astype(int).sum()))
for frame in depthloom.read(stream):
    print(json.dumps([frame.depth.shape, frame.unit, list(frame.K), frame.color.shape, int(frame.depth.astype(int).sum()),
                      frame.distortion, frame.distortion_model, abs(frame.timestamp - time.time()) < 60]))
    break
`;
    const { line, ended } = running(program, { args: [packed, cut, stream] });
    expect(await line()).toBe("ValueError");
    const sumOf = (data: Uint16Array) => data.reduce((sum, value) => sum + value, 0);
    expect(await line()).toBe(`uint16 (24, 32) ${sumOf(depth.data)}`);
    const frames = await firstValueFrom(room.frames$.pipe(take(3), toArray()));
    const { fx, fy, cx, cy } = frames[0].intrinsics;
    const sent = frames.map((frame) => [
      [24, 32],
      frame.metresPerUnit,
      [fx, fy, cx, cy],
      [24, 32, 4],
      sumOf(frame.depth.data),
      ...[bent.distortion, bent.distortionModel, true],
    ]);
    expect(sent).toContainEqual(JSON.parse(await line()));
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
  });

  test("says what is wrong with a frame, and that Depthloom's command is missing", async () => {
    const program = `
import depthloom, os, numpy as np
viewer = depthloom.Viewer(open=False, port=0)
depth = np.ones((4, 6), np.uint16)
for wrong in (dict(depth=depth[0]), dict(depth=depth.astype(str)), dict(depth=depth, K=[1, 2]), dict(depth=depth, unit=0), dict(depth=depth, unit="mm"), dict(depth=depth, distortion=[1]),
              dict(depth=depth, timestamp=np.float32(np.nan)), dict(depth=depth, color=np.zeros((4, 5, 3), np.uint8))):
    try:
        viewer.show(**wrong)
    except ValueError as error:
        print(str(error).split(" must")[0])
viewer.close()
for call in (lambda: viewer.show(depth), lambda: depthloom.Viewer(open=False, port=70000)):
    try:
        call()
    except (RuntimeError, OverflowError) as error:
        print(str(error)[:21])
for call in (lambda: depthloom.filtered(depth), lambda: depthloom.filtered([depth], options="--stages median")):
    try:
        list(call())
    except ValueError as error:
        print(str(error).split(" must")[0])
for program in ("", "/nowhere/depthloom"):
    os.environ["DEPTHLOOM"] = program
    try:
        list(depthloom.filtered([depth]))
    except RuntimeError as error:
        print("install its package by npm" in str(error))
`;
    const { ended } = running(program, { env: { PATH: "/nowhere", DEPTHLOOM: "" } });
    const { stdout, stderr } = await ended;
    expect([stdout, stderr]).toEqual([
      "depth\ndepth\nK\nunit\nunit\ndistortion\ntimestamp\ncolor\nthis viewer is closed\nbind(): port must be \nframes\noptions\nTrue\nTrue\n",
      "",
    ]);
  });

  test("a loop over a live stream that is left ends the connection; a server's refusal, and another protocol, are errors", async () => {
    const program = `
import sys, threading, time, depthloom
address = sys.argv[1]
for frame in depthloom.read(address):
    break
for _ in range(100):
    if threading.active_count() == 1:
        break
    time.sleep(0.1)
print(threading.active_count(), flush=True)
for end in ("?refuse", "?other"):
    try:
        print(list(depthloom.read(address + end)))
    except ConnectionError as error:
        print(str(error).split(": ")[1][:40], flush=True)
`;
    const server = new WebSocketServer({
      port: 0,
      handleProtocols: (_, { url }) => (url?.endsWith("?other") ? false : "depthloom.depth.v1"),
    });
    onTestFinished(() => server.close());
    await once(server, "listening");
    const header = JSON.stringify({ width: 1, height: 1, fx: 1, fy: 1, cx: 0, cy: 0, metresPerUnit: 0.001 });
    const length = Buffer.alloc(4);
    length.writeUInt32LE(header.length);
    server.on("connection", (socket, { url }) => {
      if (url?.endsWith("?refuse")) socket.close(1008, "this token has expired");
      else socket.send(Buffer.concat([length, Buffer.from(header), Buffer.alloc(2)]));
    });
    const { port } = server.address() as AddressInfo;
    expect(await running(program, { args: [`ws://127.0.0.1:${port}/`] }).ended).toMatchObject({
      stdout: "1\nreceived 1008 (policy violation) this to\nthis server streams no raw depth (depthl\n",
      stderr: "",
    });
    expect(server.clients.size).toBe(0);
  });

  test("says what is too far to be filtered in the unit that the first frame decided", async () => {
    const program = `
import warnings, numpy as np
from depthloom.filtering import _next
from depthloom.frames import Units
units, near, far = Units(), np.full((2, 2), 4.0), np.full((2, 2), 20.0)
_, step = units.of(near)
for image in (near, far):
    with warnings.catch_warnings(record=True) as told:
        depth = _next(iter([image]), units, None, (2, 2), step)
        print(depth[0, 0], *[str(one.message).split(":")[0] for one in told])
try:
    _next(iter([None, near]), units, None, (2, 2), step)
except ValueError as error:
    print(error)
`;
    expect(await running(program).ended).toMatchObject({
      stdout: "16000\n0 depth beyond 16.4 m is left out\ndepth must be an image of height × width, not of shape ()\n",
      stderr: "",
    });
  });
});
