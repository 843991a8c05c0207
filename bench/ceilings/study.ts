import { registry } from "../../stages/registry.ts";
import { baselines } from "../baselines.ts";
import { parseCase } from "../cases.ts";
import { endsWords } from "../deviceReport/words.ts";
import { makeInput } from "../frames.ts";
import { filmed } from "../measure/film.ts";
import { measureOnGpu } from "../measure/onGpu.ts";
import { imagesFor, SLOW_PIXELS } from "../plan.ts";
import { type Section, tableSection } from "../report/page.ts";
import { caseName, duration, micros, ofLimit } from "../report/words.ts";
import { type Answer, costOf, effortOn, type Part, type Scope, type Study } from "../study.ts";
import type { Input, Result, Size } from "../types.ts";
import { keepCeilings } from "./known.ts";
import { measureCeilings } from "./measure.ts";
import type { Ceilings } from "./types.ts";
import { binary, ceilingRows, perSecond } from "./words.ts";

/** What a device can do at most, and the stages' times beside their limits. */
interface Limits {
  readonly ceilings: Ceilings | null;
  readonly rows: readonly Result[];
  readonly notes: readonly string[];
}

const SIZES: readonly Size[] = [
  { width: 640, height: 480 },
  { width: 4096, height: 4096 },
  { width: 3840, height: 2160 },
];
/** A page shares its memory, and a software GPU takes seconds for a frame. */
const SMALL: readonly Size[] = [
  { width: 640, height: 480 },
  { width: 1920, height: 1080 },
];
const SOFTWARE: readonly Size[] = [{ width: 320, height: 240 }];
/** The largest buffers of a page. */
const SMALL_BYTES = 2 ** 26;
/** The device's ceilings take as long as this many rows of a Kinect's frame. */
const CEILINGS_ROWS = 10;
/** A stage is near its limit from this share on. */
const NEAR = 0.6;
/** A lens whose distortion `undistort` has to undo, on few images: a table for each takes seconds to make. */
const [DISTORTION, BENT_IMAGES] = [[0.08, -0.15, 0.001, 0.001, 0.05] as const, 2];
/** Stages that are measured in other forms than the default as well. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  median: ["median:size=3", "median:size=5"],
  bilateralGrid: ["bilateralGrid", "bilateralGrid:fit=constant:sigmaSpacePx=16:sigmaDepthMm=50"],
};

/** Every stage alone, and the two rows that are not stages. */
export const shippedCases = () =>
  [...baselines.keys(), ...registry.keys()].flatMap((name) => FORMS[name] ?? [name]).map(parseCase);

/** What the device can do at most, and how close every stage comes to it. */
export const ceilings: Study<Limits> = {
  name: "ceilings",
  title: "The device’s limits, and how close the stages come",
  question: "How fast are memory, arithmetic, atomics and launches at most, and which of them holds each stage back?",
  unit: "ceilings and stages",
  weight: 2,
  parts,
  join: (found) => ({
    ceilings: found.find((one) => one.ceilings)?.ceilings ?? null,
    rows: found.flatMap(({ rows }) => rows),
    notes: found.flatMap(({ notes }) => notes),
  }),
  right: ({ ceilings, rows }) => ceilings?.checked !== false && rows.every(({ checked }) => checked),
  answers,
  notes: ({ notes }) => notes,
  sections,
};

const pixelsOf = ({ width, height }: Size) => width * height;

/** The ceilings, which the limits are made of; then stages, each alone. */
function parts(scope: Scope): Part<Limits>[] {
  const { gpu, quick, large, asked } = scope;
  const sizes = asked?.sizes ?? (gpu.software || (asked && quick) ? SOFTWARE : large ? SIZES : SMALL);
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
        const mostBytes = large ? undefined : SMALL_BYTES;
        known = await measureCeilings(gpu, { quick: quick || gpu.software, mostBytes, progress: log, signal });
        // From now on `info` can tell how fast the device is. A page may be forbidden to keep anything.
        await keepCeilings(gpu, known).catch((error: unknown) => log(`the limits are not kept: ${error}`));
        return { ceilings: known, rows: [], notes: known.notes };
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
            return { ceilings: null, rows: results.filter(({ method }) => method === "pass"), notes };
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

const shareOf = ({ limitUs = 0, medianUs }: Result) => limitUs / medianUs;

function answers({ ceilings, rows }: Limits): Answer[] {
  if (!ceilings) return [];
  const { memory, rates, dispatchUs } = ceilings;
  const largest = memory.at(-1);
  const best = [
    ...(largest ? [`a copy of ${binary(largest.bytes)} moves ${perSecond(largest.copyGBps, "B")}`] : []),
    `multiply-adds of f32 ${perSecond(rates.f32, "op")}`,
    `words of workgroup memory ${perSecond(rates.workgroup, "op")}`,
    `atomic adds ${perSecond(rates.atomics, "op")}`,
    `a dispatch takes ${duration(dispatchUs)}`,
  ];
  const stages = rows.filter(({ stage }) => !baselines.has(stage));
  const most = Math.max(...stages.map(pixelsOf));
  const there = stages.filter((row) => pixelsOf(row) === most);
  const [at] = there;
  const near = there.filter((row) => shareOf(row) >= NEAR).length;
  const ends = endsWords(there.map((row) => ({ name: caseName(row), share: shareOf(row) })));
  return [
    { claim: "What is the device at its best?", found: best.join(", "), holds: null },
    ...(at
      ? [
          {
            claim: `Every stage reaches ${NEAR * 100} % of its limit on the largest frame.`,
            found: `${near} of ${there.length} at ${at.width} × ${at.height}: ${ends}`,
            cases: there.map((row) => ({ name: caseName(row), found: ofLimit(row) })),
            holds: near === there.length,
          },
        ]
      : []),
  ];
}

function sections({ ceilings, rows }: Limits): Section[] {
  const head = ["stage", "variant", "size", "measured µs", "limit µs", "of the limit", "output"];
  const cells = rows.map((row) => [
    row.stage,
    row.variant,
    `${row.width}x${row.height}`,
    micros(row.medianUs),
    micros(row.limitUs ?? 0),
    ofLimit(row),
    row.checked ? "checked" : "wrong",
  ]);
  return [
    ...tableSection("The device at its best", "Measured with small kernels, each checked.", [
      ["what", "how fast"],
      ...(ceilings ? ceilingRows(ceilings) : []),
    ]),
    ...tableSection(
      "Stages beside their limits",
      "A stage’s limit is the largest of three times: of its operations, of the bytes that it has to move, and of its launches.",
      [head, ...cells],
    ),
  ];
}
