import { describe, expect, onTestFinished, test } from "vitest";
import { ask } from "../../../sources/camera/list.ts";
import type { CameraAnswer } from "../../../sources/camera/process/answers.ts";
import { type Listener, startReading } from "../../../sources/camera/process/child.ts";
import { CameraHost } from "../../../sources/camera/process/host.ts";
import { CameraLink } from "../../../sources/camera/process/link.ts";
import { FrameParser, headOf, type WiredFrame } from "../../../sources/camera/process/wire.ts";
import { openHere } from "../../../sources/camera/source.ts";
import type { CameraState, Shot } from "../../../sources/live/driver.ts";
import { useFolder } from "../fixtures.ts";

// The process that reads a camera: frames on the pipe, dropped frames, and the viewer's reaction to a crash.

const disk = useFolder();
const lens = { fx: 2, fy: 2, cx: 1, cy: 1, width: 3, height: 2 };
const header = { stampMs: 12.5, number: 7, readMs: 99, metresPerUnit: 0.001, intrinsics: lens };
const depth = Uint16Array.of(1, 2, 3, 4, 5, 65535);
const color = Uint8Array.from({ length: 24 }, (_, i) => i);

const seen = { infrared: { width: 3, height: 2, bits: 8, from: "Infrared 1" }, right: { baselineM: 0.05 } } as const;
const [infrared, right] = [0, 100].map((first) => Uint8Array.from({ length: 6 }, (_, i) => first + i));

describe("FrameParser", () => {
  const bytes = Buffer.concat([
    headOf(header, depth.byteLength, color.length),
    new Uint8Array(depth.buffer),
    color,
    headOf({ ...header, number: 8, ...seen }, depth.byteLength, 0, 6, 6),
    new Uint8Array(depth.buffer),
    ...[infrared, right],
  ]);

  test.each([1, 2, 7, 16, 17, 1000])("puts frames together from pieces of %i bytes", (size) => {
    const frames: WiredFrame[] = [];
    const parser = new FrameParser((frame) => frames.push(frame));
    for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
    expect(frames).toEqual([
      { header, depth, color, infrared: undefined, right: undefined },
      { header: { ...header, number: 8, ...seen }, depth, color: undefined, infrared, right },
    ]);
  });

  test("refuses bytes that are no frame, and a frame of 1 GiB", () => {
    const parser = new FrameParser(() => {});
    expect(() => parser.push(new Uint8Array(24))).toThrow("what is no frame");
    const half = headOf({ ...header, ...seen }, depth.byteLength, 0, 6, 3);
    for (const wrong of [Buffer.concat([half, bytes.subarray(0, 21)]), headOf(header, 2 ** 30, 0)])
      expect(() => new FrameParser(() => {}).push(wrong)).toThrow("what is no frame");
  });
});

const state: CameraState = {
  info: { driver: "realsense", name: "pretended", id: "1", notes: [] },
  ...{ fps: 30, metresPerUnit: 0.001, intrinsics: lens, clock: "its own", library: "none" },
  ...{ notes: [], modes: [], controls: [] },
};

test("CameraHost opens a camera, sends frames only while watched, and tells that the camera is lost", async () => {
  const answers: CameraAnswer[] = [];
  const written: number[] = [];
  const shots: (Shot | Error)[] = [];
  let released = 0;
  let closed = false;
  const shot = (number: number): Shot => ({
    stampMs: 1,
    number,
    depth: new Uint8Array(depth.buffer),
    release: () => void released++,
  });
  const camera = {
    state,
    async next() {
      await new Promise((resolve) => setImmediate(resolve));
      const next = shots.shift();
      if (next instanceof Error) throw next;
      return next;
    },
    set() {
      throw new Error("it has no such control");
    },
    close() {
      closed = true;
    },
  };
  const driver = { library: "none", list: () => [state.info], open: async () => camera, close() {} };
  const host = new CameraHost(async () => driver, {
    answer: (answer) => answers.push(answer),
    write: async (parts) => void written.push(parts.reduce((sum, part) => sum + part.length, 0)),
    now: () => 5,
  });
  await host.receive({ kind: "list", driver: "realsense" });
  await host.receive({ kind: "open", request: { driver: "realsense", color: true, controls: {} } });
  expect(answers).toEqual([
    { kind: "listed", library: "none", cameras: [state.info] },
    { kind: "opened", state },
  ]);
  shots.push(shot(1));
  await expect.poll(() => released).toBe(1);
  expect(written).toEqual([]);
  await host.receive({ kind: "watch", on: true });
  await host.receive({ kind: "set", name: "zoom", value: 1 });
  shots.push(shot(2), new Error("it was unplugged"));
  await expect.poll(() => closed).toBe(true);
  expect([released, written.length]).toEqual([2, 1]);
  expect(answers.slice(2)).toEqual([
    { kind: "failed", why: "it has no such control" },
    { kind: "lost", why: "it was unplugged" },
  ]);
});

/**
 * A script in place of the one that reads cameras. It runs the code `then` on a request to open. In `then`, `opened` calls its argument
 * once the answer is sent, and `seen` is called when the viewer has a frame.
 */
