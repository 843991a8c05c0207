import { knownDefinition } from "../../../sources/messages/known.ts";
import { zstandard } from "../../sources/logs/compress.ts";
import { mcapOf } from "../../sources/logs/files.ts";
import * as made from "../../sources/logs/frames.ts";
import { ros2Depth, ros2Image, ros2Lens } from "../../sources/logs/messages.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { type Crafted, MiB, opened, refused, repeated, tooMuch } from "./crafted.ts";
import {
  type ChunkIndex,
  channel,
  chunk,
  FIRST,
  finished,
  list,
  message,
  record,
  schema,
  unfinished,
} from "./mcapRecords.ts";

const IMAGE = "sensor_msgs/msg/Image";
const image = schema(1, IMAGE, knownDefinition("sensor_msgs/Image") ?? "");
const depth = channel(1, 1, "/depth");
const one = new Map([[1, depth]]);
/** Channels of images by their numbers. */
const channels = (count: number, topic: (i: number) => string) =>
  new Map(Array.from({ length: count }, (_, i) => [i + 1, channel(i + 1, 1, topic(i))]));
const zstd = (bytes: Uint8Array) => chunk("zstd", zstandard(bytes), bytes.length);

/** The index of chunk `i` of those that begin the file and are all `data`: `packed`, which unpacks to `bytes`; with lists of messages. */
const indexOf = (data: Uint8Array, packed: Uint8Array, bytes: Uint8Array, lists?: ChunkIndex["lists"], i = 0) => ({
  ...{ at: FIRST + i * data.length, length: data.length, compression: packed === bytes ? "" : "zstd" },
  ...{ packed: packed.length, size: bytes.length, ...(lists && { lists }) },
});

/** `count` chunk indexes that all name one chunk. */
function alike(count: number, bytes: Uint8Array, compression: "zstd" | "" = "zstd"): Uint8Array {
  const packed = compression === "zstd" ? zstandard(bytes) : bytes;
  const data = chunk(compression, packed, bytes.length);
  return finished(data, [image], one, new Array(count).fill(indexOf(data, packed, bytes)));
}

const depthImage = (i: number) => ros2Depth(i);

/** A file of depth images at these times, in ns. */
const stamped = (...times: number[]) =>
  mcapOf(times.map((ns, i) => ({ topic: "/depth", time: ns / 1e6, message: depthImage(i) })));

/** Where lists behind the first chunk begin, by the channels' numbers. */
const behind = (first: Uint8Array, lists: readonly Uint8Array[]) =>
  lists.map(({ length }, i) => [i + 1, FIRST + first.length + i * length] as const);

/** `count` channels of one topic, `chunks` small chunks, and a list for each channel behind all chunks. */
function manyChannels(count: number, chunks: number): Uint8Array {
  const inside = message(1, 0, new Uint8Array(8));
  const small = chunk("", inside, inside.length);
  const ids = Array.from({ length: count }, (_, i) => i + 1);
  const lists = ids.map((id) => list(id, [[0, 0]]));
  const begin = FIRST + chunks * small.length;
  const listsOf = (i: number): ChunkIndex["lists"] =>
    i === 0 ? ids.map((id, k) => [id, begin + k * (lists[0]?.length ?? 0)]) : [[1 + (i % count), begin]];
  const indexes = Array.from({ length: chunks }, (_, i) => indexOf(small, inside, inside, listsOf(i), i));
  const all = channels(count, () => "/depth");
  return finished(Buffer.concat([repeated(small, chunks), ...lists]), [image], all, indexes);
}

/** A list of 10,000 messages that 2,000 chunk indexes share. */
function sharedLists(): Uint8Array {
  const inside = message(1, 0, ros2Depth(0).data);
  const small = chunk("", inside, inside.length);
  const shared = list(1, new Array(10_000).fill([0, 0]));
  const lists = [[1, FIRST + 1500 * small.length]] as const;
  const indexes = Array.from({ length: 2000 }, (_, i) => indexOf(small, inside, inside, lists, i));
  return finished(Buffer.concat([repeated(small, 1500), shared]), [image], one, indexes);
}

/** 256 topics whose first message is the same: 30 MiB of single numbers. */
function sharedMessage(): Uint8Array {
  const numbers = schema(1, IMAGE, "uint16[] data");
  const count = 15 * MiB;
  const nothing = new Uint8Array(2 * count);
  const first = message(1, 0, new Bytes().u32(256, count).bytes(nothing).done());
  const bytes = Buffer.concat([numbers, first]);
  const packed = zstandard(bytes);
  const large = chunk("zstd", packed, bytes.length);
  const offset = bytes.length - first.length;
  const lists = Array.from({ length: 256 }, (_, i) =>
    list(
      i + 1,
      [0, 1, 2].map((time) => [time, offset] as const),
    ),
  );
  const topics = channels(256, (i) => `/depth${i}`);
  return finished(Buffer.concat([large, ...lists]), [numbers], topics, [
    indexOf(large, packed, bytes, behind(large, lists)),
  ]);
}

