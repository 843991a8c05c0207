import { type Case, defaultCases } from "../cases.ts";
import { makeInput } from "../frames.ts";
import { filmed } from "../measure/film.ts";
import { measureOnGpu } from "../measure/onGpu.ts";
import { imagesFor, SLOW_PIXELS } from "../plan.ts";
import { ratiosOf } from "../ratios.ts";
import { benchSections } from "../report/html.ts";
import { caseName, duration, gigabytesPerSecond } from "../report/words.ts";
import type { Answer, Part, Scope, Study } from "../study.ts";
import { costOf, effortOn } from "../study.ts";
import type { Input, Result, Size } from "../types.ts";
import { casesOf, endsWords, shareWords } from "./words.ts";

interface StageTimes {
  readonly results: readonly Result[];
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
/** Frames that take turns, where memory is shared with others. */
const FEW_IMAGES = 4;

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
  join: (found) => ({
    results: found.flatMap(({ results }) => results),
    notes: found.flatMap(({ notes }) => notes),
  }),
  right: ({ results }) => results.every(({ checked }) => checked),
  answers,
  notes: ({ notes }) => notes,
  sections: ({ results }) => benchSections({ results, peers: [], ratios: ratiosOf(results, []), notes: [] }),
};

/** A part for each size and case; depth of field, which takes the longest, comes last of its size. */
function parts(scope: Scope): Part<StageTimes>[] {
  const { gpu, large } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 9 : 15,
    targetUs: gpu.software ? 20_000 : 2000,
    budgetMs: gpu.software ? 1000 : 2000,
  });
  const most = gpu.software ? SOFTWARE_PIXELS : large ? Number.POSITIVE_INFINITY : SLOW_PIXELS;
  const drawing = ({ stage }: Case) => stage.includes("dofSplat");
  const drawn = gpu.software ? pixelsOf(KINECT) : SLOW_PIXELS;
  const cases = defaultCases();
  let last: { readonly size: Size; readonly input: Promise<Input> } | undefined;
  const inputOf = (size: Size) => {
    const images = Math.min(imagesFor(size), large ? Number.POSITIVE_INFINITY : FEW_IMAGES);
    if (last?.size !== size) last = { size, input: makeInput("structured", size, images) };
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
          return { results, notes };
        },
      }));
  });
}

const inOnePass = (results: readonly Result[]) => results.filter(({ method }) => method === "pass");

/** The rows of the largest size that has both a copy and at least one stage, without the copy, and the copy's row. */
function besideCopy(
  results: readonly Result[],
): { readonly copy: Result; readonly rows: readonly Result[] } | undefined {
  const timed = inOnePass(results);
  const copies = timed.filter(({ stage }) => stage === "copy").sort((a, b) => b.elements - a.elements);
  for (const copy of copies) {
    const own = timed.filter(
      ({ stage, elements, bytes }) => stage !== "copy" && elements === copy.elements && bytes > 0,
    );
    if (own.length > 0) return { copy, rows: own };
  }
  return undefined;
}

function answers({ results }: StageTimes): Answer[] {
  const timed = inOnePass(results);
  const checked = timed.filter((one) => one.checked).length;
  const right = {
    claim: "Every kernel’s output is what its CPU twin gives.",
    found: `${checked} of ${timed.length} outputs right`,
    holds: checked === timed.length,
  };
  const large = besideCopy(results);
  if (!large) return [right];
  const { copy, rows } = large;
  const shares = rows
    .map((row) => ({ name: caseName(row), share: gigabytesPerSecond(row) / gigabytesPerSecond(copy) }))
    .filter(({ name }) => !name.includes("+"));
  const rate = `${Number(gigabytesPerSecond(copy).toPrecision(3))} GB/s`;
  return [
    right,
    {
      claim: "How near do stages come to a copy’s bytes per second?",
      found: `at ${copy.width} × ${copy.height} a copy moves ${rate}, stages ${endsWords(shares)} of that`,
      ...casesOf(shares.map(({ name, share }) => ({ name, found: shareWords(share) }))),
      holds: null,
    },
  ];
}
