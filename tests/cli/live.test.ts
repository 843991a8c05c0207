import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Observable } from "rxjs";
import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { documentOf } from "../../run/replay/report.ts";
import type { ReplayRequest } from "../../run/replay/request.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { describe as told } from "../../run/report/failure.ts";
import { type Source, SourceError } from "../../sources/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { replayHere, requestOf } from "./replayHere.ts";

// replay with unusual sources: one that cannot seek, and frames that are dropped, broken or empty.

const disk = useFolder();
const [WIDTH, HEIGHT] = [64, 48];

function frameOf(
  index: number,
  { value = 1000 + index, ...more }: Partial<DepthFrame> & { value?: number } = {},
): DepthFrame {
  const depth = image(new Uint16Array(WIDTH * HEIGHT).fill(value), [HEIGHT, WIDTH]);
  const intrinsics = { fx: 60, fy: 60, cx: 31.5, cy: 23.5, width: WIDTH, height: HEIGHT };
  return { depth, metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index, ...more };
}

/** A pretend camera, which sends its frames in bursts, whether or not replay is ready, and cannot seek. */
function camera(frames: readonly DepthFrame[], burst: number): Source & { readonly had: () => number } {
  let had = 0;
  const frames$ = new Observable<DepthFrame>((observer) => {
    const timer = setInterval(() => {
      for (let i = 0; i < burst && !observer.closed; i++) {
        const frame = frames[had];
        if (!frame) return observer.complete();
        had++;
        observer.next(frame);
      }
    }, 5);
    return () => clearInterval(timer);
  });
  return { name: "pretend camera", format: "pretend", fps: 30, frames$, close: async () => {}, had: () => had };
}

/** A camera that sends `count` frames, one by one. */
function steady(count: number, more: Partial<DepthFrame> = {}) {
  const frames = Array.from({ length: count }, (_, i) => frameOf(i, more));
  return camera(frames, 1);
}

async function played(source: Source, more: Partial<ReplayRequest> = {}) {
  const warnings: string[] = [];
  const request = requestOf({ policy: "latest", ...more });
  const result = await replayHere(source, request, (line) => warnings.push(line));
  return { result, warnings, document: documentOf(request, result), outputs: [...result.outputs] };
}

describe("replay of a live source", () => {
  test("counts shown, dropped and unreadable frames, which add up to all frames", async () => {
    const fault = new SourceError("depth/7.png: it is cut short");
    // Three frames are lost before they reach replay, as their indices show.
    const indices = Array.from({ length: 63 }, (_, i) => i).filter((i) => i < 30 || i > 32);
    const frames = indices.map((i) => frameOf(i, i % 20 === 7 ? { value: 0, fault } : {}));
    const source = camera(frames, 6);
    const { document, warnings, outputs } = await played(source);
    expect(source.had()).toBe(60);
    expect(document.unreadable).toBe(3);
    expect(document.dropped).toBeGreaterThan(20);
    expect(document.frames + document.dropped + document.unreadable).toBe(63);
    expect(outputs).toHaveLength(document.frames);
    expect(outputs.map(({ index }) => index % 20)).not.toContain(7);
    expect(warnings).toEqual([
      expect.stringMatching(/^frame 7 could not be read.*depth\/7\.png: it is cut short$/),
      expect.stringMatching(/^3 frames could not be read, left out: 7, 27, 47; the first: .*it is cut short$/),
    ]);
  });

  test("ends after --frames and writes a recording", async () => {
    const out = join(disk.root, "live");
    const { document } = await played(steady(1000), { frames: 5, out });
    expect(document.frames + document.dropped).toBe(5);
    expect(readdirSync(join(out, "depth"))).toHaveLength(document.frames);
    const described = JSON.parse(readFileSync(join(out, "recording.json"), "utf8"));
    expect(described).toMatchObject({ fps: 30, metresPerUnit: 0.001 });
  });

  test.each([
    [{ start: 3 }, /start 3: pretend camera is live/],
    [{ loop: 2 }, /loop 2: pretend camera is live/],
  ])("refuses %j as wrong usage", async (more, message) => {
    await expect(played(camera([frameOf(0)], 1), more)).rejects.toThrow(message);
    await expect(played(camera([frameOf(0)], 1), more)).rejects.toMatchObject({ name: "RequestError" });
  });
});

