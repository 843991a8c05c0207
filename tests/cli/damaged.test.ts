import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { convert } from "../../run/convert/convert.ts";
import { Unreadable } from "../../run/unreadable.ts";
import { openRecording } from "../../sources/index.ts";
import { type Contents, depthPng, tumContents, useFolder } from "../sources/fixtures.ts";
import { bagOf, type Entry, entry, mcapOf } from "../sources/logs/files.ts";
import * as write from "../sources/logs/messages.ts";
import { depthloom, hashOf } from "./command.ts";

// A frame that cannot be read is named, left out and counted, by every command, in a recording of any kind; the others are all there, and
// the status says that something is missing.

const disk = useFolder();
const COUNT = 7;
const BAD = 3;

/** The messages of a log, of which one is cut short. */
function entries(image: (index: number) => write.Written, lens: write.Written): Entry[] {
  const depth = Array.from({ length: COUNT }, (_, i) => {
    const message = image(i);
    const cut = i === BAD ? { ...message, data: message.data.slice(0, message.data.length - 9) } : message;
    return { topic: "/depth/image_raw", time: 1000 * (i + 1), message: cut };
  });
  return [{ topic: "/depth/camera_info", time: 1000, message: lens }, ...depth];
}

const contents: Contents = tumContents(COUNT);
const names = Object.keys(contents).filter((name) => name.startsWith("depth/"));
const png = depthPng(new Uint16Array(35).fill(7));
const damaged: Readonly<Record<string, string>> = {
  "a truncated PNG": disk.folder({ ...contents, [names[BAD]]: png.subarray(0, png.length - 20) }),
  "an empty file": disk.folder({ ...contents, [names[BAD]]: "" }),
  "a broken message in an MCAP file": disk.file("a.mcap", await mcapOf(entries(write.ros2Depth, write.ros2Lens()))),
  "a broken message in a bag": disk.file("a.bag", bagOf(entries(write.ros1Depth, write.ros1Lens()))),
};
let outs = 0;
const place = (name: string) => join(disk.root, `out${outs++}${name}`);
const KEPT = [0, 1, 2, 4, 5, 6];

describe.each(Object.entries(damaged))("of a recording with %s", (_, input) => {
  test.each([
    ["convert", ".mcap", []],
    ["convert", "", ["--to", "png"]],
    ["convert", "", ["--to", "lerobot"]],
    ["convert", ".mcap", ["--stages", "median"]],
    ["replay", "", ["--stages", "median"]],
    ["replay", ".mcap", ["--stages", "median"]],
    ["filter", ".mcap", ["--stages", "median"]],
  ])("%s (…%s %j) keeps all other frames, names it, and ends with status 3", async (command, ending, more) => {
    const out = place(ending);
    const to: Readonly<Record<string, readonly string[]>> = { convert: [], replay: ["--out"], filter: ["--to"] };
    const how = command === "convert" ? more : [...more, "--backend", "cpu"];
    const { status, stderr } = await depthloom(command, input, ...to[command], out, ...how);
    expect(stderr).toMatch(/frame 3 could not be read and is left out|1 frame could not be read, left out: 3;/);
    expect(status).toBe(3);
    await using all = await openRecording(input);
    await using written = await openRecording(out);
    expect(written.length).toBe(KEPT.length);
    const at = await Promise.all(KEPT.map((_, i) => written.read(i)));
    if (!more.includes("lerobot") && !(command === "replay" && ending === ""))
      for (const [i, { timestamp }] of at.entries()) expect(timestamp).toBeCloseTo(all.timestampOf(KEPT[i] ?? 0), 2);
    if (more[0] !== "--stages")
      for (const [i, { depth }] of at.entries()) expect(depth.data).toEqual((await all.read(KEPT[i] ?? 0)).depth.data);
  });

  test("replay --json, filter --json and batch count it", async () => {
    const replayed = await depthloom("replay", input, "--backend", "cpu", "--stages", "median", "--json");
    expect([replayed.status, JSON.parse(replayed.stdout)]).toMatchObject([3, { frames: 6, unreadable: 1 }]);
    const to = ["--to", place(".mcap"), "--backend", "cpu", "--stages", "median", "--json"];
    const filtered = await depthloom("filter", input, ...to);
    expect([filtered.status, JSON.parse(filtered.stdout)]).toMatchObject([3, [{ frames: 6, unreadable: 1 }]]);
    const measured = await depthloom("check", input, "--json");
    expect(measured.stderr).toContain("1 frame could not be read, left out: 3;");
  });
});

