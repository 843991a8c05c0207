import { on, once } from "node:events";
import { join } from "node:path";
import { concat, firstValueFrom, map, take, throwError, toArray } from "rxjs";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { DISTORTION_MODELS } from "../../../core/frame.ts";
import { fileOf } from "../../../core/pictureFile.ts";
import { frameOf, plainOf } from "../../../core/plainFrame.ts";
import {
  type DepthFrame,
  framesOf,
  type LiveSource,
  openLive,
  openRecording,
  SeveralTopicsError,
  syntheticRoom,
} from "../../../sources/index.ts";
import { DEPTH_PROTOCOL, FILES_TEXT, watchText } from "../../../sources/live/depth.ts";
import { writeTum } from "../../../write/index.ts";
import { useFolder } from "../fixtures.ts";
import { depthMessage, plainServer, pretend, serve, topicServer } from "./liveServer.ts";

// Live streams over a real socket: exact frames in order, lost connections, and servers that send garbage.

const disk = useFolder();
const PNG = new TextEncoder().encode("PNG");

async function live(...given: Parameters<typeof openLive>): Promise<LiveSource> {
  const source = await openLive(...given);
  onTestFinished(() => source.close());
  return source;
}

const some = (source: LiveSource, count: number): Promise<DepthFrame[]> =>
  firstValueFrom(source.frames$.pipe(take(count), toArray()));

