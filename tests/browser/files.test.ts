import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build, type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assembly } from "../../config/assembly.ts";
import { wasm } from "../../config/wasm.ts";
import { openRecording } from "../../sources/index.ts";
import { packed } from "../sources/logs/bz2.ts";
import { bagOf, db3Of, type Entry, mcapOf } from "../sources/logs/files.ts";
import * as made from "../sources/logs/frames.ts";
import { depthUnits } from "../sources/logs/frames.ts";
import * as write from "../sources/logs/messages.ts";
import { sharedBrowser } from "./chromium.ts";
import type { FilePage, Told } from "./files/page.ts";

declare const page: FilePage;

// Recording files in a built page whose policy forbids eval: a worker reads the same bits as Node does.

const folder = mkdtempSync(join(tmpdir(), "depthloom-files-"));
const complaints: string[] = [];
let server: PreviewServer | undefined;
let browser: Browser | undefined;
let tab: Page;

beforeAll(async () => {
  const root = fileURLToPath(new URL("files", import.meta.url));
  const outDir = join(folder, "built");
  const shared = { configFile: false, root, logLevel: "warn", build: { outDir, emptyOutDir: true } } as const;
  const plugins = () => [wasm(), assembly()];
  await build({ ...shared, plugins: plugins(), worker: { format: "es", plugins } });
  [server, browser] = await Promise.all([
    preview({ ...shared, preview: { host: "127.0.0.1", port: 0 } }),
    sharedBrowser(),
  ]);
  tab = await browser.newPage();
  tab.on("pageerror", (error) => complaints.push(error.message));
  tab.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await tab.goto(server.resolvedUrls?.local[0] ?? "");
  await tab.waitForFunction(() => "page" in window);
});
afterAll(async () => {
  await tab?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
  // The page has no icon.
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
});

const file = (name: string, bytes: Uint8Array) => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

async function inPage(path: string, topic?: string): Promise<Told | string> {
  await tab.setInputFiles("#file", path);
  return tab.evaluate((name) => page.tell(undefined, name), topic);
}

const hash = (array: Uint16Array | Uint8Array | undefined) =>
  array
    ? createHash("sha256")
        .update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
        .digest("hex")
    : "";

/** The same description of a file, made in Node. */
async function inNode(path: string) {
  const recording = await openRecording(path);
  const [hashes, colors, times]: [string[], string[], number[]] = [[], [], []];
  for (let index = 0; index < recording.length; index++) {
    const { depth, color, timestamp } = await recording.read(index);
    hashes.push(hash(depth.data));
    colors.push(hash(color?.data));
    times.push(timestamp);
  }
  const { format, fps, length: frames, warnings } = recording;
  await recording.close();
  return { format, fps, frames, hashes, colors, times, warnings };
}

const image = (i: number) => write.ros2Depth(i, "eye");
const color = (i: number) => write.ros2Image({ encoding: "rgb8", data: made.colorValues(i), frameId: "eye" });
const entries: Entry[] = [0, 1, 2].flatMap((i) => [
  ...(i === 0 ? [{ topic: "/depth/camera_info", time: 1000, message: write.ros2Lens() }] : []),
  { topic: "/depth/image", time: 1000 + i * 40, message: image(i) },
  { topic: "/color/image", time: 1000 + i * 40, message: color(i) },
]);
const ros1: Entry[] = [
  { topic: "/depth/camera_info", time: 1000, message: write.ros1Lens() },
  ...[0, 1].map((i) => ({
    topic: "/depth/image",
    time: 1000 + i * 40,
    message: write.ros1Depth(i),
  })),
];
const fields = (i: number) => ({ format: "png", data: made.depthPng(depthUnits(i)) });
const protobuf: Entry[] = [0, 1].map((i) => ({
  topic: "/depth",
  time: 1000 + i * 40,
  message: write.foxglove("CompressedImage", fields(i), "protobuf"),
}));

test.each([
  ["lz4.mcap", () => mcapOf(entries, { compression: "lz4" })],
  ["zstd.mcap", () => mcapOf(entries, { compression: "zstd" })],
  ["protobuf.mcap", () => mcapOf(protobuf)],
  ["cut.mcap", async () => (await mcapOf(entries, { chunkSize: 300 })).slice(0, -900)],
  ["lz4.bag", async () => bagOf(ros1, { compression: "lz4" })],
  ["plain.db3", () => db3Of(entries)],
] as const)("a page reads %s as Node does", async (name, make) => {
  const path = file(name, await make());
  const expected = await inNode(path);
  expect(expected.frames).toBeGreaterThan(0);
  expect(expected.hashes[0]).toBe(hash(depthUnits(0)));
  expect(await inPage(path)).toMatchObject(expected);
});

test("a page gives Node's errors for a file of several topics, a damaged one and one of another kind", async () => {
  const two = entries.map((entry, i) => ({
    ...entry,
    topic: `${entry.topic}${entry.topic.startsWith("/depth/image") ? i : ""}`,
  }));
  const path = file("two.mcap", await mcapOf(two));
  expect(await inPage(path)).toMatch(/^3 topics, SourceError: two\.mcap: it has 3 depth topics; choose one/);
  expect(await inPage(path, "/depth/image3")).toMatchObject({ frames: 1, hashes: [hash(depthUnits(1))] });
  // The bz2 decoder is in the page, and refuses the bytes of a different chunk.
  const bag = file("bz2.bag", bagOf(ros1, { compression: "bz2", compress: () => packed }));
  expect(await inPage(bag)).toMatch(/SourceError: bz2\.bag/);
  expect(await inPage(file("none.mcap", Buffer.from("nothing")))).toMatch(/it is no MCAP file, whatever its name says/);
});
