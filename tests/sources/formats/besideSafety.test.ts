import { mkdirSync, rmdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRecordings } from "../../../run/batch/find/find.ts";
import { parseText } from "../../../sources/recorded/beside/parse.ts";
import { depthPng, depthValues, useFolder, zipOf } from "../fixtures.ts";
import { doubles, npyOf } from "../makers/still.ts";
import { openBytes } from "../opening.ts";

// A text beside depth may cost a warning that names it, never the recording; a folder whose links lead in circles is walked once.

const disk = useFolder();
const depth = { "depth/0.png": depthPng(depthValues(0)), "depth/1.png": depthPng(depthValues(1)) };

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

const TEXTS = {
  "a progress bar": "saving 10%\rsaving 20%\rdone\n",
  "Unicode's line ends": "a: 1\u2028b: 2\u2029c\u0085d\n",
  NULs: "a: \0\n\0\r\0",
  "fields in place of words and numbers": [
    "depth_mode units scale fps timestamp camera_model distortion_model fx cx width k1 baseline rostopic",
    "local_transform resolution poses frames K distortion_coeffs depth_scale camera_type",
  ]
    .flatMap((names) => names.split(" "))
    .map((name) => `${name}:\n  a:\n    b: 1\n`)
    .join(""),
  "dashes and ends of lines": "- \r- -\u2028\n-\r",
};

test.each(Object.entries(TEXTS))("%s beside depth costs the recording nothing", async (_, text) => {
  for (const end of ["txt", "csv", "yaml", "cfg", "log", "json", "xml", "toml"]) {
    for (const name of [`log.${end}`, `a/b/log.${end}`]) {
      const contents = { ...depth, [name]: text };
      for (const recording of [
        await disk.open(disk.folder(contents)),
        await openBytes("r.zip", new Uint8Array(zipOf(contents))),
      ]) {
        expect(recording.length, name).toBe(2);
        await recording.close();
      }
    }
  }
});

test("lines end with a carriage return, too", () => {
  expect(parseText("fx: 5\rfy: 6\r\ncx: 3\ncy: 2").value).toEqual({ fx: 5, fy: 6, cx: 3, cy: 2 });
  expect(parseText("1 2\r3 4\r\n5 6").rows).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
});

test("a number has at most 40 characters", () => {
  expect(parseText(`a: ${"1".repeat(40)}\nb: ${"1".repeat(41)}`).value).toEqual({
    a: Number("1".repeat(40)),
    b: "1".repeat(41),
  });
});

const poses = npyOf("<f8", [2, 4, 4], doubles(...IDENTITY, ...IDENTITY));
test("a damaged array of poses or of a lens within a .npz is named, and its depth read", async () => {
  const bytes = zipOf({
    "depth.npy": npyOf("<u2", [2, 6, 8], new Uint8Array(192).fill(1)),
    "poses.npy": poses.subarray(0, 200),
    "K.npy": poses.subarray(0, 40),
  });
  const recording = await openBytes("r.npz", new Uint8Array(bytes));
  expect(
    recording.warnings.filter((line) =>
      /(poses|K)\.npy: .* no NumPy array of a few numbers .*\(it is not used\)/.test(line),
    ).length,
  ).toBe(2);
  expect(recording.length).toBe(2);
  await recording.close();
});

test("a text that is too long is refused alone, by name, and the lens beside it is found", async () => {
  const recording = await disk.open(
    disk.folder({
      ...depth,
      "a.txt": "1\n".repeat(9 * 2 ** 20),
      "intrinsics.json": JSON.stringify({ fx: 9, fy: 9, cx: 3, cy: 2 }),
    }),
  );
  expect(recording.warnings.join("\n")).toMatch(/a\.txt: it has \d+ bytes, .*\(it is not used\)/);
  expect((await recording.read(0)).intrinsics.fx).toBe(9);
});

test("a folder that links to itself is one recording, for opening and for finding", async () => {
  const folder = disk.folder(depth);
  for (let i = 0; i < 12; i++) symlinkSync(".", join(folder, `l${i}`));
  mkdirSync(join(folder, "more"));
  for (let i = 0; i < 12; i++) symlinkSync("..", join(folder, "more", `up${i}`));
  const recording = await disk.open(folder);
  expect(recording.length).toBe(2);
  expect(recording.warnings.join("\n")).toMatch(/24 folders were left out, since a link leads to a folder/);
  const { found } = await findRecordings([folder], disk.folder({}));
  expect(found.map(({ files }) => files)).toEqual([2]);
});

test("links that lead nowhere are named beside the frames that are there", async () => {
  const folder = disk.folder(depth);
  for (const i of [3, 4, 5, 6]) symlinkSync(`/nowhere/${i}.png`, join(folder, `${i}.png`));
  const { length, warnings } = await disk.open(folder);
  expect(length).toBe(2);
  expect(warnings.join("\n")).toMatch(
    /4 links were left out, since what they lead to is not there .*3\.png, .*5\.png …/,
  );
});

test("folders that link to each other many times are looked through a few times each", async () => {
  const root = disk.folder(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}/note.md`, "x"])));
  for (let i = 0; i < 8; i++)
    for (let k = 0; k < 12; k++) symlinkSync(join("..", `f${i + 1}`), join(root, `f${i}`, `l${k}`));
  const { found, passed, leftOut } = await findRecordings([root], disk.folder({}));
  expect(found).toEqual([]);
  expect(passed).toBeLessThanOrEqual(9 * 4);
  expect(leftOut?.[0]).toMatch(/folders were left out/);
});

test("a folder that cannot be entered costs a warning, for opening and for finding", async () => {
  const folder = disk.folder(depth);
  // Latin-1, as archives of Windows have it: Node cannot name such a folder.
  const odd = Buffer.concat([Buffer.from(`${folder}/K`), Buffer.of(0xfc), Buffer.from("che")]);
  mkdirSync(odd);
  try {
    const recording = await disk.open(folder);
    expect(recording.length).toBe(2);
    expect(recording.warnings.join("\n")).toMatch(/1 folder was left out, since the system does not let it be read/);
    const { found } = await findRecordings([folder], disk.folder({}));
    expect(found.map(({ files }) => files)).toEqual([2]);
  } finally {
    rmdirSync(odd);
  }
});