describe("a recording served by StreamServer", () => {
  test.each([0.001, 1 / 5000])("reaches openLive bit for bit and in order, in units of %f m", async (unit) => {
    const recording = pretend(30, 100, unit);
    const { address } = await serve(recording);
    const before = Date.now();
    const source = await live(address);
    const frames = await some(source, 20);
    const originals = await Promise.all(Array.from({ length: 30 }, (_, i) => recording.read(i)));
    for (const frame of frames) {
      const original = originals.find(({ depth }) => depth.data[1] === frame.depth.data[1]);
      expect(frame.depth.data).toEqual(original?.depth.data);
      expect(frame.color?.data).toEqual(original?.color?.data);
      expect(frame.intrinsics).toEqual(original?.intrinsics);
      expect(frame.metresPerUnit).toBe(unit);
      expect(frame.timestamp).toBeGreaterThanOrEqual(before);
    }
    const indices = frames.map(({ index }) => index);
    expect(indices).toEqual([...indices].sort((a, b) => a - b));
    expect(new Set(indices).size).toBe(20);
    expect(frames.map(({ jump }) => jump ?? false)).toEqual([true, ...Array(19).fill(false)]);
    expect(source).toMatchObject({ format: "depth stream", title: "pretend" });
    expect(source.report).toMatchObject({ state: "connected", malformed: 0, reconnects: 0 });
    expect(source.report.clockSkewMs).toBe(0);
    expect(source.facts.map(({ what }) => what)).toEqual(["format", "unit", "intrinsics", "fps"]);
  });

  test.each(DISTORTION_MODELS)("keeps a lens that is bent as %s says", async (distortionModel) => {
    const plain = pretend(2);
    const read = async (index: number) => {
      const frame = await plain.read(index);
      const distortion = [0.1, -0.05, 0.001, 0, 0.02];
      return { ...frame, intrinsics: { ...frame.intrinsics, distortion, distortionModel } };
    };
    const recording = { ...plain, read, frames$: framesOf({ length: 2, read }) };
    const { address } = await serve(recording);
    const [frame] = await some(await live(address), 1);
    expect(frame?.intrinsics).toEqual((await recording.read(0)).intrinsics);
  });

  test("has colour as its own files for clients that ask, with the same pixels, and as pixels for others", async () => {
    const folder = join(disk.root, "tum");
    await writeTum(syntheticRoom({ width: 64, height: 48, frames: 3, fps: 1000 }), folder);
    await using recording = await openRecording(folder);
    expect(fileOf(frameOf(plainOf(await recording.read(0))).color?.data)?.subarray(1, 4)).toEqual(PNG);
    const { address } = await serve(recording, { rate: 0.05 });
    const first = async (texts: readonly string[]) => {
      const socket = new WebSocket(address, [DEPTH_PROTOCOL]);
      onTestFinished(() => socket.terminate());
      await once(socket, "open");
      for (const text of texts) socket.send(text);
      for await (const [data, isBinary] of on(socket, "message") as AsyncIterable<[Buffer, boolean]>)
        if (isBinary) return { data, header: JSON.parse(data.toString("utf8", 4, 4 + data.readUInt32LE())) };
      return undefined;
    };
    const [file, pixels] = await Promise.all([[FILES_TEXT, watchText(true)], [watchText(true)]].map(first));
    expect([file?.header.color, pixels?.header.color]).toEqual(["file", "rgba8"]);
    expect(new Uint8Array(file?.data.subarray(-file.header.colorBytes) ?? []).slice(1, 4)).toEqual(PNG);
    const originals = await Promise.all([0, 1, 2].map((index) => recording.read(index)));
    for (const { depth, color } of await some(await live(address), 3)) {
      const original = originals.find((one) => one.depth.data.every((value, i) => value === depth.data[i]));
      expect(color?.data).toEqual(original?.color?.data ?? "none of the recording's frames");
    }
  });

  test("is received again once its server was stopped and has come back", async () => {
    const { server, address } = await serve(pretend(300));
    const source = await live(address);
    const frames: DepthFrame[] = [];
    const subscription = source.frames$.subscribe((frame) => frames.push(frame));
    onTestFinished(() => subscription.unsubscribe());
    await expect.poll(() => frames.length).toBeGreaterThan(3);
    await server.close();
    await expect.poll(() => source.report.state).toBe("reconnecting");
    const had = frames.length;
    await serve(pretend(300), { port: Number(new URL(address).port) });
    await expect.poll(() => frames.length, { timeout: 20_000 }).toBeGreaterThan(had + 3);
    expect(source.report).toMatchObject({ state: "connected", reconnects: 1 });
    expect(frames.filter(({ jump }) => jump).map(({ index }) => index)).toEqual([0, frames[had]?.index]);
    const indices = frames.map(({ index }) => index);
    expect(indices).toEqual([...indices].sort((a, b) => a - b));
  });

  test("is refused to a web page of another origin, unless --origin names the origin", async () => {
    const { address } = await serve(pretend(3), { origins: ["https://app.foxglove.dev"] });
    const ends = async (origin: string) => {
      const socket = new WebSocket(address, ["foxglove.websocket.v1"], { origin });
      const end = await new Promise((resolve) => {
        socket.on("open", () => resolve("open"));
        socket.on("error", (error) => resolve(error.message));
      });
      socket.terminate();
      return end;
    };
    expect(await ends("https://evil.example")).toMatch(/401/);
    expect(await ends("http://localhost.evil.example")).toMatch(/401/);
    expect(await ends("null")).toMatch(/401/);
    expect(await ends("http://localhost:5173")).toBe("open");
    expect(await ends("https://app.foxglove.dev")).toBe("open");
  });
});

