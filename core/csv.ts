/** A table for spreadsheets (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe; NaN is empty. */
export function csvText(lines: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = Number.isNaN(value) ? "" : String(value ?? "");
    const plain = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}
