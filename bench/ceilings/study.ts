import { registry } from "../../stages/registry.ts";
import { baselines } from "../baselines.ts";
import { parseCase } from "../cases.ts";
import { makeInput } from "../frames.ts";
import { filmed } from "../measure/film.ts";
import { measureOnGpu } from "../measure/onGpu.ts";
import { imagesFor, SLOW_PIXELS } from "../plan.ts";
import { CHECKED, caseName, micros, ofLimit, type Part as PagePart, SPREAD, tableOf } from "../report/page.ts";
import { costOf, effortOn, type Figures, known, type Part, type Scope, type Study } from "../study.ts";
import type { Input, Result, Size } from "../types.ts";
import { keepCeilings } from "./known.ts";
import { measureCeilings } from "./measure.ts";
import type { Ceilings } from "./types.ts";
import { ceilingRows } from "./words.ts";

/** The greatest rates of a device, and the stages' times beside their limits. */
interface Limits {
  /** One, or none as long as they are not measured. */
  readonly ceilings: readonly Ceilings[];
  readonly rows: readonly Result[];
  readonly notes: readonly string[];
}

const SIZES: readonly Size[] = [
  { width: 640, height: 480 },
  { width: 4096, height: 4096 },
  { width: 3840, height: 2160 },
];
/** A software GPU takes seconds for a larger frame. */
const SOFTWARE: readonly Size[] = [{ width: 320, height: 240 }];
/** The device's ceilings take as long as this many rows of a Kinect's frame. */
const CEILINGS_ROWS = 10;
/** The distortion of a lens that `undistort` has to undo. */
const DISTORTION = [0.08, -0.15, 0.001, 0.001, 0.05] as const;
/** Few images have that distortion, since a table for each takes seconds to make. */
const BENT_IMAGES = 2;
/** Stages that are measured in other forms than the default as well. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  median: ["median:size=3", "median:size=5"],
  bilateralGrid: ["bilateralGrid", "bilateralGrid:fit=constant:sigmaSpacePx=16:sigmaDepthMm=50"],
};

/** Every stage alone, and the two rows that are not stages. */
const shippedCases = () =>
  [...baselines.keys(), ...registry.keys()].flatMap((name) => FORMS[name] ?? [name]).map(parseCase);

/** The greatest rates of the device, and how close every stage comes to them. */
export const ceilings: Study<Limits> = {
  name: "ceilings",
  title: "The device’s limits, and how close the stages come",
  question: "How fast are memory, arithmetic, atomics and launches at most, and which of them holds each stage back?",
  unit: "ceilings and stages",
  weight: 2,
  parts,
  figures,
  right: ({ ceilings, rows }) => [...ceilings, ...rows].every(({ checked }) => checked),
  sections,
};

const pixelsOf = ({ width, height }: Size) => width * height;

/** The ceilings, which the limits are made of; then stages, each alone. */
function parts(scope: Scope): Part<Limits>[] {
  const { gpu, quick, asked } = scope;
  const sizes = asked?.sizes ?? (gpu.software || (asked && quick) ? SOFTWARE : SIZES);
  const cases = asked?.stages?.split(",").map(parseCase) ?? shippedCases();
  const cost = (size: Size) => costOf(scope, pixelsOf(size), 4e6);
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 15,
    targetUs: gpu.software ? 20_000 : 2000,
    budgetMs: 1000,
  });
  let known: Ceilings | undefined;
  let last: { readonly size: Size; readonly input: Promise<Input> } | undefined;
  const inputOf = (size: Size) => {
    if (last?.size !== size) last = { size, input: makeInput("structured", size, Math.min(4, imagesFor(size))) };
    return last.input;
  };
  const [first = { width: 1, height: 1 }] = sizes;
  return [
    {
      label: "the device’s ceilings",
      cost: CEILINGS_ROWS * cost(first),
      async measure(log, signal) {
        known = await measureCeilings(gpu, { quick: quick || gpu.software, progress: log, signal });
        // From now on `info` can tell how fast the device is. The folder may be one where nothing can be kept.
        await keepCeilings(gpu, known).catch((error: unknown) => log(`the limits are not kept: ${error}`));
        return { ceilings: [known], rows: [], notes: known.notes };
      },
    },
    ...sizes.flatMap((size) =>
      cases
        // The picture is not made for more points than that, and takes seconds for them.
        .filter(({ stage }) => stage !== "dofSplat" || pixelsOf(size) <= SLOW_PIXELS)
        .map((one) => ({
          label: `${caseName(one)}, ${size.width} × ${size.height}`,
          cost: cost(size),
          async measure() {
            const notes: string[] = [];
            const plain = await inputOf(size);
            const input = one.timed.every((stage) => stage.needed(plain.shape)) ? plain : bent(plain);
            const lane = { mode: "robust", gpu } as const;
            const results = await measureOnGpu(
              one,
              filmed(one, input),
              lane,
              effort,
              (line) => notes.push(line),
              known,
            );
            return { ceilings: [], rows: results.filter(({ method }) => method === "pass"), notes };
          },
        })),
    ),
  ];
}

/** The input as a lens with distortion sees it. */
const bent = ({ shape, images, ...rest }: Input): Input => ({
  ...rest,
  shape: { ...shape, intrinsics: { ...shape.intrinsics, distortion: DISTORTION } },
  images: images.slice(0, BENT_IMAGES),
});

/** The device at its best, and each stage's share of its limit. */
function figures({ ceilings: [best], rows }: Limits): Figures {
  return known([
    ...(best ? ceilingRows(best) : []),
    ...rows.map((row) => [`of the limit, ${caseName(row)}, ${row.width}×${row.height}`, ofLimit(row)] as const),
  ]);
}

function sections({ rows }: Limits): PagePart[] {
  return tableOf<Result>(
    "Stages beside their limits",
    rows,
    {
      stage: ({ stage }) => stage,
      variant: ({ variant }) => variant,
      size: ({ width, height }) => `${width}x${height}`,
      ...SPREAD,
      "limit µs": ({ limitUs = 0 }) => micros(limitUs),
      "of the limit": ofLimit,
      ...CHECKED,
    },
    "A limit is the largest of three times: of the operations, of the bytes that have to move, and of the launches.",
  );
}
