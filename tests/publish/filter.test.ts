import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { Bridge as Target } from "../../run/publish/bridge.ts";
import { type DepthFrame, openLive, openRecording } from "../../sources/index.ts";
import { definitions } from "../../write/ros2.ts";
import { depthloom } from "../cli/command.ts";
import { LONG } from "../mode.ts";
import { depthPng, depthValues, useFolder } from "../sources/fixtures.ts";
import type { Heard } from "./bridge.ts";
import { depthOf, imageOf, infoOf, PIXELS, play, stampOf, TOPIC, TOPICS } from "./camera.ts";
import { bridgeFor, filteredDepth, of, u16 } from "./ends.ts";

// `depthloom filter` between two ends of a bridge: what goes out is what came in, filtered, with its stamps and its names.

const disk = useFolder();
const STAGES = ["--stages", "median", "--backend", "cpu", "--noise", "off", "--backlog", "100"];

const filter = (bridge: { readonly address: string }, ...more: string[]) =>
  depthloom("filter", bridge.address, "--topic", TOPIC, ...STAGES, "--json", ...more);

describe("depth of a bridge", () => {
  test("goes back to it filtered, each frame once, with its own stamp, frame and encoding", async () => {
    const bridge = await bridgeFor();
    const [{ status, stdout, stderr }] = await Promise.all([filter(bridge, "--frames", "12"), play(bridge, 12)]);
    expect([status, stderr]).toEqual([0, expect.stringContaining("12 frames published below /camera/depth_filtered")]);
    const images = of(bridge.heard, "/image_raw");
    expect(images.map(({ message }) => message.header)).toEqual(
      Array.from({ length: 12 }, (_, i) => ({ stamp: stampOf(i), frame_id: "camera_depth_optical_frame" })),
    );
    expect(images[0]).toMatchObject({
      topic: "/camera/depth_filtered/image_raw",
      schema: "sensor_msgs/msg/Image",
      message: { encoding: "16UC1", ...PIXELS, step: 2 * PIXELS.width, is_bigendian: 0 },
    });
    expect(images.map(u16)).toEqual(await filteredDepth(12));
    const infos = of(bridge.heard, "/camera_info");
    expect(infos.map(({ message }) => message.header)).toEqual(images.map(({ message }) => message.header));
    expect(infos[0]).toMatchObject({
      topic: "/camera/depth_filtered/camera_info",
      schema: "sensor_msgs/msg/CameraInfo",
    });
    expect(infos[0]?.message).toMatchObject({ k: Float64Array.from(infoOf(0).k), ...PIXELS });
    expect(JSON.parse(stdout)).toMatchObject([
      { frames: 12, dropped: 0, gone: 0, to: [{ published: 12, slow: 0, away: 0, reconnects: 0 }], error: null },
    ]);
  });

  test("in metres goes back in metres, beside compressed depth and points, in the namespace that was asked for", async () => {
    const bridge = await bridgeFor();
    const as = "image,compressedDepth,points,points-organised";
    const asked = ["--publish", "robot/depth", "--as", as, "--frame-id", "eye", "--frames", "3"];
    const [{ status }] = await Promise.all([filter(bridge, ...asked), play(bridge, 3, { metres: true })]);
    expect(status).toBe(0);
    const [first, ...more] = bridge.heard.slice(0, 5);
    expect([first, ...more].map((one) => one?.topic)).toEqual([
      "/robot/depth/camera_info",
      "/robot/depth/image_raw",
      "/robot/depth/image_raw/compressedDepth",
      "/robot/depth/points",
      "/robot/depth/points_organised",
    ]);
    const [image, packed, cloud, organised] = more.map(({ message }) => message);
    const metres = new Float32Array(image?.data.slice().buffer ?? []);
    const valid = metres.filter((value) => !Number.isNaN(value)).length;
    expect([image?.encoding, metres.length]).toEqual(["32FC1", PIXELS.width * PIXELS.height]);
    expect([valid, Math.min(...metres.filter((z) => z > 0))]).toEqual([metres.length - 1, expect.closeTo(1.001, 2)]);
    expect(packed?.format).toBe("16UC1; compressedDepth png");
    expect(packed?.data.subarray(12, 16)).toEqual(Uint8Array.of(0x89, 0x50, 0x4e, 0x47));
    expect(cloud).toMatchObject({ height: 1, width: valid, point_step: 12, is_dense: true });
    expect(organised).toMatchObject({ ...PIXELS, row_step: 12 * PIXELS.width, is_dense: false });
    const points = new Float32Array(organised?.data.slice().buffer ?? []);
    expect(points.slice(0, 3).every(Number.isNaN)).toBe(true);
    const { fx, cx } = depthOf(0).intrinsics;
    expect(points[3]).toBeCloseTo(((1 - cx) * metres[1]) / fx, 5);
    expect(points[5]).toBe(metres[1]);
    expect(bridge.heard.every(({ message }) => message.header.frame_id === "eye")).toBe(true);
  });

  test("goes on within 2 s of the bridge's restart, nothing twice, and what was lost is counted", async () => {
    const rounds = LONG ? 20 : 1;
    let bridge = await bridgeFor({ latched: Object.keys(TOPICS) });
    const { port } = bridge;
    const heard: Heard[] = [];
    const total = 1e6;
    const stop = new AbortController();
    let sent = 0;
    const camera = (async () => {
      for (; !stop.signal.aborted && sent < total; sent++) {
        bridge.publish("/camera/depth/camera_info", infoOf(sent));
        bridge.publish(TOPIC, imageOf(sent));
        await pause(10);
      }
    })();
    const ended = filter(bridge, "--frames", String(40 * (rounds + 1)));
    const waits: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const began = Date.now();
      await expect
        .poll(() => of(bridge.heard, "/image_raw").length, { timeout: 20_000, interval: 5 })
        .toBeGreaterThan(20);
      waits.push((of(bridge.heard, "/image_raw")[0]?.atMs ?? 0) - began);
      if (round === rounds) break;
      await bridge.kill();
      heard.push(...bridge.heard);
      await pause(150);
      bridge = await bridgeFor({ port, latched: Object.keys(TOPICS) });
    }
    const { status, stdout } = await ended;
    stop.abort();
    await camera;
    heard.push(...bridge.heard);
    expect(status).toBe(0);
    const numbers = of(heard, "/image_raw").map(({ message: { header } }) => JSON.stringify(header.stamp));
    expect(new Set(numbers).size).toBe(numbers.length);
    const [{ to, gone, live, frames }] = JSON.parse(stdout);
    expect([to[0].reconnects, live.reconnects]).toEqual([rounds, rounds]);
    expect(gone).toBeGreaterThan(0);
    expect(frames).toBe(40 * (rounds + 1));
    expect(to[0].published + to[0].away + to[0].slow).toBe(frames);
    expect(Math.max(...waits.slice(1))).toBeLessThan(2000);
  }, 120_000);
});

