import { CHECKED, type Part as PagePart, SPREAD, tableOf } from "../report/page.ts";
import { linesOver } from "../report/plots.ts";
import { costOf, effortOn, type Figures, known, over, type Part, type Scope, type Study } from "../study.ts";
import type { Size } from "../types.ts";
import { measureReads, type ReadsTimes } from "./measure.ts";
import { BINDINGS, readsSizes, windowCases } from "./plan.ts";
import type { WindowRow } from "./windows.ts";

/** How kernels read: bindings, pixels an invocation. */
export const reads: Study<ReadsTimes> = {
  name: "reads",
  title: "How kernels read",
  question: "Does a read-only binding read faster, and how many pixels should an invocation have?",
  unit: "series",
  weight: 2,
  parts,
  figures,
  sections,
};

/** A part for each size and series, the sizes from the most telling on. */
function parts(scope: Scope): Part<ReadsTimes>[] {
  const { gpu, quick, asked } = scope;
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 25,
    targetUs: gpu.software ? 5000 : 500,
    budgetMs: gpu.software ? 200 : 300,
  });
  return readsSizes(gpu, quick && (gpu.software || asked !== undefined)).flatMap((size) =>
    (["binding", "pixels"] as const).map((series): Part<ReadsTimes> => {
      const windows = windowCases(size, quick).filter((one) => one.series === series);
      return {
        label: `${series === "binding" ? "bindings" : "pixels an invocation"}, ${sizeOf(size)}`,
        cost: costOf(scope, size.width * size.height, 4e6),
        measure: (log, signal) => measureReads(gpu, size, windows, effort, log, signal),
      };
    }),
  );
}

const sizeOf = ({ width, height }: Size) => `${width}×${height}`;
const windowOf = ({ radius }: WindowRow) => `window of ${2 * radius + 1}`;

/** Each binding's time over the read-only one's, and the best number of pixels with its time over one pixel's. */
function figures({ rows }: ReadsTimes): Figures {
  const right = rows.filter(({ checked }) => checked);
  const firsts = right.filter(({ series, binding, chunk }) =>
    series === "binding" ? binding === "read" : chunk === 1,
  );
  return known(
    firsts.flatMap((first): (readonly [string, string])[] => {
      const own = right.filter(
        ({ series, radius, along, width, height }) =>
          series === first.series &&
          radius === first.radius &&
          along === first.along &&
          width === first.width &&
          height === first.height,
      );
      const where = `${windowOf(first)}, ${sizeOf(first)}`;
      if (first.series === "pixels") {
        const best = own.reduce((a, b) => (b.medianUs < a.medianUs ? b : a));
        return [
          [`best pixels ${first.along}, ${where}`, `${best.chunk} in ${over(best, first)} of one pixel's time`],
        ] as const;
      }
      return BINDINGS.slice(1).map((binding) => [
        `${binding} / read, ${where}`,
        over(
          own.find((row) => row.binding === binding),
          first,
        ),
      ]);
    }),
  );
}

function sections({ rows }: ReadsTimes): PagePart[] {
  const sizes = [...new Set(rows.map(sizeOf))];
  return [
    ...sizes.map((size) =>
      linesOver(
        `Pixels an invocation, ${size}`,
        rows.filter((row) => row.series === "pixels" && sizeOf(row) === size),
        { x: ({ chunk }) => chunk, name: (row) => `${windowOf(row)}, ${row.along}` },
      ),
    ),
    ...tableOf<WindowRow>("How kernels read: measurements", rows, {
      series: ({ series }) => series,
      window: windowOf,
      binding: ({ binding }) => binding,
      pixels: ({ chunk }) => String(chunk),
      along: ({ along }) => along,
      size: sizeOf,
      ...SPREAD,
      ...CHECKED,
    }),
  ];
}
