import { lastValueFrom } from "rxjs";
import { expect, test } from "vitest";
import { type DepthFrame, image, type StereoPair } from "../../core/frame.ts";
import { framesOf } from "../../core/streams.ts";
import { createPipeline } from "../../pipeline/index.ts";
import { matchedFrames, matcherOf } from "../../pipeline/pair.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { run } from "../../run/run.ts";
import { stereo } from "../../stages/index.ts";

// What is looked at around the stage stereo: by `replay --from-pair`, by the viewer and in a program.

const [width, height] = [80, 24];
const DISPARITY = 12;
/** 7 random bits. */
const speckle = (n: number) => {
  const mixed = Math.imul(n ^ (n >>> 15), 2246822519);
  return Math.imul(mixed ^ (mixed >>> 13), 3266489917) >>> 25;
};
const grey = (shift: number, rows = 0) =>
  image(
    Uint8Array.from({ length: width * height }, (_, i) => {
      const at = (i % width) + shift + 256 * (Math.floor(i / width) + rows);
      return speckle(at >> 1) + speckle((at + 1) >> 1);
    }),
    [height, width],
  );

function frameOf(index: number, pair?: StereoPair): DepthFrame {
  const intrinsics = { fx: 300, fy: 300, cx: 40, cy: 12, width, height };
  const depth = image(new Uint16Array(width * height), [height, width]);
  return { depth, metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index, pair };
}

test("the stage comes before all others, once", () => {
  const kinds = (names?: string[]) =>
    chooseStages(names, undefined, [], "default", true).stages.map(({ kind }) => kind);
  expect(kinds()[0]).toBe("stereo");
  expect(kinds(["median"])).toEqual(["stereo", "median"]);
  expect(kinds(["stereo", "median"])).toEqual(["stereo", "median"]);
  expect(matcherOf(chooseStages(["median"], undefined).stages)).toBeUndefined();
});

test("noise is measured on what the pair gives, not on the camera's depth", () => {
  const [matched] = matchedFrames(stereo({ disparities: 64 }), [frameOf(0, pairOf(grey(0), grey(DISPARITY)))]);
  const middle = matched.depth.data[12 * width + 50];
  expect(middle * DISPARITY).toBeGreaterThan(300 * 0.05 * 1000 * 0.97);
  expect(middle * DISPARITY).toBeLessThan(300 * 0.05 * 1000 * 1.03);
});

const pairOf = (left: StereoPair["left"], right: StereoPair["right"]) => ({ left, right, baselineM: 0.05 });
const blank = image(new Uint8Array(width * height), [height, width]);
const still = pairOf(grey(0), grey(DISPARITY));
/** The pairs of a scene that goes up, whose right images are `by` frames late. */
const late = (by: number) => [0, 1, 2].map((i) => pairOf(grey(0, 3 * i), grey(DISPARITY, 3 * (i + by))));

/** The frames of these pairs as a recording whose format told `facts`. */
function recordingOf(pairs: readonly (StereoPair | undefined)[], ...facts: string[]) {
  const frames = pairs.map((pair, i) => frameOf(i, pair));
  const readable = { length: frames.length, read: async (i: number) => frames[i] };
  return {
    ...{ ...readable, name: "pairs", format: "png", fps: 30, warnings: [], frames$: framesOf(readable) },
    ...{ facts: facts.map((value) => ({ what: "pair", value, from: "files" })), async close() {} },
  };
}

/** What `replay` and what a program are told of the pairs: lines, and the error that ends the run. */
async function told(pairs: readonly (StereoPair | undefined)[], ...facts: string[]) {
  const [stages, recording] = [[stereo({ disparities: 64 })], recordingOf(pairs, ...facts)];
  const lines: Record<"replay" | "program", string[]> = { replay: [], program: [] };
  const failed = (to: string[]) => (error: Error) => to.push(`${error.name}: ${error.message}`);
  const chosen = { stages, given: new Set<string>(), stopgap: undefined };
  const request = { chosen, backend: "cpu", adapter: "auto", noise: "auto", frames: undefined } as const;
  const stop = new AbortController().signal;
  const listener = { warn: (line: string) => void lines.replay.push(line), note() {}, progress() {}, stop };
  await run(recording, request, listener, () => ({})).catch(failed(lines.replay));
  const onWarning = (line: string) => void lines.program.push(line);
  const pipeline = await createPipeline({ stages, backend: "cpu", onWarning });
  await lastValueFrom(recording.frames$.pipe(pipeline.process("lossless"))).catch(failed(lines.program));
  await pipeline.destroy();
  return lines;
}
const both = (...lines: string[]) => ({ replay: lines, program: lines });

