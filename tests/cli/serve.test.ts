import { join } from "node:path";
import { expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { contents, of } from "../sources/formats/mcapContents.ts";
import { type Document, depthloom, serving } from "./command.ts";

// `serve` and `replay ws://…`, a process each: frames stay in order, shown and dropped frames add up to those sent, and both end well.

const disk = useFolder();
const recording = join(disk.root, "room");
await writePngFolder(syntheticRoom({ width: 160, height: 120, frames: 15, cameraMotion: "sway" }), recording, {
  truth: false,
});

const serve = (...more: string[]) => serving(["serve", recording, ...more, "--port", "0"]);

const STAGES = ["--stages", "median", "--backend", "cpu"];

test("a recording that serve sends is replayed in order, and shown and dropped frames add up to all frames", async () => {
  const { child, address, ended } = await serve();
  const out = join(disk.root, "live.mcap");
  const asked = [address, "--frames", "30", "--json", "--out", out, ...STAGES];
  const { status, stdout, stderr } = await depthloom("replay", ...asked);
  expect([status, stderr]).toEqual([0, ""]);
  const { format, outputs, frames, dropped, unreadable, live } = JSON.parse(stdout) as Document;
  expect(format).toBe("depth stream");
  const indices = outputs.map(({ index }) => index);
  expect(indices).toEqual([...indices].sort((a, b) => a - b));
  expect(new Set(outputs.map(({ timestamp }) => timestamp)).size).toBe(frames);
  expect(live).toMatchObject({ malformed: 0, reconnects: 0, clockSkewMs: 0 });
  // The stream goes on until the client has left.
  expect(live?.received).toBeGreaterThanOrEqual(30);
  // Frames that the server was too slow to read are gaps in its indices.
  expect(frames + dropped + unreadable).toBeGreaterThanOrEqual(30);
  expect(frames + dropped + unreadable).toBe((indices.at(-1) ?? 0) + 1);
  expect(of((await contents(out)).told, "/depth/image").map(({ sequence }) => sequence)).toEqual(indices);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: expect.stringMatching(/\d+ frames sent/) });
});

test("raw frames from standard input are served to one client after the other, and Ctrl-C ends all", async () => {
  const frame = new Uint8Array(new Uint16Array(16 * 12).fill(1234).buffer);
  const sender = function* () {
    for (;;) yield frame;
  };
  const { child, address, ended } = await serving(["serve", "-", "--size", "16x12", "--port", "0"], sender());
  for (const round of ["first", "second"]) {
    const { status, stdout, stderr } = await depthloom("replay", address, "--frames", "3", "--json", ...STAGES);
    // A receiver learns which properties the sender has only assumed.
    const assumed = /the stream does not tell its intrinsics: assumed, fx 14\.4\S+, .*\(--intrinsics gives them\)/;
    expect([round, status, stderr]).toEqual([round, 0, expect.stringMatching(assumed)]);
    expect(stderr).toMatch(/the stream does not tell its unit: assumed, 1 mm \(--depth-scale gives it\)/);
    const { frames, live } = JSON.parse(stdout) as Document;
    expect(live).toMatchObject({ malformed: 0, reconnects: 0 });
    expect(frames).toBeGreaterThan(0);
  }
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130 });
});

test.each([
  [["replay", "ws://127.0.0.1:1"], 1, /no server answers there/],
  [["serve", recording, "--host", "203.0.113.7"], 1, /203\.0\.113\.7:8765: this machine has no such address/],
])("depthloom %j fails with a message that names the cause", async (args, wanted, message) => {
  const { status, stderr } = await depthloom(...args);
  expect([status, stderr]).toEqual([wanted, expect.stringMatching(message)]);
});
