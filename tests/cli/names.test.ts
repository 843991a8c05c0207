import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plain, plainLines } from "../../core/check.ts";
import { describe as told, traceOf } from "../../run/report/failure.ts";
import { Progress, table } from "../../run/report/terminal.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

// Names come with the files of strangers; no control character in them reaches the terminal that shows them.

const disk = useFolder();
/** A name that would set the window's title, clear the screen, turn the direction of writing and end a line. */
const EVIL = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp\u2028";
const OBEYED = /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

test("plain replaces all control characters and leaves every letter", () => {
  expect(plain(EVIL)).not.toMatch(OBEYED);
  expect(plain("a\nb\tc")).toBe("a\ufffdb\ufffdc");
  expect(plainLines("a\nb\tc")).toBe("a\nb\ufffdc");
  for (const text of ["Größe 5 µm", "深度カメラ", "عمق", "👩‍🔬.bag"]) expect(plain(text)).toBe(text);
});

describe("no control character of a name is in", () => {
  test.each([
    ["a table", () => table([[EVIL, EVIL]]).replaceAll("\n", "")],
    ["a failure's message", () => told(Object.assign(new Error(EVIL), { code: "EACCES", path: EVIL }))],
    ["a failure's stack trace", () => traceOf(new Error(EVIL))],
    [
      "a line of the log",
      () => {
        let text = "";
        const stream = { isTTY: false, write: (piece: string) => (text += piece) };
        new Progress(stream as unknown as NodeJS.WriteStream).log(EVIL);
        return text;
      },
    ],
  ])("%s", (_, print) => {
    expect(print()).not.toMatch(OBEYED);
  });

  test
    .skipIf(process.platform === "win32")
    .each([
      [["info"]],
      [["replay", "--stages", "median", "--backend", "cpu", "--frames", "1"]],
      [["convert", "OUT"]],
      [["replay", "--start", "99", "--verbose"]],
    ])("the output of %j on a recording of such a name", async ([command, ...flags]) => {
    const place = join(disk.root, `${command}${flags.length}`);
    mkdirSync(place);
    const path = join(place, `${EVIL}.zip.d`);
    await writePngFolder(syntheticRoom({ width: 32, height: 24, frames: 2 }), join(place, "x"), { truth: false });
    // info also names a frame that it cannot read.
    if (command === "info") writeFileSync(join(place, "x/depth/000001.png"), "");
    renameSync(join(place, "x"), path);
    const { stdout, stderr } = await depthloom(
      command,
      path,
      ...flags.map((flag) => (flag === "OUT" ? `${path}.out` : flag)),
    );
    expect(stdout + stderr).toMatch(/owned/);
    expect(stdout + stderr).not.toMatch(OBEYED);
  });
});