test("a pair out of step by a frame is refused, one in step is not", async () => {
  expect(await told(late(0))).toEqual(both());
  for (const [by, which] of [[1, "before"] as const, [-1, "after"] as const]) {
    const line = `the left images of the first frames go better with the right images of the frames ${which} them: the pair is out of step, and is not matched; shift the numbers of the right images by one`;
    expect(await told(late(by))).toEqual({ replay: [`RequestError: ${line}`], program: [`SourceError: ${line}`] });
  }
});

test("images that are interchanged, or have nothing in common, are told of", async () => {
  const few = "less than 10 % of the first frames' pixels are found in both images";
  expect(await told([0, 1, 2].map(() => pairOf(grey(0), grey(-DISPARITY))))).toEqual(
    both(`${few}: they are interchanged: what is called the left image is the right camera's`),
  );
  expect(await told([0, 1, 2].map(() => pairOf(grey(0), grey(DISPARITY, 99))))).toEqual(
    both(`${few}: they may be no pair, not rectified, blank, or nearer than the search reaches`),
  );
});

test("a blank image and a camera that repeats its image are told of once, two that repeat theirs are not", async () => {
  const pairs = [
    ...[still, still, ...[1, 2].map((i) => pairOf(grey(0, i), grey(DISPARITY)))],
    ...[3, 4].map((i) => pairOf(blank, grey(DISPARITY, i))),
  ];
  expect(await told(pairs)).toEqual(
    both(
      "the right image of frame 2 is that of the frame before, but the other one is new: depth of such frames is wrong",
      "the left image of frame 4 is blank: such frames have no depth",
    ),
  );
  // One blank image is no reason to shift all others.
  const one = "the right image of frame 1 is blank: such frames have no depth";
  expect(await told([still, pairOf(grey(0), blank), still])).toEqual(both(one));
  const first = "the right image of frame 0 is blank: such frames have no depth";
  expect((await told([pairOf(grey(0), blank), still])).program).toEqual([first]);
});

test("a thing at the border that one camera alone sees does not make the other one's image a repeated one", async () => {
  const seen = grey(DISPARITY).data.map((value, i) => (i % width === width - 1 ? 200 - value : value));
  expect(await told([still, pairOf(grey(0), image(seen, [height, width])), still])).toEqual(both());
});

test("a frame without a pair is told of once, with the reason; replay refuses a recording without any", async () => {
  const none = "has no pair of images that depth could be matched from";
  const kept = "; such frames keep the camera's depth";
  expect(await told([still, undefined, undefined])).toEqual({
    replay: [`frame 1 ${none}${kept}`, "frame 1 has no valid pixel; later ones are only counted"],
    program: [`frame 1 ${none}${kept}`],
  });
  expect((await told([still, undefined], "none: it is late")).replay[0]).toBe(`frame 1 ${none}: it is late${kept}`);
  expect(await told([undefined, undefined], "none: their lenses differ")).toEqual({
    replay: [
      `RequestError: the recording ${none}: their lenses differ: leave out the stage stereo, or name the images in recording.json ("pair")`,
    ],
    program: [`frame 0 ${none}${kept}`],
  });
});

test("nothing is told of pairs that no stage matches, or where noise is none of first frames", async () => {
  const lines: string[] = [];
  const stages = [stereo({ disparities: 64 })];
  const onWarning = (line: string) => void lines.push(line);
  for (const noise of ["follow", "none"] as const) {
    const pipeline = await createPipeline({ stages, backend: "cpu", noise, onWarning });
    if (noise === "follow") pipeline.configure("stereo", { enabled: false });
    await lastValueFrom(recordingOf(late(1)).frames$.pipe(pipeline.process("lossless")));
    await pipeline.destroy();
  }
  expect(lines).toEqual([]);
});
