import type { Ceilings } from "./types.ts";

/** 10⁹ per second in words: "3.9 TB/s", "410 GB/s"; `unit` as in "B" or "op". */
function perSecond(billions: number, unit: string): string {
  if (billions >= 1000) return `${Number((billions / 1000).toPrecision(3))} T${unit}/s`;
  if (billions >= 1) return `${Number(billions.toPrecision(3))} G${unit}/s`;
  return `${Number((billions * 1000).toPrecision(3))} M${unit}/s`;
}

/** Bytes as KiB or MiB. */
const binary = (bytes: number): string => (bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`);

/** The known properties of a device, as pairs of a name and words. */
export function ceilingRows({ memory, rates, dispatchUs, date }: Ceilings): [string, string][] {
  return [
    ...memory.map(({ bytes, copyGBps, readGBps, writeGBps }): [string, string] => [
      `memory, ${binary(bytes)}`,
      `copy ${perSecond(copyGBps, "B")} read and written, read ${perSecond(readGBps, "B")}, write ${perSecond(writeGBps, "B")}`,
    ]),
    ["dispatch", `${Number(dispatchUs.toPrecision(3))} µs, one after another`],
    ["f32", `${perSecond(rates.f32, "op")}, a multiply-add is one`],
    ["i32", `${perSecond(rates.i32, "op")}, sums`],
    ["logic", `${perSecond(rates.logic, "op")}, of three operands one`],
    ["f32 and logic", `${perSecond(rates.both, "op")}, half of each`],
    ["measured", `${date.slice(0, 16).replace("T", " ")} UTC`],
  ];
}
