import { depthPng, depthValues, zipOf } from "../../sources/fixtures.ts";
import { type Crafted, MiB, opened } from "./crafted.ts";

// Texts beside depth that take long to understand, or contain bytes that end lines in one place and not in another. The recording opens.

const depth = { "depth/0.png": depthPng(depthValues(0)) };
const beside = (name: string, text: () => string | Uint8Array, more: Partial<Crafted> = {}) =>
  opened(`${name.replace(/\W/g, "_")}.zip`, more, () => zipOf({ ...depth, [name]: text() }));
const filled = (part: string, bytes = MiB) => part.repeat(Math.ceil(bytes / part.length));

/** Texts of a megabyte, and of as much as an archive may have. */
export const texts: readonly Crafted[] = [
  beside("rows.xml", () => `<?xml version="1.0"?>${filled("<a><rows>")}`),
  beside("data.xml", () => `<?xml version="1.0"?>${filled("<a><rows>1</rows><data>")}`),
  beside("words.xml", () => `<?xml version="1.0"?><a><rows>1</rows><data>${filled("1 ", 4 * MiB - 100)}`),
  beside("digits.txt", () => `a: ${filled("1")}x`),
  beside("digits_in_lines.txt", () => filled(`a: ${"1".repeat(9000)}x\n`, 4 * MiB - 9010)),
  beside("zeros.txt", () => `${filled("0")}1`),
  beside("hashes.txt", () => filled(" #", MiB).concat("\r")),
  beside("hashes_in_lines.yaml", () => filled(`a${" #".repeat(4000)}\u2028\n`, 4 * MiB - 9000)),
  beside("blanks.yaml", () => filled(`a${" ".repeat(9000)}b\n`, 4 * MiB - 9010)),
  beside("brackets.yaml", () => filled("[\n", 4 * MiB - 10)),
  beside("dashes.yaml", () => filled("- ", 4 * MiB - 10)),
  beside("sections.toml", () => filled("[a.b]\n", 4 * MiB - 10)),
  beside("paths.yaml", () => filled(`${"a.".repeat(39)}b: 1\n`, 4 * MiB - 100)),
  beside("carriage.log", () => filled("saving 10%\r", 4 * MiB - 20)),
  beside("lines_of_unicode.csv", () => filled("a: 1\u2028\u2029", MiB)),
  beside("nul.cfg", () => filled("a: \0\r\0\n", MiB)),
  beside("numbers.traj", () => filled("1 ", 4 * MiB - 10)),
  beside("ones.traj", () => filled("1\n", 4 * MiB - 10)),
  beside("keys.json", () => `{${Array.from({ length: 60_000 }, (_, i) => `"f${i}":{"fx":1}`).join(",")}}`),
  beside("field.json", () => `{"fx":{${Array.from({ length: 200_000 }, (_, i) => `"${i}":1`).join(",")}}}`),
  opened("many.zip", () =>
    zipOf({
      ...depth,
      ...Object.fromEntries(
        Array.from({ length: 48 }, (_, i) => [
          `${String.fromCharCode(97 + (i % 26)).repeat(1 + Math.floor(i / 26))}_x.yaml`,
          filled(`a${" ".repeat(9000)}b\n`),
        ]),
      ),
    }),
  ),
];
