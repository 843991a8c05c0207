import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plain, plainLines } from "../../sources/core/check.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../sources/write/index.ts";
import { Progress, table } from "../../viewer/cli/terminal.ts";
import { describe as told, traceOf } from "../../viewer/report/failure.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

// Names come with the files of strangers: whatever is in them, a terminal that shows them obeys nothing of it.

const disk = useFolder();
/** Sets the window's title, clears the screen, turns the direction of writing, ends a line. */
const EVIL = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp\u2028";
const OBEYED = /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

test("one function takes out all that is obeyed, and leaves every letter", () => {
  expect(plain(EVIL)).not.toMatch(OBEYED);
  expect(plain("a\nb\tc")).toBe("a\ufffdb\ufffdc");
  expect(plainLines("a\nb\tc")).toBe("a\nb\ufffdc");
  for (const text of ["Größe 5 µm", "深度カメラ", "عمق", "👩‍🔬.bag"]) expect(plain(text)).toBe(text);
});

describe("what is printed", () => {
  test.each([
    ["a table", () => table([[EVIL, EVIL]]).replaceAll("\n", "")],
    ["a failure", () => told(Object.assign(new Error(EVIL), { code: "EACCES", path: EVIL }))],
    ["where a failure came from", () => traceOf(new Error(EVIL))],
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
    ])("%j of a recording of such a name", async ([command, ...flags]) => {
    const place = join(disk.root, `${command}${flags.length}`);
    mkdirSync(place);
    const path = join(place, `${EVIL}.zip.d`);
    await writePngFolder(syntheticRoom({ width: 32, height: 24, frames: 2 }), join(place, "x"), { truth: false });
    // A frame that cannot be read is named, too.
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
