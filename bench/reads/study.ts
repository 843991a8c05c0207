import { rangeWords, summedUp } from "../deviceReport/words.ts";
import { type Answer, costOf, effortOn, type Part, type Scope, type Study } from "../study.ts";
import type { Size } from "../types.ts";
import { type BindingRatio, bindingRatios, medianRanking, pixelRatios, SAME } from "./findings.ts";
import { measureReads, type ReadsTimes, sizesOf } from "./measure.ts";
import { medianCases, readsSizes, windowCases } from "./plan.ts";
import { readsSections } from "./report.ts";

/** How kernels read: bindings, pixels an invocation, work an invocation. */
export const reads: Study<ReadsTimes> = {
  name: "reads",
  title: "How kernels read",
  question: "Does a read-only binding read faster, and how much work should an invocation have?",
  unit: "series",
  weight: 2,
  parts,
  join: (found) => ({
    windows: found.flatMap(({ windows }) => windows),
    medians: found.flatMap(({ medians }) => medians),
    notes: found.flatMap(({ notes }) => notes),
  }),
  right: ({ windows, medians }) => [...windows, ...medians].every(({ checked }) => checked),
  answers,
  notes: ({ notes }) => notes,
  sections: readsSections,
};

/** A part for each size and series, the sizes from the most telling on. */
function parts(scope: Scope): Part<ReadsTimes>[] {
  const { gpu, quick, asked } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 25,
    targetUs: gpu.software ? 5000 : 500,
    budgetMs: gpu.software ? 200 : 300,
  });
  const common = { effort };
  return readsSizes(gpu, quick && (gpu.software || asked !== undefined)).flatMap((size) => {
    const windows = windowCases([size], quick);
    const name = `${size.width} × ${size.height}`;
    const cost = costOf(scope, size.width * size.height, 4e6);
    return [
      ...(["binding", "pixels"] as const).map((series): Part<ReadsTimes> => {
        const own = windows.filter((one) => one.series === series);
        return {
          label: `${series === "binding" ? "bindings" : "pixels an invocation"}, ${name}`,
          cost,
          measure: (log, signal) => measureReads(gpu, { ...common, windows: own, medians: [] }, log, signal),
        };
      }),
      {
        label: `work an invocation, ${name}`,
        cost,
        measure: (log, signal) =>
          measureReads(gpu, { ...common, windows: [], medians: medianCases([size], quick) }, log, signal),
      },
    ];
  });
}

const windowName = (radius: number) => `window of ${2 * radius + 1}`;
const sizeName = ({ width, height }: Size) => `${width}×${height}`;

function answers({ windows, medians }: ReadsTimes): Answer[] {
  const rows = [...windows, ...medians];
  const right = rows.filter(({ checked }) => checked).length;
  const bindings = bindingRatios(windows);
  const worse = ({ unwritten, written }: BindingRatio) => Math.max(unwritten, written);
  const slower = bindings.filter((one) => worse(one) > SAME).length;
  const pixels = pixelRatios(windows);
  const rankings = sizesOf(medians).flatMap((size) => {
    const ranking = medianRanking(medians, size);
    const [first] = ranking;
    const over = (outputs: 1 | "shipped") => {
      const own = ranking.find((row) => row.outputs === outputs);
      return own && first ? own.medianUs / first.medianUs : Number.NaN;
    };
    return first ? [{ ...size, first, one: over(1), shipped: over("shipped") }] : [];
  });
  const list = <T extends Size>(of: readonly T[], words: (one: T) => readonly [name: string, found: string]) =>
    of.map((one) => {
      const [name, found] = words(one);
      return { name: name ? `${sizeName(one)}: ${name}` : sizeName(one), found };
    });
  return [
    {
      claim: "Each kernel’s output is what the CPU gives.",
      found: `${right} of ${rows.length} outputs right`,
      holds: right === rows.length,
    },
    ...(bindings.length > 0
      ? [
          {
            claim: "A buffer that is only read is read faster if it is bound read-only.",
            ...summedUp(
              `bound read-write it takes ${rangeWords(bindings.map(worse))} times as long, longer in ${slower} of ${bindings.length} windows`,
              list(bindings, ({ radius, unwritten, written }) => [
                windowName(radius),
                `${unwritten.toFixed(2)}, and ${written.toFixed(2)} where a write must be expected`,
              ]),
            ),
            holds: slower === bindings.length ? true : slower === 0 ? false : null,
          },
        ]
      : []),
    ...(pixels.length > 0
      ? [
          {
            claim: "How many pixels an invocation, which share what they read, are best?",
            ...summedUp(
              `the best number takes ${rangeWords(pixels.map(({ time }) => time))} of one pixel’s time`,
              list(pixels, ({ radius, along, best, time, reads: share }) => [
                `${windowName(radius)}, ${along}`,
                `${best} in ${time.toFixed(2)} of one pixel’s time with ${share.toFixed(2)} of the reads`,
              ]),
            ),
            holds: null,
          },
        ]
      : []),
    ...(rankings.length > 0
      ? [
          {
            claim: "The more invocations, the faster: the median with one output an invocation is the fastest.",
            ...summedUp(
              `it takes ${rangeWords(rankings.map(({ one }) => one))} of the fastest one’s time`,
              list(rankings, ({ first, one }) => [
                "",
                `${one.toFixed(2)} of the time of ${first.outputs === "shipped" ? "the shipped kernel" : `${first.outputs} outputs`}`,
              ]),
            ),
            holds: rankings.every(({ one }) => one <= SAME),
          },
          {
            claim: "The shipped median is as fast as any of them.",
            ...summedUp(
              `it takes ${rangeWords(rankings.map(({ shipped }) => shipped))} of the fastest one’s time`,
              list(rankings, ({ shipped }) => ["", `${shipped.toFixed(2)} of the fastest one’s time`]),
            ),
            holds: rankings.every(({ shipped }) => shipped <= SAME),
          },
        ]
      : []),
  ];
}
