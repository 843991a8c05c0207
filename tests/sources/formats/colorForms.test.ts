import { describe, expect, test } from "vitest";
import { type Entry, mcapOf, readAll } from "../logs/files.ts";
import { depthUnits, HEIGHT, WIDTH } from "../logs/frames.ts";
import { ros2Depth, ros2Image, ros2Video, type Written } from "../logs/messages.ts";

// Colour in the forms that cameras send, and what is said of forms that are not read.

const at = (topic: string, message: Written): Entry => ({ topic, time: 1000, message });
const depth = (frameId = "c") => at("/depth", ros2Depth(0, frameId));
const color = (encoding: string, data: Uint8Array, step: number, frameId = "c", bigEndian = false) =>
  at("/color", ros2Image({ encoding, data, step, frameId, bigEndian }));
const read = async (...entries: Entry[]) => readAll(await mcapOf([depth(), ...entries]), "a.mcap");
const N = WIDTH * HEIGHT;

test("of topics in a log the last words of their names tell which are depth; the one that is asked for is read", async () => {
  const names = [
    "/near",
    "/far",
    "/vision/depth",
    "/lidar/depth/image_raw",
    "/alpha/depth",
    "/near_infrared",
    "/depth/labels",
  ];
  const bytes = await mcapOf(names.map((topic) => ({ ...depth(), topic })));
  const { topics } = await readAll(bytes, "a.mcap", { topic: "/near" });
  expect(topics).toEqual(names.slice(0, 5));
  expect((await readAll(bytes, "a.mcap", { topic: "/depth/labels" })).frames).toHaveLength(1);
});

test.each([
  ["/range/image_raw", true],
  ["/short_range/depth", false],
  ["/range_camera/depth/image_raw", false],
])("a topic %s has lengths of rays: %s", async (topic, areRays) => {
  const { warnings } = await readAll(await mcapOf([{ ...depth(), topic }]), "a.mcap");
  expect(warnings.some((line) => line.includes("lengths of rays"))).toBe(areRays);
});

describe("colour", () => {
  // Luma 81, blue's chroma 90, red's 240 are pure red in BT.601.
  const red = [254, 0, 0, 255];
  const planes = (...parts: [count: number, value: number][]) =>
    Uint8Array.from(parts.flatMap(([count, value]) => new Array<number>(count).fill(value)));
  const pairs = (a: number, b: number) => Uint8Array.from({ length: N / 2 }, (_, i) => (i % 2 === 0 ? a : b));
  test.each([
    ["nv12", Buffer.concat([planes([N, 81]), pairs(90, 240)])],
    ["nv21", Buffer.concat([planes([N, 81]), pairs(240, 90)])],
    ["i420", planes([N, 81], [N / 4, 90], [N / 4, 240])],
    ["yv12", planes([N, 81], [N / 4, 240], [N / 4, 90])],
  ])("in %s is read", async (encoding, data) => {
    const { frames, warnings } = await read(color(encoding, data, WIDTH));
    expect(warnings.join()).not.toMatch(/olour/);
    for (let i = 0; i < N; i++) expect(frames[0].color?.slice(4 * i, 4 * i + 4)).toEqual(red);
  });

  test.each([
    ["rgb16", [10, 20, 30], false],
    ["bgr16", [30, 20, 10], false],
    ["rgb16", [10, 20, 30], true],
  ] as const)("in %s is read by the high bytes of %o, big-endian %s", async (encoding, channels, big) => {
    const data = Uint8Array.from({ length: N * 6 }, (_, i) => (i % 2 === (big ? 0 : 1) ? channels[(i % 6) >> 1] : 99));
    const { frames } = await read(color(encoding, data, WIDTH * 6, "c", big));
    expect(frames[0].color?.slice(-4)).toEqual([10, 20, 30, 255]);
  });

  test.each([
    ["bayer_rggb8", 0, 0],
    ["bayer_bggr8", 1, 1],
    ["bayer_grbg8", 1, 0],
    ["bayer_gbrg8", 0, 1],
  ])("in %s has red where its mosaic has it", async (encoding, x, y) => {
    const data = Uint8Array.from({ length: N }, (_, i) => {
      const [u, v] = [(i % WIDTH) & 1, Math.floor(i / WIDTH) & 1];
      return u === x && v === y ? 200 : u !== x && v !== y ? 50 : 100;
    });
    const { frames } = await read(color(encoding, data, WIDTH));
    for (let i = 0; i < N; i++) expect(frames[0].color?.slice(4 * i, 4 * i + 4)).toEqual([200, 100, 50, 255]);
  });

  test("that is too short for its form costs the colour, not the frame, and is named", async () => {
    const { frames, warnings } = await read(color("nv12", new Uint8Array(N), WIDTH));
    expect(frames[0].depth).toEqual([...depthUnits(0)]);
    expect(warnings.join()).toMatch(/colour image is damaged: nv12/);
  });

  test("in a form that is not read is named with its topic", async () => {
    const video = at("/video", ros2Video("h264", Uint8Array.of(0, 0, 1, 0x67)));
    expect((await read(video)).warnings.join()).toMatch(/without colour.*\/video \(h264\)/);
    expect((await read(color("rgb565", new Uint8Array(2 * N), 2 * WIDTH))).warnings.join()).toMatch(
      /\/color \(rgb565\)/,
    );
  });

  test("of two images without names of frames is used, and said to be no more than a guess", async () => {
    const entries = [depth(""), color("rgb8", new Uint8Array(3 * N).fill(9), 3 * WIDTH, "")];
    const { frames, warnings } = await readAll(await mcapOf(entries), "a.mcap");
    expect(frames[0].color?.slice(0, 3)).toEqual([9, 9, 9]);
    expect(warnings.join()).toMatch(/\/color: neither it nor \/depth names its frame/);
  });
});