function scriptThat(then: string): string {
  const frame = Buffer.concat([headOf(header, depth.byteLength, 0), new Uint8Array(depth.buffer)]).toString("base64");
  return disk.file(
    "script.mjs",
    `import { writeSync } from "node:fs";
process.on("disconnect", () => process.exit());
const frame = () => writeSync(3, Buffer.from("${frame}", "base64"));
let seen = () => {};
process.on("message", ({ kind, request }) => {
  if (kind === "set") return seen();
  if (kind !== "open") return;
  const opened = (then) => process.send({ kind: "opened", state: ${JSON.stringify(state)} }, then);
  ${then}
});
`,
  );
}

/** A CameraLink to a script that runs `then`, and the link's reports. */
function linkTo(then: string, waitMs = Number.POSITIVE_INFINITY) {
  const path = scriptThat(then);
  const told: string[] = [];
  const request = { driver: "realsense", color: true, controls: {} } as const;
  const listener = {
    frame() {
      told.push("frame");
      link.set("the frame is here", 1);
    },
    lost: (why: string) => told.push(`lost: ${why}`),
    back: () => told.push("back"),
    state: () => {},
    refused: (why: string) => told.push(`refused: ${why}`),
    end: (error: Error) => told.push(`end: ${error.message}`),
  };
  const begin = (own: Listener) => startReading(own, path);
  const link = new CameraLink("camera:realsense", request, waitMs, listener, begin);
  onTestFinished(() => link.close());
  return { link, told };
}

test("the facts of a camera follow its state, and tell the clock of the frames that have come", async () => {
  const told = { kind: "changed", state: { ...state, clock: "another", intrinsics: { ...lens, fx: 9 } } };
  const path = scriptThat(`opened(() => { if (request.infrared) process.send(${JSON.stringify(told)}); });`);
  const options = { infrared: true };
  const begin = (own: Listener) => startReading(own, path);
  const source = await openHere("camera:realsense", { driver: "realsense", which: undefined }, options, begin);
  onTestFinished(() => source.close());
  await expect.poll(() => source.facts[0]?.value).toBe("pretended 1, through none; stamps by another");
  expect(source.facts.find(({ what }) => what === "intrinsics")?.value).toBe("fx 9, fy 2, cx 1, cy 1");
});

test("why a camera gives no infrared images is told until the next change, also when the camera is open again", async () => {
  const path = scriptThat('if (request.infrared) process.send({ kind: "failed", why: "no room" }); else opened();');
  const begin = (own: Listener) => startReading(own, path);
  const source = await openHere("camera:realsense", { driver: "realsense", which: undefined }, {}, begin);
  onTestFinished(() => source.close());
  source.wantInfrared?.(true);
  await expect.poll(() => source.report.reconnects).toBe(1);
  expect(source.controls?.refused).toBe("infrared: camera:realsense: no room");
  source.wantInfrared?.(false);
  expect(source.controls?.refused).toBeUndefined();
});

describe("a process that reads a camera", () => {
  test("is started again after a crash, and the viewer is told the signal", async () => {
    const { link, told } = linkTo('seen = () => process.kill(process.pid, "SIGSEGV"); opened(frame);');
    expect(await link.open()).toEqual(state);
    await expect.poll(() => told.filter((line) => line === "frame").length, { timeout: 20_000 }).toBe(2);
    await expect.poll(() => told).toContain("back");
    expect(told.slice(0, 2)).toEqual(["frame", "lost: the process that reads the camera ended by SIGSEGV"]);
  });

  test("that cannot be started ends opening and listing", async () => {
    const { execPath } = process;
    process.execPath = disk.file("no-such-node", "");
    onTestFinished(() => void Object.assign(process, { execPath }));
    await expect(linkTo("").link.open()).rejects.toThrow(/^camera:realsense: spawn .*no-such-node EACCES/);
    const listed = await ask("v4l2", (own: Listener) => startReading(own, scriptThat("")));
    expect(listed).toMatchObject({ cameras: [], missing: expect.stringContaining("no-such-node EACCES") });
  });

  test("is given up after three crashes without a frame", async () => {
    const { link, told } = linkTo("opened(() => process.abort());");
    await link.open();
    await expect.poll(() => told.at(-1), { timeout: 30_000 }).toMatch(/^end: .*SIGABRT.*3 times without a frame/);
  });

  test.each([
    ["with infrared images", "opened(frame);", ["frame", "back", "frame"]],
    [
      "without them where the camera refuses",
      'if (request.infrared) process.send({ kind: "failed", why: "no room" }); else opened(frame);',
      ["frame", "lost: camera:realsense: no room", "refused: infrared: camera:realsense: no room", "back", "frame"],
    ],
  ])("opens its camera again %s", async (_, then, wanted) => {
    const { link, told } = linkTo(then);
    await link.open();
    await expect.poll(() => told).toContain("frame");
    link.wantInfrared(true);
    await expect.poll(() => told.slice().sort(), { timeout: 20_000 }).toEqual(wanted.slice().sort());
  });

  test("opens its camera again after the camera was unplugged", async () => {
    const unplugged = 'seen = () => process.send({ kind: "lost", why: "it was unplugged" }); opened(frame);';
    const { link, told } = linkTo(unplugged, 1);
    await link.open();
    await expect.poll(() => told.filter((line) => line === "back").length, { timeout: 20_000 }).toBe(1);
    expect(told).toContain("lost: it was unplugged");
  });
});
