import { BestCeilings } from "../ceilings/best.ts";
import { keepCeilings } from "../ceilings/known.ts";
import { percent } from "../ceilings/lanes.ts";
import { measureCeilings } from "../ceilings/measure.ts";
import { farthestWords, spreadsheetSections } from "../ceilings/report.ts";
import { beatenNotes, type MeasuredRow, measureRow, type SpreadsheetRow } from "../ceilings/row.ts";
import { shippedCases } from "../ceilings/spreadsheet.ts";
import type { Ceilings } from "../ceilings/types.ts";
import { binary, perSecond } from "../ceilings/words.ts";
import { makeInput } from "../frames.ts";
import { imagesFor, SLOW_PIXELS } from "../plan.ts";
import { caseName, duration } from "../report/words.ts";
import type { Input, Size } from "../types.ts";
import { type Answer, costOf, type DeviceStudy, effortOn, type Figure, type Part, type Scope } from "./study.ts";
import { casesOf, endsWords } from "./words.ts";

interface Limits {
  readonly ceilings: Ceilings | null;
  readonly rows: readonly SpreadsheetRow[];
  readonly notes: readonly string[];
}

/** What a part has found. */
interface Piece {
  readonly best: BestCeilings;
  readonly rows: readonly MeasuredRow[];
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
const BASELINES = ["copy", "empty"];

/** What the device can do at most, and how close every stage comes to it. */
export const ceilings: DeviceStudy<Limits, Piece> = {
  name: "ceilings",
  title: "The device’s limits, and how close the stages come",
  question: "How fast are memory, arithmetic, atomics and launches at most, and which of them holds each stage back?",
  unit: "ceilings and stages",
  weight: 2,
  parts,
  join(found) {
    // Every part has measured with the same ceilings, of which the best are known by now.
    const ceilings = found[0]?.best.known ?? null;
    const rows = ceilings ? found.flatMap(({ rows }) => rows.map((row) => row(ceilings))) : [];
    return {
      ceilings,
      rows,
      notes: [...(ceilings?.notes ?? []), ...found.flatMap(({ notes }) => notes), ...beatenNotes(rows)],
    };
  },
  right: ({ ceilings, rows }) => ceilings?.checked !== false && rows.every(({ checked }) => checked !== false),
  answers,
  figures,
  notes: ({ notes }) => notes,
  sections: ({ ceilings, rows }) => (ceilings ? spreadsheetSections({ ceilings, rows, notes: [] }) : []),
};

/** The ceilings, which the limits are made of; then stages, each alone. */
function parts(scope: Scope): Part<Piece>[] {
  const { gpu, quick, large } = scope;
  let best: BestCeilings | undefined;
  const sizes = gpu.software ? SOFTWARE : large ? SIZES : SMALL;
  const [first] = sizes;
  const cost = (size: Size) => costOf(scope, pixelsOf(size), 4e6);
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 15,
    targetUs: gpu.software ? 20_000 : 2000,
    budgetMs: 1000,
  });
  let last: { readonly size: Size; readonly input: Promise<Input> } | undefined;
  const inputOf = (size: Size) => {
    if (last?.size !== size) last = { size, input: makeInput("structured", size, Math.min(4, imagesFor(size))) };
    return last.input;
  };
  return [
    {
      label: "the device’s ceilings",
      cost: CEILINGS_ROWS * (first ? cost(first) : 1),
      async measure(log, signal) {
        const mostBytes = large ? undefined : SMALL_BYTES;
        const ceilings = await measureCeilings(gpu, { quick: quick || gpu.software, mostBytes, progress: log, signal });
        // From now on the latency table can tell how close stages come. A page may be forbidden to keep anything.
        await keepCeilings(gpu, ceilings).catch((error: unknown) => log(`the limits are not kept: ${error}`));
        best = BestCeilings.of(gpu, ceilings, { mostBytes });
        return { best, rows: [], notes: [] };
      },
    },
    ...sizes.flatMap((size) =>
      shippedCases()
        // The picture is not made for more points than that, and takes seconds for them.
        .filter(({ stage }) => stage !== "dofSplat" || pixelsOf(size) <= SLOW_PIXELS)
        .map((one) => ({
          label: `${caseName(one)}, ${size.width} × ${size.height}`,
          cost: cost(size),
          async measure() {
            if (!best) throw new Error("the device’s ceilings are not known");
            const notes: string[] = [];
            const note = (line: string) => notes.push(`${caseName(one)}, ${size.width} × ${size.height}: ${line}`);
            const row = await measureRow(gpu, one, await inputOf(size), effort, best, note);
            return { best, rows: row ? [row] : [], notes };
          },
        })),
    ),
  ];
}