describe("what does not take depth", () => {
  test("a bridge without client publish is refused in words", async () => {
    const bridge = await bridgeFor({ capabilities: ["time"] });
    const { status, stderr } = await filter(bridge, "--frames", "1");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/clientPublish/)]);
  });

  test.each([
    [["--to", "serve", "--port", "99999"], /--port: it must be from 0 to 65535/],
    [["--to", "ws://127.0.0.1:9", "--wait", "0.2"], /127\.0\.0\.1:9/],
  ])("where %j cannot begin, the bridge that was connected before is left", async (more, why) => {
    const bridge = await bridgeFor();
    const folder = disk.folder({ "depth/0.png": depthPng(depthValues(0)) });
    const { status, stderr } = await depthloom("filter", folder, "--to", bridge.address, ...more);
    expect([status, stderr]).toEqual([expect.any(Number), expect.stringMatching(why)]);
    expect(status).toBeGreaterThan(0);
    await vi.waitUntil(() => bridge.clients === 0);
  });

  test("a bridge that reads nothing, or talks without end, costs frames and no memory", async () => {
    const greeting = JSON.stringify({ op: "serverInfo", capabilities: ["clientPublish"] });
    const said: string[] = [];
    const greet = (socket: WebSocket) => {
      socket.on("error", () => {});
      for (const text of ["", "null", "[]", "{", `"${"x".repeat(1 << 20)}"`, greeting, greeting]) socket.send(text);
      socket.send(Buffer.alloc(1 << 20));
      for (let i = 0; i < 1000; i++)
        socket.send(JSON.stringify({ op: "status", level: 2, message: `${i}`.repeat(1000) }));
      socket.pause();
    };
    const hostile = await bridgeFor({ greet });
    const target = await Target.open(hostile.address, { waits: false, waitMs: 1000, warn: (line) => said.push(line) });
    onTestFinished(() => target.close());
    const data = new Uint8Array(1 << 20);
    const topic = { topic: "/a", schema: "sensor_msgs/msg/Image" } as const;
    for (let i = 0; i < 50; i++) await target.frame([{ topic, data }]);
    const { published, slow } = target.report;
    expect([published + slow, published < 40]).toEqual([50, true]);
    await expect.poll(() => said.length).toBe(10);
    expect(Math.max(...said.map(({ length }) => length))).toBeLessThan(500);
  });

  test("wrong places and forms are refused as wrong usage", async () => {
    const wrong = [
      ["filter", "-", "--size", "4x4"],
      ["filter", "ws://127.0.0.1:1", "--to", "nowhere"],
      ["filter", "ws://127.0.0.1:1", "--as", "jpeg"],
      ["filter", "ws://127.0.0.1:1", "--publish", "a b"],
      ["filter", "ws://127.0.0.1:1", "--to", "-", "--json"],
    ];
    for (const args of wrong) expect((await depthloom(...args)).status, args.join(" ")).toBe(2);
  });
});

