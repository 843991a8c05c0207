import type { Answer, LiveRegion } from "../../../measure/live.ts";
import { History } from "../plot/history.ts";

/** Readings are kept for so many frames, five minutes of a camera of 30 Hz, and the plot shows the last of them. */
const [KEPT, PLOTTED] = [9000, 300];
/** Frames farther apart than this do not follow each other, s. */
const LONG_S = 2;
/** The columns of the history. */
const NAMES = [
  "plot_s",
  "time_s",
  "frame",
  "valid",
  "distance_mm",
  "plus_minus_mm",
  "plane_rms_mm",
  "tilt_x_deg",
  "tilt_y_deg",
  "noise_mm",
] as const;
const DISTANCE = NAMES.indexOf("distance_mm");

/** The readings of regions over time, for the plot and as CSV. */
export class RegionHistory {
  readonly #rows = new Map<string, History>();

  clear(): void {
    this.#rows.clear();
  }

  /** Takes the readings of a frame. */
  take({ index, timestamp }: Answer, name: string, { valid, distance, plane, noise }: LiveRegion): void {
    const rows = this.#rows.get(name) ?? new History(NAMES.length, KEPT);
    this.#rows.set(name, rows);
    const last = rows.length - 1;
    const time = timestamp / 1000;
    const passed = last < 0 ? 0 : time - rows.at(1, last);
    // The same frame again, with another region of this name.
    if (last >= 0 && rows.at(2, last) === index) return;
    // After a jump of the recording the plot goes on.
    const onward = last < 0 ? 0 : rows.at(0, last) + (passed > 0 && passed < LONG_S ? passed : 1 / 30);
    const values = [onward, time, index, valid.value, distance.value, distance.plusMinus];
    const planeValues = [plane?.rmsMm, plane?.tiltX.value, plane?.tiltY.value, noise.value];
    rows.begin();
    for (const [column, value] of [...values, ...planeValues].entries()) rows.set(column, value ?? Number.NaN);
  }

  /** Seconds before the newest frame, and the distance, mm. */
  plot(name: string): (number | null)[][] {
    const rows = this.#rows.get(name);
    const columns: (number | null)[][] = [[], []];
    if (!rows || rows.length === 0) return columns;
    const now = rows.at(0, rows.length - 1);
    for (let row = Math.max(0, rows.length - PLOTTED); row < rows.length; row++) {
      const mm = rows.at(DISTANCE, row);
      columns[0].push(rows.at(0, row) - now);
      columns[1].push(Number.isNaN(mm) ? null : mm);
    }
    return columns;
  }

  /** All readings as CSV, a line for each region and frame; what cannot be told is empty. */
  csv(): string {
    const columns = NAMES.slice(1);
    const lines = [...this.#rows].flatMap(([name, rows]) =>
      Array.from({ length: rows.length }, (_, row) => {
        const values = columns.map((_, k) => rows.at(k + 1, row));
        return [
          `"${name.replaceAll('"', '""')}"`,
          ...values.map((value) => (Number.isNaN(value) ? "" : Number(value.toFixed(6)))),
        ];
      }),
    );
    return [["region", ...columns], ...lines].map((line) => `${line.join(",")}\n`).join("");
  }
}