describe("a message of depthloom.depth.v1", () => {
  const [width, height] = [3, 2];
  const lens = { fx: 4, fy: 5, cx: 1, cy: 0.5 };
  const values = Uint16Array.of(0, 1, 2, 300, 65535, 7);
  const body = new Uint8Array(values.buffer);
  const twice = Buffer.concat([body, body]);
  const header = { width, height, metresPerUnit: 0.0001, ...lens, timestamp: 1000.5, index: 4 };

  test("is read exactly, with its colour; frames that the sender skipped are a gap in the index", async () => {
    const rgb = Uint8Array.from({ length: 18 }, (_, i) => 10 * i);
    const server = await plainServer("depthloom.depth.v1", (send) => {
      // Sent over and over, so that a listener is there for some of them.
      const timer = setInterval(() => {
        send(depthMessage(header, body));
        const metadata = { "Actual Exposure": 8500, mode: "auto\u0007" };
        send(depthMessage({ ...header, index: 7, color: "rgb8", metadata }, Buffer.concat([body, rgb])));
      }, 20);
      onTestFinished(() => clearInterval(timer));
    });
    const [first, second] = (await some(await live(server.address), 2)) as [DepthFrame, DepthFrame];
    expect(first).toMatchObject({ metresPerUnit: 0.0001, timestamp: 1000.5, index: 0, jump: true });
    expect(first.intrinsics).toEqual({ ...lens, width, height });
    expect([first.depth.shape, first.depth.data]).toEqual([[2, 3], values]);
    expect(second.index).toBe(3);
    const mode = ["mode", expect.not.stringContaining("\u0007")];
    expect([first.metadata, second.metadata]).toEqual([undefined, [["Actual Exposure", "8500"], mode]]);
    expect([...(second.color?.data ?? [])].slice(0, 8)).toEqual([0, 10, 20, 255, 30, 40, 50, 255]);
  });

  test("has a unit and a lens of its own, which the facts tell when its frame is there", async () => {
    const server = await plainServer("depthloom.depth.v1", (send) => {
      const greet = (assumed: string[]) => send(JSON.stringify({ name: "one", assumed }));
      let isOther = false;
      const timer = setInterval(() => {
        isOther = !isOther;
        greet(isOther ? ["intrinsics"] : []);
        send(depthMessage({ ...header, index: undefined, ...(isOther && { fx: 8, metresPerUnit: 0.001 }) }, body));
      }, 20);
      onTestFinished(() => clearInterval(timer));
    });
    const source = await live(server.address);
    const told = source.frames$.pipe(
      take(4),
      map(({ intrinsics: { fx } }) => [fx, source.facts.slice(1, 3).map(({ value, from }) => `${value}, ${from}`)]),
    );
    const seen = Object.fromEntries(await firstValueFrom(told.pipe(toArray())));
    expect(seen).toEqual({
      4: ["0.1 mm, files", "fx 4, fy 5, cx 1, cy 0.5, files"],
      8: ["1 mm, files", "fx 8, fy 5, cx 1, cy 0.5, assumed"],
    });
  });

  test.each([
    ["that is a text", "hello"],
    ["that greets without a name", '{"assumed":[]}'],
    ["without bytes", new Uint8Array()],
    ["with a header longer than the message", Buffer.from([255, 0, 0, 0, 1])],
    ["without JSON in its header", depthMessage("{", body)],
    ["with a header that is no object", depthMessage("[1]", body)],
    ["without a size", depthMessage({ ...header, width: 0 }, body)],
    ["with an enormous size", depthMessage({ ...header, width: 1e9, height: 1e9 }, body)],
    ["with too few pixels", depthMessage({ ...header, height: 3 }, body)],
    ["without a lens", depthMessage({ ...header, fx: null }, body)],
    ["without a valid unit", depthMessage({ ...header, metresPerUnit: -1 }, body)],
    ["with metadata that are no object", depthMessage({ ...header, metadata: "on" }, body)],
    ["with a list among its metadata", depthMessage({ ...header, metadata: { laser: [[150]] } }, body)],
    ["with an unknown kind of colour", depthMessage({ ...header, color: "jpeg" }, body)],
    ["with a file of colour of unknown length", depthMessage({ ...header, color: "file" }, body)],
    ["with colour that is no image", depthMessage({ ...header, color: "file", colorBytes: 12 }, twice)],
  ])("%s is skipped and counted as malformed", async (_, bad) => {
    const server = await plainServer("depthloom.depth.v1", (send) => {
      const timer = setInterval(() => {
        send(bad);
        send(depthMessage({ width, height, ...lens }, body));
      }, 10);
      onTestFinished(() => clearInterval(timer));
    });
    const source = await live(server.address);
    const frames = await some(source, 4);
    expect(frames.filter(({ fault }) => !fault).length).toBeGreaterThanOrEqual(2);
    expect(source.report.malformed).toBeGreaterThan(0);
    expect(source.report.problem).toMatch(/^a message of depthloom\.depth\.v1 cannot be read: /);
  });
});

