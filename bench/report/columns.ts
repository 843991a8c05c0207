type Align = "left" | "right";

/** Rows of words as aligned text. */
export function columns(rows: readonly (readonly string[])[], align: readonly Align[]): string {
  const widths = align.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (align[i] === "right" ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}