/** A value in CBOR. */
function cborOf(value: unknown): Buffer {
  const head = (major: number, count: number) =>
    Buffer.of((major << 5) | 26, ...Buffer.from(Uint32Array.of(count).buffer).reverse());
  if (typeof value === "number") return head(0, value);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === "string") return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  const entries = Object.entries(Object(value));
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cborOf)]);
}

/** rosbridge with rosapi, after the text of its protocol: it plays a depth camera to who subscribes, and hears what is published. */
async function rosbridgeFor(count: number) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => false });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const heard: { op: string; topic: string; msg?: Record<string, string> }[] = [];
  const writers = Object.entries(TOPICS).map(([topic, schema]) => {
    return [topic, new MessageWriter(parse(definitions[schema], { ros2: true }))] as const;
  });
  server.on("connection", (socket: WebSocket) => {
    const wanted = new Set<string>();
    const play = async () => {
      for (let i = 0; i < count && socket.readyState === 1; i++) {
        for (const [topic, writer] of writers) {
          const bytes = writer.writeMessage(topic === TOPIC ? imageOf(i) : infoOf(i));
          if (wanted.has(topic)) socket.send(cborOf({ op: "publish", topic, msg: { secs: 5, nsecs: 6, bytes } }));
        }
        await pause(20);
      }
    };
    socket.on("message", (data) => {
      const message = JSON.parse(data.toString());
      if (message.op === "call_service") {
        for (const odd of ["", "[]", `{"op":"service_response","id":"topics","values":3}`]) socket.send(odd);
        socket.send(Buffer.of(0x9f, 0x5b, 255, 255, 255, 255, 255, 255, 255, 255));
        const values = { topics: Object.keys(TOPICS), types: Object.values(TOPICS) };
        socket.send(JSON.stringify({ op: "service_response", id: message.id, values, result: true }));
      } else if (message.op === "subscribe") {
        expect(message.compression).toBe("cbor-raw");
        wanted.add(message.topic);
        if (message.topic === TOPIC) void play();
      } else heard.push(message);
    });
  });
  return { heard, address: `ws://127.0.0.1:${(server.address() as { port: number }).port}` };
}

test("where rosbridge listens, depth comes as ROS has it and goes back in its JSON", async () => {
  const { heard, address } = await rosbridgeFor(40);
  const { status, stdout } = await filter({ address }, "--frames", "3");
  expect([status, JSON.parse(stdout)[0]]).toEqual([0, expect.objectContaining({ frames: 3, error: null })]);
  const sent = heard.filter(({ op }) => op === "advertise" || op === "publish").slice(0, 4);
  expect(sent.map(({ op, topic }) => [op, topic])).toEqual([
    ["advertise", "/camera/depth_filtered/camera_info"],
    ["publish", "/camera/depth_filtered/camera_info"],
    ["advertise", "/camera/depth_filtered/image_raw"],
    ["publish", "/camera/depth_filtered/image_raw"],
  ]);
  const { header, encoding, data } = sent[3]?.msg ?? {};
  const first = Array.from({ length: 40 }, (_, i) => i).find(
    (i) => JSON.stringify(stampOf(i)) === JSON.stringify(Object(header).stamp),
  );
  expect([header, encoding]).toEqual([
    { stamp: stampOf(first ?? -1), frame_id: "camera_depth_optical_frame" },
    "16UC1",
  ]);
  const bytes = Buffer.from(data ?? "", "base64");
  expect(new Uint16Array(new Uint8Array(bytes).buffer)).toEqual((await filteredDepth((first ?? 0) + 1))[first ?? 0]);
});

test("SIGTERM ends it when all that was taken is in the file", async () => {
  const bridge = await bridgeFor();
  const file = join(disk.root, "meanwhile.mcap");
  const ended = filter(bridge, "--to", "serve", "--port", "0", "--to", file);
  await play(bridge, 60, { isReady: () => bridge.isHeard(TOPIC) });
  // The last message is on its way.
  await pause(300);
  process.emit("SIGTERM");
  const { status, stderr, stdout } = await ended;
  expect([status, stderr]).toEqual([0, expect.stringMatching(/filtered on ws:\/\/127\.0\.0\.1:\d+/)]);
  const recording = await openRecording(file);
  onTestFinished(() => recording.close());
  expect(recording.length).toBe(JSON.parse(stdout)[0].frames);
  const { sec, nanosec } = stampOf(59);
  expect(recording.timestampOf(recording.length - 1)).toBeCloseTo(sec * 1000 + nanosec / 1e6, 3);
});

test("openLive's frames tell the message that they were made from", async () => {
  const bridge = await bridgeFor();
  const source = await openLive(bridge.address, { topic: TOPIC });
  onTestFinished(() => source.close());
  const origins: DepthFrame["origin"][] = [];
  source.frames$.subscribe(({ origin }) => void origins.push(origin));
  await play(bridge, 1, { isReady: () => origins.length > 0 });
  expect(origins[0]).toEqual({
    topic: TOPIC,
    frameId: "camera_depth_optical_frame",
    encoding: "16UC1",
    stamp: stampOf(0),
  });
});