describe("openLive", () => {
  test.each([
    ["http://127.0.0.1", /this is no address of a live stream; such an address looks like ws:/],
    ["ws://127.0.0.1:1", /^ws:\/\/127\.0\.0\.1:1: no server answers there \(.*ECONNREFUSED/],
    ["ws://127.0.0.1:8403", /no server answers there \(.*ECONNREFUSED/],
  ])("refuses %s with a reason", async (address, message) => {
    await expect(openLive(address)).rejects.toThrow(message);
    await expect(openLive(address)).rejects.toMatchObject({ name: "SourceError" });
  });

  /** A Foxglove server's greeting with topics of images. */
  test("lists several depth topics, and opens the one that is named", async () => {
    const names = ["/a/depth/image", "/b/depth/image"];
    const server = await topicServer([...names, "/b/depth/image/compressedDepth"]);
    const refusal = await openLive(server.address).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SeveralTopicsError);
    expect(refusal).toMatchObject({ topics: names.map((name) => ({ name })), option: "topic" });
    expect(String(refusal)).toMatch(/2 depth topics; choose one:\n {2}\/a\/depth\/image\n {2}\/b\/depth\/image$/);
    const source = await live(server.address, { topic: "/b/depth/image/compressedDepth" });
    expect(source.topic).toBe("/b/depth/image/compressedDepth");
    expect(source.topics?.map(({ name }) => name)).toEqual([...names, "/b/depth/image/compressedDepth"]);
    expect(source.facts[1]).toEqual({ what: "topic", value: "/b/depth/image/compressedDepth", from: "option" });
    await expect(openLive(server.address, { topic: "/c" })).rejects.toThrow(/no image topic \/c; there are/);
  });

  test("refuses a depth topic that cannot be read, and says why its lens cannot be", async () => {
    const [depth, lens] = ["/depth/image", "/depth/camera_info"];
    const unread = { encoding: "flatbuffer" };
    const why = (topic: string) => `topic ${topic} cannot be read: the message encoding "flatbuffer" is not supported`;
    await expect(openLive((await topicServer([depth], unread)).address)).rejects.toThrow(why(depth));
    const server = await topicServer([depth, lens], { ...unread, schemaName: "sensor_msgs/msg/CameraInfo" });
    const source = await live(server.address);
    const watching = source.frames$.subscribe();
    onTestFinished(() => watching.unsubscribe());
    await expect.poll(() => source.report.problem).toContain(why(lens));
  });

  test("counts garbage messages of many kinds, and gives the sound frames between them", async () => {
    const ops = ['"advertise"', '"advertise","channels":[null,{"id":"x"}]', '"unadvertise","channelIds":7'];
    const wrong = [...ops, '"nonsense"', '"serverInfo","metadata":3'].map((op) => `{"op":${op}}`);
    const junk = ["null", "1", "[]", "{", ...wrong];
    const bytes = [[], [1], [1, 0, 0, 0, 0], [9, 9, 9], [4, 0, 0, 0, 0, 7, 255, 255, 255, 255], [3, 1, 2, 3]];
    const recording = pretend(50);
    const { address } = await serve(recording);
    // A proxy that passes the server's messages on, damages some, and sends garbage between them.
    let count = 0;
    const middle = await plainServer("foxglove.websocket.v1", (_, client) => {
      const upstream = new WebSocket(address, ["foxglove.websocket.v1"]);
      onTestFinished(() => upstream.terminate());
      client.on("message", (data, binary) => upstream.send(data, { binary }));
      upstream.on("message", (data: Buffer, binary) => {
        if (binary && count++ % 3 === 1)
          data.fill(count, Math.min(data.length, 13 + (count % 40)), Math.min(data.length, 60 + count));
        client.send(data, { binary });
        const bad = junk[count % junk.length] ?? "";
        client.send(count % 2 ? bad : new Uint8Array(bytes[count % bytes.length] ?? []));
      });
    });
    const source = await live(middle.address);
    const frames = await some(source, 30);
    expect(frames.filter(({ fault }) => !fault).length).toBeGreaterThan(3);
    expect(source.report.malformed).toBeGreaterThan(10);
    expect(source.report.state).toBe("connected");
  });
});

test("a server whose source fails ends with the source's error", async () => {
  const { name, format, fps, close, frames$ } = pretend(1);
  const why = new Error("the camera was unplugged");
  const failing$ = throwError(() => why);
  const { server, address, lines } = await serve({ name, format, fps, close, frames$: concat(frames$, failing$) });
  const source = await openLive(address);
  onTestFinished(() => source.close());
  const watching = source.frames$.subscribe({ error: () => {} });
  expect(await server.ended).toBe(why);
  watching.unsubscribe();
  expect(lines.join()).toContain("cannot be played any further: the camera was unplugged");
});
