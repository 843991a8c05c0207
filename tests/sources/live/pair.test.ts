import { firstValueFrom, take, toArray } from "rxjs";
import { expect, test } from "vitest";
import { openLive } from "../../../sources/index.ts";
import { plainServer } from "./liveServer.ts";

// The two infrared topics of a camera that streams in the Foxglove protocol, messages in JSON.

const [width, height] = [8, 6];
const T = 1_795_788_202;
const PERIOD = 33;

interface Wanted {
  /** How many ms later than depth the right camera's images are taken. */
  readonly late?: number;
  /** The topics that stay silent. */
  readonly silent?: RegExp;
  /** The distance in m that the right camera's projection tells, and that `tf_static` tells. */
  readonly projected?: number;
  readonly placed?: number;
  /** The principal point of depth. */
  readonly cx?: number;
}

/** A camera of three streams, whose right image comes before depth and whose left one comes behind it. */
async function camera({ late = 0, silent = /^$/, projected = 0, placed = 0, cx = 4 }: Wanted) {
  const subscribed = new Map<string, number>();
  const header = (frame: string, ms: number) => {
    const nanosec = Math.round((ms % 1000) * 1e6);
    return { frame_id: frame, stamp: { sec: T + Math.floor(ms / 1000), nanosec } };
  };
  const picture = (frame: string, ms: number, encoding: string, bytes: number[]) => ({
    ...{ header: header(frame, ms), width, height, encoding, is_bigendian: 0 },
    ...{ step: bytes.length / height, data: Buffer.from(bytes).toString("base64") },
  });
  const lens = (frame: string, at: number, shift: number) => ({
    ...{ header: header(frame, 0), width, height, d: [], k: [10, 0, at, 0, 10, 3, 0, 0, 1] },
    ...{ r: [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [10, 0, at, -10 * shift, 0, 10, 3, 0, 0, 0, 1, 0] },
  });
  const grey = (value: number) => Array<number>(width * height).fill(value);
  const transform = { translation: { x: placed, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } };
  const messages: readonly (readonly [string, string, (i: number) => object])[] = [
    [
      "/tf_static",
      "tf2_msgs/TFMessage",
      () => ({ transforms: placed ? [{ header: header("l", 0), child_frame_id: "r", transform }] : [] }),
    ],
    ["/cam/depth/camera_info", "sensor_msgs/CameraInfo", () => lens("l", cx, 0)],
    ["/cam/infra2/camera_info", "sensor_msgs/CameraInfo", () => lens("r", 4, projected)],
    ["/cam/infra1/camera_info", "sensor_msgs/CameraInfo", () => lens("l", 4, 0)],
    ["/cam/infra2/image_rect_raw", "sensor_msgs/Image", (i) => picture("r", PERIOD * i + late, "mono8", grey(100 + i))],
    [
      "/cam/depth/image_rect_raw",
      "sensor_msgs/Image",
      (i) =>
        picture(
          "l",
          PERIOD * i,
          "16UC1",
          grey(9).flatMap((one) => [one, 1]),
        ),
    ],
    ["/cam/infra1/image_rect_raw", "sensor_msgs/Image", (i) => picture("l", PERIOD * i, "mono8", grey(i))],
  ];
  const { address } = await plainServer("foxglove.websocket.v1", (send, socket) => {
    const publish = (topic: string, message: object) => {
      const id = subscribed.get(topic);
      if (id === undefined || silent.test(topic)) return;
      const head = Buffer.alloc(13, 1);
      head.writeUInt32LE(id, 1);
      head.writeBigUInt64LE(BigInt(T) * 1_000_000_000n, 5);
      send(Buffer.concat([head, Buffer.from(JSON.stringify(message))]));
    };
    let i = 0;
    const timer = setInterval(() => {
      if (!subscribed.has("/cam/depth/image_rect_raw")) return;
      for (const [topic, , of] of messages) publish(topic, of(i));
      i++;
    }, 20);
    socket.on("close", () => clearInterval(timer));
    socket.on("message", (data) => {
      for (const { id, channelId } of JSON.parse(String(data)).subscriptions ?? [])
        subscribed.set(messages[channelId][0], id);
    });
    send(JSON.stringify({ op: "serverInfo", name: "x", capabilities: [] }));
    const form = { encoding: "json", schema: "{}" };
    const channels = messages.map(([topic, schemaName], id) => ({ id, topic, schemaName, ...form }));
    send(JSON.stringify({ op: "advertise", channels }));
  });
  return { address, subscribed };
}

/** The fourth frame from such a camera, and what its facts say of the pair. */
async function seen(wanted: Wanted) {
  const { address } = await camera(wanted);
  await using source = await openLive(address, { pair: true });
  const frames = await firstValueFrom(source.frames$.pipe(take(4), toArray()));
  return { ...frames[3], said: source.facts.filter(({ what }) => what === "pair").map(({ value }) => value) };
}

test.each([
  ["the right camera's projection", { projected: 0.05 }],
  ["tf_static", { placed: 0.05 }],
] as const)("a stream's two infrared topics are a pair, at the distance that %s tells", async (_, wanted) => {
  const { pair, depth, timestamp, said } = await seen(wanted);
  expect(said).toEqual(["/cam/infra1/image_rect_raw, /cam/infra2/image_rect_raw, baseline 50 mm"]);
  expect(pair?.baselineM).toBeCloseTo(0.05, 6);
  expect(pair?.left.shape).toEqual(depth.shape);
  // The images of depth's own time: each has the number of its period as its brightness.
  const period = Math.round((timestamp - 1000 * T) / PERIOD);
  expect([pair?.left.data[5], pair?.right.data[5]]).toEqual([period, 100 + period]);
  expect(depth.data[5]).toBe(265);
});

test.each([
  [{ projected: 0.05, late: 16 }, "none: an image of the pair is 16 ms from depth: frames out of step have no pair"],
  [{ projected: 0.05, silent: /infra2.image/ }, "none: one of the pair's two images is missing"],
  [{ projected: 0.05, silent: /infra2.camera/ }, "none: the lenses of the pair's cameras are not known"],
  [{}, "none: the server does not say where the cameras of /cam/infra2/image_rect_raw, /cam/infra1/image_rect_raw are"],
  [{ projected: 0.05, cx: 2 }, "none: depth is not in the view of /cam/infra1/image_rect_raw"],
] as const)("frames of a stream with %o come without a pair, and a fact says why", async (wanted, why) => {
  const { pair, depth, said } = await seen(wanted);
  expect([pair, depth.data[5], said]).toEqual([undefined, 265, [why]]);
});

test("a stream is asked for its infrared topics only where somebody wants the pair", async () => {
  const { address, subscribed } = await camera({ projected: 0.05 });
  await using source = await openLive(address);
  const frame = await firstValueFrom(source.frames$);
  expect(frame.pair).toBeUndefined();
  expect([...subscribed.keys()].sort()).toEqual(["/cam/depth/camera_info", "/cam/depth/image_rect_raw"]);
});