test("a recording without a frame that can be read is refused by the fault of the first", async () => {
  const input = disk.folder({ ...contents, ...Object.fromEntries(names.map((name) => [name, "no PNG"])) });
  for (const args of [
    ["convert", input, place(".mcap")],
    ["replay", input, "--backend", "cpu"],
  ]) {
    const { status, stderr } = await depthloom(...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining(names[0] ?? "")]);
  }
});

/** Converts the frames that can be read, until `most` of them are done, or to the end. */
async function converted(input: string, out: string, kind: "mcap" | "png" | "tum", most = 99, lost?: number) {
  const stop = new AbortController();
  const unreadable = new Unreadable();
  await using source = await openRecording(input);
  const read = async (index: number) => {
    if (index === lost) throw new Error("the network was away");
    return source.read(index);
  };
  const request = { input, out, kind, codec: "png", start: 0, frames: undefined, force: false } as const;
  const onFrame = (done: number) => done === most && stop.abort();
  const listener = { signal: stop.signal, onFrame, onResume() {}, unreadable };
  const { done, of } = await convert({ ...source, read }, request, listener);
  return { done, of, unreadable: unreadable.count };
}

test.each(["mcap", "png", "tum"] as const)(
  "a conversion to %s that goes on behind it ends as one in one go",
  async (kind) => {
    const input = disk.folder({ ...contents, [names[1]]: "no PNG", [names[4]]: "no PNG" });
    const [whole, parts] = [place("whole"), place("parts")];
    expect(await converted(input, whole, kind)).toEqual({ done: 5, of: 5, unreadable: 2 });
    for (const most of [1, 3]) expect((await converted(input, parts, kind, most)).done).toBeLessThan(5);
    expect(await converted(input, parts, kind)).toEqual({ done: 5, of: 5, unreadable: 2 });
    if (kind !== "mcap") return expect(hashOf(parts)).toBe(hashOf(whole));
    await using a = await openRecording(whole);
    await using b = await openRecording(parts);
    for (let i = 0; i < 5; i++) expect((await b.read(i)).depth.data).toEqual((await a.read(i)).depth.data);
  },
);

test("a frame that can be read again when a conversion goes on stays left out, and no other is written twice", async () => {
  const input = disk.folder(contents);
  const out = place("again");
  expect((await converted(input, out, "png", 3, 1)).done).toBeLessThan(COUNT - 1);
  expect(await converted(input, out, "png")).toEqual({ done: COUNT - 1, of: COUNT - 1, unreadable: 1 });
  await using written = await openRecording(out);
  await using whole = await openRecording(input);
  for (const [i, index] of [0, 2, 3, 4].entries())
    expect((await written.read(i)).depth.data).toEqual((await whole.read(index)).depth.data);
});

test.each([0, 3, 6])(
  "an MCAP file whose chunk %i of seven is damaged loses that frame, and no frame's time",
  async (bad) => {
    const [lens] = entries(write.ros2Depth, write.ros2Lens());
    const depth = Array.from({ length: COUNT }, (_, i) =>
      entry("/depth/image_raw", 1000 * (i + 1), write.ros2Depth(i)),
    );
    const bytes = await mcapOf([lens, ...depth], { chunkSize: 1, compression: "zstd" });
    const magic = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);
    // The lens has a chunk of its own, before the others.
    let at = -1;
    for (let chunk = -1; chunk <= bad; chunk++) at = Buffer.from(bytes.buffer).indexOf(magic, at + 1);
    bytes.fill(0, at, at + 4);
    const input = disk.file(`chunk${bad}.mcap`, bytes);
    const out = place(".mcap");
    const { status, stderr } = await depthloom("convert", input, out);
    expect(stderr).toMatch(new RegExp(`1 frame could not be read, left out: ${bad};.*chunk at byte`));
    expect(status).toBe(3);
    await using written = await openRecording(out);
    const times = Array.from({ length: written.length }, (_, i) => written.timestampOf(i));
    expect(times).toEqual([0, 1, 2, 3, 4, 5, 6].filter((i) => i !== bad).map((i) => expect.closeTo(1000 * (i + 1), 2)));
  },
);