const pixelsOf = ({ width, height }: Size) => width * height;

function answers({ ceilings, rows }: Limits): Answer[] {
  if (!ceilings) return [];
  const { memory, rates, dispatchUs } = ceilings;
  const largestSet = memory.at(-1);
  const best = [
    ...(largestSet ? [`a copy of ${binary(largestSet.bytes)} moves ${perSecond(largestSet.copyGBps, "B")}`] : []),
    `multiply-adds of f32 ${perSecond(rates.f32, "op")}`,
    `words of workgroup memory ${perSecond(rates.workgroup, "op")}`,
    `atomic adds ${perSecond(rates.atomics, "op")}`,
    `a dispatch takes ${duration(dispatchUs)}`,
  ];
  return [{ claim: "What is the device at its best?", found: best.join(", "), holds: null }, ...stageAnswers(rows)];
}

function stageAnswers(rows: readonly SpreadsheetRow[]): Answer[] {
  if (rows.length === 0) return [];
  const beaten = rows.filter(({ isBeaten }) => isBeaten).map((row) => caseName(row));
  const stages = rows.filter(({ stage }) => !BASELINES.includes(stage));
  const most = Math.max(...stages.map(pixelsOf));
  const largest = stages.filter((row) => pixelsOf(row) === most);
  const [at] = largest;
  const near = largest.filter(({ share }) => share >= NEAR).length;
  const cases = largest.map((row) => {
    // Of a stage that is far from its limit, what it loses most by.
    const lost = row.share < NEAR ? farthestWords(row) : "";
    const why = `${row.limit.term}${lost && `; most beyond it ${lost}`}`;
    return { name: caseName(row), found: `${percent(row.share)} (${why})` };
  });
  const ends = endsWords(largest.map((row) => ({ name: caseName(row), share: row.share })));
  return [
    {
      claim: "No stage is faster than its limit (else the model is wrong).",
      found: beaten.length === 0 ? `none of ${rows.length} rows` : `faster: ${beaten.join(", ")}`,
      holds: beaten.length === 0,
    },
    ...(at
      ? [
          {
            claim: `Every stage reaches ${percent(NEAR)} of its limit on the largest frame.`,
            found: `${near} of ${largest.length} at ${at.width} × ${at.height}: ${ends}`,
            ...casesOf(cases),
            holds: near === largest.length,
          },
        ]
      : []),
  ];
}

/** The ceilings, and each stage's share of its limit. */
function figures({ ceilings, rows }: Limits): Figure[] {
  const { memory = [], rates, starts = [], waits = [], dispatchUs } = ceilings ?? {};
  const rate = (name: string, value: number | null | undefined): Figure[] =>
    value === null || value === undefined ? [] : [{ name, value: Number(value.toPrecision(4)), unit: "10⁹/s" }];
  return [
    ...memory.flatMap(({ bytes, copyGBps }) => rate(`bytes copied, ${bytes / 2 ** 20} MiB`, copyGBps)),
    ...rate("multiply-adds of f32", rates?.f32),
    ...rate("multiply-adds of f16", rates?.f16),
    ...rate("operations on whole numbers", rates?.i32),
    ...rate("words of workgroup memory", rates?.workgroup),
    ...rate("atomic adds", rates?.atomics),
    ...(dispatchUs === undefined ? [] : [{ name: "a dispatch", value: Number(dispatchUs.toPrecision(4)), unit: "µs" }]),
    ...starts.map((one) => ({
      name: `start of a workgroup of ${one.invocations}`,
      value: Number((1 / one.workgroups).toPrecision(4)),
      unit: "ns",
    })),
    ...waits.map(({ bytes, ns }) => ({
      name: `a load that waits for a load, ${binary(bytes)}`,
      value: Number(ns.toPrecision(4)),
      unit: "ns",
    })),
    ...rows.map((row) => ({
      name: `${caseName(row)}, ${row.width} × ${row.height}`,
      value: Math.round(row.share * 100),
      unit: "% of its limit",
    })),
  ];
}
