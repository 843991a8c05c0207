import { casesOf, rangeWords } from "../deviceReport/words.ts";
import { type Answer, costOf, effortOn, type Part, type Scope, type Study } from "../study.ts";
import { CHAMPIONS, FAMILY } from "./family.ts";
import { type CompactionTimes, type CopyRow, measureCompaction } from "./measure.ts";
import { dataRatios, LONG_ENOUGH, type Moments, pairRatios } from "./ratios.ts";
import { compactionSections, lengthName } from "./report.ts";

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
/** A ratio whose deviation is below this share of its mean is called a constant. */
const CONSTANT = 0.15;
/** Times that differ by less than this share are called alike. */
const ALIKE = 0.1;

/** Ways of stream compaction beside each other. */
export const compaction: Study<CompactionTimes> = {
  name: "compaction",
  title: "Stream compaction: the family",
  question: "Which way to compact words is the fastest, and do the published comparisons hold on this device?",
  unit: "lengths",
  weight: 3,
  parts,
  join(found) {
    const copies = found.flatMap((one) => one.copies);
    return {
      rows: found.flatMap(({ rows }) => rows).sort((a, b) => a.length - b.length),
      copies: [...copies].sort((a, b) => a.length - b.length),
      notes: [...new Set(found.flatMap(({ notes }) => notes))],
    };
  },
  right: ({ rows }) => rows.every(({ checked }) => checked),
  answers,
  notes: ({ notes }) => notes,
  sections: compactionSections,
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
const ratioWords = ({ mean, deviation, count }: Moments) =>
  count > 1 ? `${mean.toFixed(2)} ± ${deviation.toFixed(2)}` : mean.toFixed(2);

function answers({ rows, copies }: CompactionTimes): Answer[] {
  const pairs = pairRatios(rows);
  const spataro = pairs.find(({ contender }) => contender === "blocks of 256");
  const short = rows.every(({ length }) => length < LONG_ENOUGH);
  const over = short ? "all lengths, none of them long" : "the long inputs";
  const right = rows.filter(({ checked }) => checked).length;
  const first = pairs[0]?.against ?? "";
  const order = [{ contender: first, mean: 1 }, ...pairs].sort((a, b) => a.mean - b.mean);
  const compared = dataRatios(rows);
  const structured = compared.filter(({ mean, deviation }) => Math.abs(mean - 1) > Math.max(ALIKE, deviation));
  const slower = copiesRatio(copies);
  return [
    {
      claim: "Each contender’s output is what a sequential loop gives.",
      found: `${right} of ${rows.length} rows right`,
      holds: right === rows.length,
    },
    ...(spataro
      ? [
          {
            claim:
              "A thread an element (Spataro) over sequences (Billeter) is a constant ratio; it was published as 1.5.",
            found: `${ratioWords(spataro)} over ${over} (${spataro.count} inputs)`,
            holds: spataro.count > 2 && !short ? spataro.deviation < CONSTANT * spataro.mean : null,
          },
        ]
      : []),
    {
      claim: "What is the order, from fast to slow?",
      found: order.map(({ contender }) => contender).join(", "),
      ...casesOf(
        order.map(({ contender, mean }) => ({ name: contender, found: `${mean.toFixed(2)} of ${first}’s time` })),
      ),
      holds: null,
    },
    {
      claim: "The data’s structure does not matter.",
      found:
        structured.length === 0
          ? `every contender is within ${ALIKE * 100} % (or its spread) on structured and on random data`
          : `${structured.length} of ${compared.length} contenders differ by more than ${ALIKE * 100} %: structured data takes ${rangeWords(structured.map(({ mean }) => mean))} of random data’s time`,
      ...casesOf(structured.map((one) => ({ name: one.contender, found: ratioWords(one) }))),
      holds: short ? null : structured.length === 0,
    },
    ...(slower === undefined
      ? []
      : [
          {
            claim: "What does a copy in the order of access of the sequences cost over a plain copy?",
            found: `${slower.toFixed(2)} times its time, on the longest input`,
            holds: null,
          },
        ]),
  ];
}

/** The time of a copy by sequences over that of a plain one, of the longest input that has both. */
function copiesRatio(copies: readonly CopyRow[]): number | undefined {
  const of = (copy: CopyRow["copy"]) => copies.filter((row) => row.copy === copy);
  for (const sequences of of("by sequences").sort((a, b) => b.length - a.length)) {
    const plain = of("plain").find(({ length }) => length === sequences.length);
    if (plain) return sequences.medianUs / plain.medianUs;
  }
  return undefined;
}
