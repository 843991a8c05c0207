import { CHECKED, type Part as PagePart, SPREAD, tableOf } from "../report/page.ts";
import { linesOver } from "../report/plots.ts";
import { costOf, effortOn, type Figures, known, type Part, type Scope, type Study } from "../study.ts";
import { CHAMPIONS, FAMILY } from "./family.ts";
import { type CompactionRow, type CompactionTimes, measureCompaction } from "./measure.ts";
import { dataRatios, type Moments, pairRatios } from "./ratios.ts";
import { STEP_COLUMNS } from "./types.ts";

/**
 * Powers of two, from the most telling on: the long ones tell ratios, the short ones what launching costs. A software GPU, to which
 * launching is cheap, begins with what it can do in a few seconds.
 */
const POWERS = {
  hardware: [24, 20, 16, 12, 22, 18, 26, 14, 10, 25, 23, 21, 19, 17, 15, 13, 11],
  software: [14, 16, 12, 18, 10, 20, 17, 15, 19, 22],
};
const QUICK_POWERS = [12, 13, 14, 15, 16];
/** The longest input where memory is shared with others: 64 MiB. */
const SMALL_POWER = 24;
/** Ways of stream compaction beside each other. */
export const compaction: Study<CompactionTimes> = {
  name: "compaction",
  title: "Stream compaction: the family",
  question: "Which way to compact words is the fastest, and do the published comparisons hold on this device?",
  unit: "lengths",
  weight: 3,
  parts,
  figures,
  sections,
};

function parts(scope: Scope): Part<CompactionTimes>[] {
  const { gpu, large, quick, asked } = scope;
  const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits;
  const most = Math.min(maxStorageBufferBindingSize / 4, maxBufferSize / 4, 2 ** (large ? 26 : SMALL_POWER));
  const effort = effortOn(scope, {
    trials: gpu.software ? 5 : 15,
    targetUs: gpu.software ? 10_000 : 1000,
    budgetMs: gpu.software ? 300 : 1000,
  });
  const contenders = asked && !asked.family ? CHAMPIONS : FAMILY;
  const common = { contenders, data: ["structured", "random"], effort } as const;
  const powers = asked && quick ? QUICK_POWERS : POWERS[gpu.software ? "software" : "hardware"];
  const lengths = asked?.lengths ?? powers.map((power) => 2 ** power).filter((length) => length <= most);
  return lengths.map((length) => ({
    label: `${lengthName(length)} words`,
    cost: costOf(scope, length, 2 ** 24),
    async measure(log, signal) {
      if (length > most) throw new Error(`a binding has at most ${most} words on this device`);
      return measureCompaction(gpu, { ...common, lengths: [length] }, log, signal);
    },
  }));
}

/** A ratio of one input has no deviation. */
const ratioText = ({ mean, deviation, count }: Moments) =>
  count > 1 ? `${mean.toFixed(2)} ± ${deviation.toFixed(2)}` : mean.toFixed(2);

/** Each contender's time over the first one's, and on structured over random data, both over the long inputs. */
function figures({ rows }: CompactionTimes): Figures {
  return known([
    ...pairRatios(rows).map((one) => [`${one.contender} / ${one.against}`, ratioText(one)] as const),
    ...dataRatios(rows).map((one) => [`structured / random, ${one.contender}`, ratioText(one)] as const),
  ]);
}

const lengthName = (length: number) =>
  Number.isInteger(Math.log2(length)) ? `2^${Math.log2(length)}` : String(length);

function sections({ rows }: CompactionTimes): PagePart[] {
  const measured = FAMILY.filter(({ name }) => rows.some(({ contender }) => contender === name));
  return [
    ...tableOf("The contenders", measured, {
      contender: ({ name }) => name,
      "what it does": ({ way }) => way,
      published: ({ source }) => source,
      "the order": ({ keepsOrder }) => (keepsOrder === "all" ? "is kept" : `is kept within ${keepsOrder} words`),
    }),
    ...["random", "structured"].map((data) =>
      linesOver(
        `Over the number of words: ${data}`,
        rows.filter((row) => row.data === data),
        { x: ({ length }) => length, name: ({ contender }) => contender, tick: lengthName },
      ),
    ),
    ...tableOf<CompactionRow>("Compaction: measurements", rows, {
      contender: ({ contender }) => contender,
      words: ({ length }) => String(length),
      data: ({ data }) => data,
      ...SPREAD,
      ...STEP_COLUMNS,
      ...CHECKED,
    }),
  ];
}
