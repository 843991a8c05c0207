import type { Ceilings } from "./types.ts";

/** 10⁹ per second in words: "3.9 TB/s", "410 GB/s"; `unit` as in "B" or "op". */
function perSecond(billions: number, unit: string): string {
  if (billions >= 1000) return `${Number((billions / 1000).toPrecision(3))} T${unit}/s`;
  if (billions >= 1) return `${Number(billions.toPrecision(3))} G${unit}/s`;
  return `${Number((billions * 1000).toPrecision(3))} M${unit}/s`;
}

/** Bytes as KiB or MiB. */
const binary = (bytes: number): string => (bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`);

const micros = (us: number) => `${Number(us.toPrecision(3))} µs`;

const nanos = (ns: number) => `${Number(ns.toPrecision(3))} ns`;

/** The known properties of a device, as pairs of a name and words. */
export function ceilingRows({
  memory,
  rates,
  starts = [],
  waits = [],
  dispatchUs,
  roundTripUs,
  uploadUs,
  date,
}: Ceilings): [string, string][] {
  const known = (name: string, words: string, rate: number | null): [string, string][] =>
    rate === null ? [] : [[name, `${perSecond(rate, "op")}${words}`]];
  return [
    ...memory.map(({ bytes, copyGBps, readGBps, writeGBps }): [string, string] => [
      `memory, ${binary(bytes)}`,
      `copy ${perSecond(copyGBps, "B")} read and written, read ${perSecond(readGBps, "B")}, write ${perSecond(writeGBps, "B")}`,
    ]),
    [
      "workgroup starts",
      starts.length > 0
        ? starts.map((one) => `${nanos(1 / one.workgroups)} for ${one.invocations} invocations`).join(", ")
        : "not measured yet: depthloom info --ceilings measures them",
    ],
    ["dispatch", `${micros(dispatchUs)}, one after another`],
    ...known("f32", ", a multiply-add is one", rates.f32),
    ...known("f16", ", a multiply-add is one", rates.f16),
    ...known("i32", ", a multiply-add is one", rates.i32),
    ...known("min, max, logic", ", of three operands one", rates.logic),
    ...known("f32 and logic", ", half of each", rates.both),
    ...known("square roots", "", rates.special),
    ...known("workgroup memory", ", reads of a word", rates.workgroup),
    ...known("nearest cache", ", reads of a word", rates.accesses),
    ...known("atomics", ", adds to storage", rates.atomics),
    ...waits.map(({ bytes, ns }): [string, string] => [
      `a load, ${binary(bytes)}`,
      `${nanos(ns)}, where it waits for the load before it`,
    ]),
    ["submit to done", micros(roundTripUs)],
    ["upload 640×480", micros(uploadUs)],
    ["measured", `${date.slice(0, 16).replace("T", " ")} UTC`],
  ];
}