test.skipIf(process.platform !== "linux")("replay ends with one line that names the file on a full disk", async () => {
  const out = join(disk.root, "full");
  const unfinished = `${out}.partial`;
  // The name that a file has while it is written leads to a device that is always full.
  mkdirSync(join(unfinished, "depth"), { recursive: true });
  const chosen = chooseStages(["median"], undefined);
  const { result } = await played(blocking(unfinished), { out, force: true, chosen });
  expect(told(result.error)).toBe(`${join(unfinished, "depth", "000000.png")}: the disk is full`);
  expect(readdirSync(join(unfinished, "depth"))).not.toContain("000000.png");
});

/** A camera that makes the file of its first frame lead to /dev/full. */
function blocking(out: string): Source {
  const source = steady(20);
  const frames$ = new Observable<DepthFrame>((observer) => {
    symlinkSync("/dev/full", join(out, "depth", "000000.png.partial"));
    return source.frames$.subscribe(observer);
  });
  return { ...source, frames$ };
}

describe("replay's picture", () => {
  const grey = () => chooseStages(undefined, undefined);
  const namesOf = ({ stages }: { stages: readonly { name: string }[] }) => stages.map(({ name }) => name);
  const some = (more: Partial<DepthFrame> = {}) => steady(3, more);
  const small = { policy: "lossless", viewSize: { width: 32, height: 24 } } as const;

  test("without colour is lit clay: paint runs before compact and changes no depth", async () => {
    const painted = await played(some(), { ...small, chosen: grey(), out: join(disk.root, "clay") });
    const unpainted = chooseStages(namesOf({ stages: without(grey()) }), undefined);
    const plain = await played(some(), { ...small, chosen: unpainted });
    const names = namesOf(painted.document);
    expect(names.indexOf("paint")).toBe(names.indexOf("compact") - 1);
    expect(namesOf(plain.document)).toEqual(names.filter((name) => name !== "paint"));
    expect(painted.outputs.map((o) => o.depthSha256)).toEqual(plain.outputs.map((o) => o.depthSha256));
    const settings = JSON.parse(readFileSync(join(disk.root, "clay", "settings.json"), "utf8"));
    expect(namesOf(settings)).toEqual(expect.arrayContaining(names));
    const paint = settings.stages.find(({ name }: { name: string }) => name === "paint");
    expect(paint).toMatchObject({ parameters: { by: "clay" } });
  });

  const without = ({ stages, stopgap }: ReturnType<typeof grey>) => stages.filter((stage) => stage !== stopgap);

  test("with colour shows the colour, and runs paint only on request", async () => {
    const color = image(new Uint8Array(WIDTH * HEIGHT * 4).fill(200), [HEIGHT, WIDTH, 4]);
    const { document } = await played(some({ color }), { ...small, chosen: grey() });
    expect(namesOf(document).join(" ")).toBe("despeckle median bilateralGrid track temporal compact dofSplat");
    const asked = chooseStages(undefined, undefined, ["paint.by=normal"]);
    expect(namesOf((await played(some({ color }), { ...small, chosen: asked })).document)).toContain("paint");
  });
});

test("replay fits the view to a frame that runs, not to a dropped one", async () => {
  const chosen = chooseStages(["compact", "dofSplat"], undefined);
  // The frames come at once: the first runs and has no valid pixel; the second is dropped for the third.
  const frames = [0, 9000, 2000].map((value, i) => frameOf(i, { value }));
  const { outputs } = await played(camera(frames, 3), { chosen, viewSize: { width: 16, height: 12 } });
  expect(outputs.map(({ index }) => index)).toEqual([0, 2]);
  expect(chosen.stages[1]?.parameters.focusM).toBe(2);
});
