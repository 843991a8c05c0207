import { perSecond } from "../../bench/ceilings/words.ts";
import type { Figure } from "../../bench/deviceReport/study.ts";
import { duration } from "../../bench/report/words.ts";

/** The figures of one device. */
export interface DeviceFigures {
  readonly device: string;
  readonly figures: readonly Figure[];
}

export type Row = readonly string[];

/** A figure with the two places that its name gives it: "median, 640 × 480" is row and column. */
interface Placed {
  readonly row: string;
  readonly column: string;
  readonly device: string;
  readonly words: string;
}

const COMMA = ", ";
/** What a unit measures. */
const WHAT: Readonly<Record<string, string>> = {
  ...{ µs: "time", ns: "time", "GB/s": "bytes per second", "10⁹/s": "rate", "% of its limit": "share of the limit" },
};
/** The ratios are those of the answers' cases. */
const IN_CASES = "×";

/**
 * Tables of figures, one for each unit, their heads first. Where all names end in a size, a place or the like after a comma, that and the
 * device are the columns; elsewhere the devices alone are.
 */
export function figureTables(devices: readonly DeviceFigures[]): Row[][] {
  const all = devices.flatMap(({ device, figures }) => figures.map((figure) => ({ device, figure })));
  const units = [...new Set(all.map(({ figure }) => figure.unit))].filter((unit) => unit !== IN_CASES);
  return units.map((unit) => {
    const own = all.filter(({ figure }) => figure.unit === unit);
    const isApart = own.every(({ figure }) => figure.name.includes(COMMA));
    return tableOf(
      own.map(({ device, figure }) => {
        const cut = isApart ? figure.name.lastIndexOf(COMMA) : figure.name.length;
        const [row, column] = [figure.name.slice(0, cut), figure.name.slice(cut + COMMA.length)];
        return { device, row, column, words: inUnits(figure) };
      }),
      devices.map(({ device }) => device),
      WHAT[unit] ?? unit,
    );
  });
}

function tableOf(placed: readonly Placed[], devices: readonly string[], what: string): Row[] {
  const columns = [...new Set(placed.map(({ column }) => column))].flatMap((column) =>
    devices.map((device) => ({ column, device })),
  );
  const filled = columns.filter((one) => placed.some((own) => own.column === one.column && own.device === one.device));
  const head = [what, ...filled.map(({ column, device }) => (column ? `${column}, ${device}` : device))];
  const rows = alikeTogether(placed.map(({ row }) => row)).map((row) => [
    row,
    ...filled.map(
      ({ column, device }) =>
        placed.find((own) => own.row === row && own.column === column && own.device === device)?.words ?? "",
    ),
  ]);
  return [head, ...rows];
}

/** Each name once, those that differ in what stands after a comma together. */
function alikeTogether(names: readonly string[]): string[] {
  const groups = new Map<string, Set<string>>();
  for (const name of names) {
    const group = name.split(COMMA)[0] ?? "";
    groups.set(group, (groups.get(group) ?? new Set()).add(name));
  }
  return [...groups.values()].flatMap((group) => [...group]);
}

function inUnits({ value, unit }: Figure): string {
  if (unit === "µs") return duration(value);
  if (unit === "10⁹/s") return perSecond(value, "");
  if (unit === "GB/s") return perSecond(value, "B");
  const number = Number(value.toPrecision(3));
  if (unit.startsWith("%")) return `${number} %`;
  if (unit === "ns" && number < 1) return `${Number((1000 * value).toPrecision(3))} ps`;
  return `${number} ${unit}`;
}
