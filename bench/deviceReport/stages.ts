import { type Case, defaultCases } from "../cases.ts";
import { makeInput } from "../frames.ts";
import { filmed } from "../measure/film.ts";
import { measureOnGpu } from "../measure/onGpu.ts";
import { imagesFor, SLOW_PIXELS } from "../plan.ts";
import { ratiosOf } from "../ratios.ts";
import { caseName, duration, gigabytesPerSecond } from "../report/page.ts";
import { stageParts } from "../report/stageReport.ts";
import { costOf, effortOn, type Figures, known, type Part, type Scope, type Study } from "../study.ts";
import type { Input, Result, Size } from "../types.ts";

interface StageTimes {
  readonly rows: readonly Result[];
  readonly notes: readonly string[];
}

const KINECT: Size = { width: 640, height: 480 };
const LARGEST: Size = { width: 4096, height: 4096 };
const SIZES: readonly Size[] = [
  KINECT,
  { width: 1920, height: 1080 },
  LARGEST,
  { width: 1280, height: 720 },
  { width: 320, height: 240 },
  { width: 3840, height: 2160 },
];
/** Beyond it a software GPU takes seconds for a frame. */
const SOFTWARE_PIXELS = 1280 * 720;

const pixelsOf = ({ width, height }: Size) => width * height;

/** The stages' kernels: their times, and the bytes that they move in a second. */
export const stages: Study<StageTimes> = {
  name: "stages",
  title: "The stages’ kernels",
  question:
    "How long does each stage take for a frame, is its output right, and how near does it come to the speed of a plain copy?",
  unit: "stages, by size",
  weight: 3,
  parts,
  figures,
  sections: ({ rows }) => stageParts({ results: rows, peers: [], ratios: ratiosOf(rows, []) }),
};

/** A part for each size and case; depth of field, which takes the longest, comes last of its size. */
function parts(scope: Scope): Part<StageTimes>[] {
  const { gpu } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 9 : 15,
    targetUs: gpu.software ? 20_000 : 2000,
    budgetMs: gpu.software ? 1000 : 2000,
  });
  const most = gpu.software ? SOFTWARE_PIXELS : Number.POSITIVE_INFINITY;
  const drawing = ({ stage }: Case) => stage.includes("dofSplat");
  const drawn = gpu.software ? pixelsOf(KINECT) : SLOW_PIXELS;
  const cases = defaultCases();
  let last: { readonly size: Size; readonly input: Promise<Input> } | undefined;
  const inputOf = (size: Size) => {
    if (last?.size !== size) last = { size, input: makeInput("structured", size, imagesFor(size)) };
    return last.input;
  };
  return SIZES.filter((size) => pixelsOf(size) <= most).flatMap((size) => {
    const here = [...cases.filter((one) => !drawing(one)), ...cases.filter(drawing)];
    return here
      .filter((one) => pixelsOf(size) <= drawn || !drawing(one))
      .map((one) => ({
        label: `${caseName(one)}, ${size.width} × ${size.height}`,
        cost: costOf(scope, pixelsOf(size), 4e6),
        async measure(log) {
          const notes: string[] = [];
          const images = filmed(one, await inputOf(size));
          const results = await measureOnGpu(one, images, { mode: "robust", gpu }, effort, (line) => notes.push(line));
          // The device has refused the frame.
          if (results.length === 0) throw new Error(notes.join("; "));
          for (const line of notes) log(line);
          for (const { method, medianUs } of results)
            if (method === "pass") log(`${caseName(one)}, ${size.width}x${size.height}: ${duration(medianUs)}`);
          return { rows: results, notes };
        },
      }));
  });
}

/** Each stage's bytes per second over a copy's, at the largest size that has both. */
function figures({ rows }: StageTimes): Figures {
  const timed = rows.filter(({ method, checked }) => method === "pass" && checked);
  const copies = timed.filter(({ stage }) => stage === "copy").sort((a, b) => b.elements - a.elements);
  const beside = (copy: Result) =>
    timed.filter(({ stage, elements, bytes }) => stage !== "copy" && elements === copy.elements && bytes > 0);
  const copy = copies.find((one) => beside(one).length > 0);
  if (!copy) return {};
  const rate = gigabytesPerSecond(copy);
  const percent = (share: number) => `${Number((share * 100).toPrecision(2))} %`;
  return known([
    [`copy, ${copy.width}×${copy.height}`, `${Number(rate.toPrecision(3))} GB/s`],
    ...beside(copy).map(
      (row) => [`of a copy's GB/s, ${caseName(row)}`, percent(gigabytesPerSecond(row) / rate)] as const,
    ),
  ]);
}
