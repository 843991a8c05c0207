import { type Case, defaultCases } from "../cases.ts";
import { keepCeilings } from "../ceilings/known.ts";
import { measureCeilings } from "../ceilings/measure.ts";
import type { Ceilings } from "../ceilings/types.ts";
import { ceilingRows } from "../ceilings/words.ts";
import { makeInput } from "../frames.ts";
import { filmed } from "../measure/film.ts";
import { measureOnGpu } from "../measure/onGpu.ts";
import { imagesFor, SLOW_PIXELS } from "../plan.ts";
import { ratiosOf } from "../ratios.ts";
import { caseName, duration, gigabytesPerSecond, ofLimit } from "../report/page.ts";
import { stageParts } from "../report/stageReport.ts";
import { effortOn, type Figures, type Part, type Scope, type Study } from "../study.ts";
import type { Input, Log, Result, Size } from "../types.ts";

interface StageTimes {
  /** One, or none as long as they are not measured. */
  readonly ceilings: readonly Ceilings[];
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
/** The device's ceilings take as long as this many stages of a Kinect's frame. */
const CEILINGS_STAGES = 10;
/** On a GPU compiling, warming up and trials take equally long for all sizes; at this many pixels the processor's work takes as long. */
const DOUBLES = 4e6;
/** Beyond it a software GPU takes seconds for a frame. */
const SOFTWARE_PIXELS = 1280 * 720;

const pixelsOf = ({ width, height }: Size) => width * height;

/** The stages' kernels: their times, and how near these come to what the device can do at most. */
export const stages: Study<StageTimes> = {
  name: "stages",
  title: "The stages’ kernels",
  question:
    "How long does each stage take for a frame, is its output right, and how near does it come to a plain copy and to the device’s limits?",
  unit: "stages, by size",
  parts,
  figures,
  sections: ({ rows }) => stageParts({ results: rows, peers: [], ratios: ratiosOf(rows, []) }),
};

/** The ceilings, then a part for each size and case; depth of field, which takes the longest, comes last of its size. */
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
  const cost = (size: Size) => (gpu.software ? pixelsOf(size) : 1 + pixelsOf(size) / DOUBLES);
  let known: Ceilings | undefined;
  const limits: Part<StageTimes> = {
    label: "the device’s limits",
    cost: CEILINGS_STAGES * cost(KINECT),
    async measure(log, signal) {
      known = await measureCeilings(gpu, { quick: scope.quick || gpu.software, progress: log, signal });
      // From now on `info` can tell how fast the device is. The folder may be one where nothing can be kept.
      await keepCeilings(gpu, known).catch((error: unknown) => log(`the limits are not kept: ${error}`));
      return { ceilings: [known], rows: [], notes: known.notes };
    },
  };
  const timed = SIZES.filter((size) => pixelsOf(size) <= most).flatMap((size) => {
    const here = [...cases.filter((one) => !drawing(one)), ...cases.filter(drawing)];
    return here
      .filter((one) => pixelsOf(size) <= drawn || !drawing(one))
      .map((one) => ({
        label: `${caseName(one)}, ${size.width} × ${size.height}`,
        cost: cost(size),
        async measure(log: Log) {
          const notes: string[] = [];
          const images = filmed(one, await inputOf(size));
          const lane = { mode: "robust", gpu } as const;
          const results = await measureOnGpu(one, images, lane, effort, (line) => notes.push(line), known);
          // The device has refused the frame.
          if (results.length === 0) throw new Error(notes.join("; "));
          for (const line of notes) log(line);
          for (const { method, medianUs } of results)
            if (method === "pass") log(`${caseName(one)}, ${size.width}x${size.height}: ${duration(medianUs)}`);
          return { ceilings: [], rows: results, notes };
        },
      }));
  });
  return [limits, ...timed];
}

/** The device at its best; each stage's bytes per second over a copy's, at the largest size that has both; its share of its limit. */
function figures({ ceilings: [best], rows }: StageTimes): Figures {
  const timed = rows.filter(({ method, checked }) => method === "pass" && checked);
  const copies = timed.filter(({ stage }) => stage === "copy").sort((a, b) => b.elements - a.elements);
  const beside = ({ elements }: Result) =>
    timed.filter((row) => row.stage !== "copy" && row.elements === elements && row.bytes > 0);
  const copy = copies.find((one) => beside(one).length > 0);
  const rate = copy ? gigabytesPerSecond(copy) : 0;
  const percent = (share: number) => `${Number((share * 100).toPrecision(2))} %`;
  const limited = timed.filter((row) => ofLimit(row) !== "");
  return Object.fromEntries([
    ...(best ? ceilingRows(best) : []),
    ...(copy ? [[`copy, ${copy.width}×${copy.height}`, `${Number(rate.toPrecision(3))} GB/s`]] : []),
    ...(copy ? beside(copy) : []).map((row) => [
      `of a copy's GB/s, ${caseName(row)}`,
      percent(gigabytesPerSecond(row) / rate),
    ]),
    ...limited.map((row) => [`of the limit, ${caseName(row)}, ${row.width}×${row.height}`, ofLimit(row)]),
  ]);
}