/** 200 topics whose first messages are one message of 50 MiB of text. */
function largeMessage(encoding: "json" | "cdr"): Uint8Array {
  const length = 50 * MiB;
  const text = Buffer.alloc(length, "A");
  const data =
    encoding === "cdr"
      ? new Bytes().u32(256, length).bytes(text).done()
      : Buffer.concat([Buffer.from('{"data":"'), text, Buffer.from('"}')]);
  const bytes = message(1, 0, data);
  const packed = zstandard(bytes);
  const large = chunk("zstd", packed, bytes.length);
  const ids = Array.from({ length: 200 }, (_, i) => i + 1);
  const lists = ids.map((id) => list(id, [[0, 0]]));
  const index = indexOf(large, packed, bytes, behind(large, lists));
  const texts = schema(1, IMAGE, "string data");
  const named = new Map(ids.map((id) => [id, channel(id, 1, `/depth${id}`, encoding)]));
  return finished(Buffer.concat([large, ...lists]), [texts], named, [index]);
}

/** A chain of 75,000 coordinate frames, in messages that pack well. */
function transforms(): Uint8Array {
  const known = schema(2, "tf2_msgs/msg/TFMessage", knownDefinition("tf2_msgs/TFMessage") ?? "");
  const messages = Array.from({ length: 15 }, (_, k) => {
    const bytes = new Bytes().u32(256, 5000);
    const frame = (i: number) => (k * 5000 + i).toString(36).padStart(7, ".");
    for (let i = 0; i < 5000; i++) {
      bytes
        .u32(0, 0, 8)
        .text(`${frame(i)}\0`)
        .u32(8)
        .text(`${frame(i + 1)}\0`);
      // Seven numbers of eight bytes, aligned to eight bytes.
      for (let n = 0; n < (i === 0 ? 15 : 14); n++) bytes.u32(0);
    }
    return message(2, k, bytes.done());
  });
  const { data: frame } = ros2Depth(0, "......0");
  const pixels = new Uint8Array(3 * made.WIDTH * made.HEIGHT);
  const { data: color } = ros2Image({ encoding: "rgb8", data: pixels, frameId: "b" });
  const lens = schema(3, "sensor_msgs/msg/CameraInfo", knownDefinition("sensor_msgs/CameraInfo") ?? "");
  const naming = [image, known, lens, depth, channel(2, 2, "/tf_static"), channel(3, 1, "/color")];
  const lenses = ["......0", "b"].flatMap((frameId, i) => [
    channel(4 + i, 3, i === 0 ? "/depth_info" : "/color_info"),
    message(4 + i, 0, ros2Lens({ frameId }).data),
  ]);
  const images = [message(1, 0, frame), message(3, 0, color)];
  return unfinished(zstd(Buffer.concat([...naming, ...lenses, ...images, ...messages])));
}

export const mcap: readonly Crafted[] = [
  refused("alike.mcap", { slow: true }, () => alike(2000, new Uint8Array(250 * MiB))),
  refused("alikeSmaller.mcap", () => alike(2000, new Uint8Array(60 * MiB))),
  refused("alikePlain.mcap", () => alike(6000, new Uint8Array(400_000), "")),
  refused("chunks250.mcap", () => unfinished(repeated(zstd(new Uint8Array(250 * MiB)), 100))),
  tooMuch("chunks60.mcap", () => unfinished(repeated(zstd(new Uint8Array(60 * MiB)), 150))),
  refused("channels.mcap", () => manyChannels(8000, 2000)),
  tooMuch("lists.mcap", sharedLists),
  refused("message.mcap", sharedMessage),
  opened("transforms.mcap", { slow: true }, transforms),
  tooMuch("messages.mcap", () =>
    unfinished(Buffer.concat([image, depth, zstd(repeated(message(1, 0, new Uint8Array()), 2_000_000))])),
  ),
  tooMuch("records.mcap", () => unfinished(zstd(repeated(record(14, new Uint8Array()), 7_000_000)))),
  tooMuch("channelsInside.mcap", () => unfinished(zstd(repeated(channel(1, 1, "/depth"), 1_000_000)))),
  tooMuch("schemas.mcap", () => {
    const large = Array.from({ length: 4 }, (_, i) => schema(i + 1, IMAGE, new Uint8Array(15 * MiB)));
    return unfinished(repeated(zstd(Buffer.concat(large)), 5));
  }),
  refused("loose.mcap", () =>
    unfinished(Buffer.concat([image, depth, repeated(message(1, 0, new Uint8Array()), 32_000)])),
  ),
  refused("tiny.mcap", () => unfinished(repeated(record(14, new Uint8Array()), 110_000))),
  refused("json.mcap", () => largeMessage("json")),
  refused("text.mcap", () => largeMessage("cdr")),
  refused("attachments.mcap", () => {
    const index = record(10, new Bytes().u64(0, 0, 0, 0, 0).u32(0, 0));
    return finished(new Uint8Array(0), [repeated(index, 17_000)], one, []);
  }),
  refused("topics.mcap", () =>
    mcapOf([0, 1].map((i) => ({ topic: `/depth/${"a.".repeat(100_000)}${i}`, time: i, message: depthImage(i) }))),
  ),
  opened("fast.mcap", () => stamped(0, 1, 2, 3)),
  opened("slow.mcap", () => stamped(0, 1e19)),
];
