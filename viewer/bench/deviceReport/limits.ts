import { keepCeilings } from "../ceilings/known.ts";
import { percent } from "../ceilings/lanes.ts";
import { measureCeilings } from "../ceilings/measure.ts";
import { spreadsheetSections } from "../ceilings/report.ts";
import { measureRow, type SpreadsheetRow, shippedCases } from "../ceilings/spreadsheet.ts";
import type { Ceilings } from "../ceilings/types.ts";
import { perSecond } from "../ceilings/words.ts";
import { makeInput } from "../frames.ts";
import { imagesFor } from "../plan.ts";
import { caseName } from "../report/words.ts";
import type { Input, Size } from "../types.ts";
import { type Answer, type DeviceStudy, effortOn, type Figure, type Part, type Scope } from "./study.ts";

interface Limits {
  readonly ceilings: Ceilings | undefined;
  readonly rows: readonly SpreadsheetRow[];
  readonly notes: readonly string[];
}

const SIZES: readonly Size[] = [
  { width: 3840, height: 2160 },
  { width: 640, height: 480 },
];
/** A page shares its memory with others. */
const SMALL: Size = { width: 1280, height: 720 };
const [SMALL_BYTES, FEW_IMAGES] = [2 ** 26, 4];
/** What a stage should reach of its own limit. */
const ENOUGH = 0.6;

/** What a device can do at most, and how close every stage comes to that. */
export const limits: DeviceStudy<Limits> = {
  name: "limits",
  title: "How close to the limit",
  question:
    "What can the device do at most, and how close does each stage come to the least time that its work takes there?",
  unit: "measurements",
  weight: 2,
  parts,
  join: (found) => ({
    ceilings: found.find(({ ceilings }) => ceilings)?.ceilings,
    rows: found.flatMap(({ rows }) => rows),
    notes: found.flatMap(({ notes }) => notes),
  }),
  right: ({ ceilings, rows }) => ceilings?.checked !== false && rows.every(({ checked }) => checked !== false),
  answers,
  figures,
  notes: ({ notes }) => notes,
  sections: ({ ceilings, rows }) => (ceilings ? spreadsheetSections({ ceilings, rows, notes: [] }) : []),
};

/** The device first; then each stage, at the larger size first, where launches hide nothing. */
function parts(scope: Scope): Part<Limits>[] {
  const { gpu, quick, large } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 15,
    targetUs: gpu.software ? 20_000 : 2000,
    budgetMs: gpu.software ? 300 : 1000,
  });
  let ceilings: Ceilings | undefined;
  const device: Part<Limits> = {
    label: "what the device can do at most",
    cost: 8,
    async measure(log, signal) {
      const mostBytes = large ? undefined : SMALL_BYTES;
      const progress = (line: string) => log(`limits: ${line}`);
      ceilings = await measureCeilings(gpu, { quick: quick || gpu.software, mostBytes, progress, signal });
      // A page may be forbidden to keep anything.
      await keepCeilings(gpu, ceilings).catch((error: unknown) => log(`the limits are not kept: ${error}`));
      return { ceilings, rows: [], notes: ceilings.notes };
    },
  };
  const sizes = gpu.software ? SIZES.slice(1) : large ? SIZES : [SMALL, ...SIZES.slice(1)];
  let last: { readonly size: Size; readonly input: Promise<Input> } | undefined;
  const inputOf = (size: Size) => {
    const images = Math.min(imagesFor(size), large ? Number.POSITIVE_INFINITY : FEW_IMAGES);
    if (last?.size !== size) last = { size, input: makeInput("structured", size, images) };
    return last.input;
  };
  const stages = sizes.flatMap((size) =>
    shippedCases()
      // The picture is not made for more points than that, and takes seconds for them.
      .filter(({ stage }) => stage !== "dofSplat" || size.width <= SMALL.width)
      .map(
        (one): Part<Limits> => ({
          label: `${caseName(one)}, ${size.width} × ${size.height}`,
          async measure(log) {
            if (!ceilings) throw new Error("the device's own limits are not known");
            const notes: string[] = [];
            const note = (line: string) => notes.push(`${caseName(one)}, ${size.width} × ${size.height}: ${line}`);
            const row = await measureRow(gpu, one, await inputOf(size), effort, ceilings, note);
            for (const line of notes) log(line);
            return { ceilings: undefined, rows: row ? [row] : [], notes };
          },
        }),
      ),
  );
  return [device, ...stages];
}

/** The rows of the largest size, without the two that are no stages. */
function largest(rows: readonly SpreadsheetRow[]): SpreadsheetRow[] {
  const most = Math.max(0, ...rows.map(({ width, height }) => width * height));
  return rows.filter(({ stage, width, height }) => width * height === most && stage !== "empty" && stage !== "copy");
}

function answers({ ceilings, rows }: Limits): Answer[] {
  const known = ceilings?.memory.at(-1);
  const rates = ceilings && [
    known && `a copy ${perSecond(known.copyGBps, "B")}`,
    `multiply-adds of f32 ${perSecond(ceilings.rates.f32, "op")}`,
    `whole numbers ${perSecond(ceilings.rates.i32, "op")}`,
    `a dispatch ${Number(ceilings.dispatchUs.toPrecision(3))} µs`,
  ];
  const first: Answer = {
    claim: "What can the device do at most?",
    found: rates?.filter(Boolean).join(", ") ?? "it was not measured",
    holds: null,
  };
  const far = largest(rows);
  const [one] = far;
  if (!one) return [first];
  const beaten = rows.filter(({ isBeaten }) => isBeaten);
  const shares = [...far]
    .sort((a, b) => b.share - a.share)
    .map((row) => {
      return `${caseName(row)} ${percent(row.share)}${row.share < ENOUGH ? ` of ${row.limit.term}` : ""}`;
    });
  return [
    first,
    {
      claim: `Every stage reaches ${percent(ENOUGH)} of its own limit at ${one.width} × ${one.height}.`,
      found: shares.join(", "),
      holds: far.every(({ share }) => share >= ENOUGH),
    },
    {
      claim: "No stage is faster than its limit, or the model would be wrong.",
      found: beaten.length > 0 ? beaten.map((row) => `${caseName(row)} ${percent(row.share)}`).join(", ") : "none is",
      holds: beaten.length === 0,
    },
  ];
}

function figures({ ceilings, rows }: Limits): Figure[] {
  const round = (value: number) => Number(value.toPrecision(3));
  const rates = Object.entries(ceilings?.rates ?? {}).flatMap(([name, rate]) =>
    rate === null ? [] : [{ name: `at most: ${name}`, value: round(rate), unit: "Gop/s" }],
  );
  const shares = largest(rows).map((row) => ({
    name: `${caseName(row)}, ${row.width} × ${row.height}, of its limit`,
    value: Math.round(row.share * 100),
    unit: "%",
  }));
  return [...rates, ...shares];
}
