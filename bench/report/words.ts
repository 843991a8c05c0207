import type { Adapter, Machine, Method, Result } from "../types.ts";

const HOW: Readonly<Record<Method, string>> = {
  pass: "many frames, one pass",
  submit: "one frame, submit to done",
  twin: "CPU twin",
};

/** A time whose limit is a smaller share of it names the limit's term. */
const FAR = 0.6;

export const how = ({ method, mode }: Pick<Result, "method" | "mode">): string =>
  mode === "unchecked" ? `${HOW[method]}, unchecked` : HOW[method];

/** Formats a number with three significant digits. */
export function micros(us: number): string {
  const size = Math.abs(us);
  return us.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** Formats a time in a suitable unit. */
export function duration(us: number): string {
  if (us >= 1e6) return `${trim(us / 1e6)} s`;
  if (us >= 1000) return `${trim(us / 1000)} ms`;
  return `${trim(us)} µs`;
}

const trim = (x: number) => String(Number(x.toPrecision(3)));

export const gigabytesPerSecond = ({ bytes, medianUs }: Pick<Result, "bytes" | "medianUs">): number =>
  medianUs > 0 ? bytes / medianUs / 1000 : 0;

export const bandwidth = (row: Pick<Result, "bytes" | "medianUs">): string =>
  row.bytes > 0 ? trim(gigabytesPerSecond(row)) : "";

/** How close a time is to its limit, and where it is far from it what it should be spent on: "83 %", "31 % of arithmetic". */
export function ofLimit({ limitUs, limitTerm, medianUs }: Pick<Result, "limitUs" | "limitTerm" | "medianUs">): string {
  if (limitUs === undefined || medianUs === 0) return "";
  const share = limitUs / medianUs;
  return `${Math.round(share * 100)} %${share < FAR ? ` of ${limitTerm}` : ""}`;
}

export const machineLine = ({ cpu, cores, memoryGb, os, node, date }: Machine): string =>
  `${cpu}, ${cores} cores, ${memoryGb} GB; ${os}; Node ${node}; ${date.slice(0, 16).replace("T", " ")} UTC`;

export function adapterLine(adapter: Adapter | null): string {
  if (!adapter) return "no GPU asked for: the CPU twins alone, wall clock";
  const { vendor, description, software, clock, clockResolutionUs, subgroupSizes } = adapter;
  const kind = software ? "software GPU" : "GPU";
  const step = clockResolutionUs < 1 ? `${clockResolutionUs * 1000} ns` : `${clockResolutionUs} µs`;
  const ticks = clock === "gpu" ? `GPU clock (steps of ${step})` : "wall clock";
  return `${kind}: ${[description, vendor].filter(Boolean).join(", ")}; ${ticks}; subgroups ${subgroupSizes}`;
}

/** A short name of a case for plots: "median size 5", "bilateralGrid 16 px 50 mm", "median+compact". */
export function caseName({ stage, variant }: Pick<Result, "stage" | "variant">): string {
  if (variant === "default" || stage.includes("+")) return stage;
  const short = variant.replace(
    /\b\w+(Px|Mm|M|Deg)=(\S+)/g,
    (_, unit: string, value: string) => `${value} ${unit.toLowerCase()}`,
  );
  return `${stage} ${short.replaceAll("=", " ")}`;
}
