import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { depthPng, depthValues, HEIGHT, tarOf, tgzOf, tumContents, useFolder, WIDTH, zipOf } from "../fixtures.ts";
import type { Page, Told } from "./browserPage.ts";
import { usePage } from "./tab.ts";

declare const page: Page;

/** A real browser reads the recordings that Node reads, through the browser's own file access, inflater and worker. */
describe("openRecording in a browser", () => {
  const disk = useFolder();
  const tab = usePage("browserPage.html");

  const choose = async (path: string): Promise<Told | string> => {
    await tab.now.setInputFiles("#files", path);
    return tab.now.evaluate(() => page.chosen("files"));
  };
  const framesOf = (count: number, first = 0) =>
    Array.from({ length: count }, (_, i) => ({ depth: [...depthValues(i, first)], color: WIDTH * HEIGHT * 4 }));

  // Large enough that a .tgz is read in several pieces.
  const large = { ...tumContents(5), "noise.bin": randomBytes(300_000) };
  test.each([
    ["stored.zip", zipOf(tumContents(5, "top/"), 0)],
    ["deflated.zip", zipOf(tumContents(5))],
    ["plain.tar", tarOf(tumContents(5))],
    ["packed.tgz", tgzOf(tumContents(5, "top/"))],
    ["followed.tgz", Buffer.concat([tgzOf(large), Buffer.from("bytes that belong to nothing")])],
    [
      "members.tgz",
      Buffer.concat(
        [0, 1, 2, 3].map((i) => gzipSync(tarOf(large).subarray(90_000 * i, i < 3 ? 90_000 * (i + 1) : undefined))),
      ),
    ],
  ])("reads %s exactly", async (name, bytes) => {
    expect(await choose(disk.file(name, bytes))).toMatchObject({ format: "tum", name, frames: framesOf(5) });
  });

  test("reads a recording in a worker, which ends when the recording is closed", async () => {
    const started: string[] = [];
    tab.now.on("worker", (worker) => started.push(worker.url()));
    await choose(disk.file("a.zip", zipOf(tumContents(1))));
    expect(started).toEqual([expect.stringContaining("remote/worker")]);
    await expect.poll(() => tab.now.workers()).toEqual([]);
  });

  const png = depthPng(depthValues(0));
  const bad = Buffer.from(png);
  bad[45] ^= 1;
  test.each([
    ["a damaged PNG", "a.zip", zipOf({ "0.png": bad }), "SourceError: a.zip/0.png: this PNG is damaged: wrong"],
    ["a cut zip", "a.zip", zipOf({ "0.png": png }).subarray(0, -9), "SourceError: a.zip: the end of this zip is"],
    ["cut tgz", "a.tgz", gzipSync(tarOf({ "0.png": png })).subarray(0, -20), "SourceError: a.tgz: its compressed data"],
    [
      "a zip with a path that leads out of it",
      "a.zip",
      zipOf({ "../0.png": png }),
      'SourceError: a.zip: it holds a file whose path leads out of it, "../0.png"',
    ],
  ])("refuses %s with the message that Node gives", async (_, name, bytes, message) => {
    expect(await choose(disk.file(name, bytes))).toContain(message);
  });

  test("reads WebXR's depth for the GPU, in each form of texture that it may have", async () => {
    const { planes, infinite, ...exact } = await tab.now.evaluate(() => page.gpuDepth());
    for (const [name, values] of Object.entries(exact)) expect(values, name).toEqual([0, 500, 1234, 7000, 0]);
    // A depth buffer of 16 bits is coarse in the distance.
    for (const values of [planes, infinite])
      for (const [i, [mm, off]] of [
        [0, 0],
        [500, 1],
        [1234, 1],
        [7000, 5],
        [0, 0],
      ].entries())
        expect(Math.abs((values?.[i] ?? -1) - (mm ?? 0))).toBeLessThanOrEqual(off ?? 0);
  });
});
