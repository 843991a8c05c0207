import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findRecordings } from "../../run/batch/find/find.ts";
import { patternOf } from "../../run/batch/find/glob.ts";
import { isKey, keyOf } from "../../run/batch/find/keys.ts";
import { placeOf } from "../../run/batch/job/place.ts";
import { workOn } from "../../run/batch/job/work.ts";
import { openOut } from "../../run/batch/out.ts";
import { planBatch } from "../../run/batch/plan.ts";
import { identityOf } from "../../run/batch/settings.ts";
import { files, folders } from "../fault/healthy.ts";
import { depthPng, depthValues, useFolder, zipOf } from "../sources/fixtures.ts";
import { depthMm, KEY, lerobotContents } from "../sources/makers/lerobot.ts";
import { PLAIN, writeFleet } from "./makers.ts";

// findRecordings: which files and folders are recordings, and the recordings' keys.

const disk = useFolder();
const place = (name: string) => join(disk.root, name);
const out = place("out");
const keysOf = async (...inputs: string[]) => (await findRecordings(inputs, out)).found.map(({ key }) => key);

test("findRecordings finds recordings of all formats by their contents, and nothing else", async () => {
  const root = place("all");
  const { keys, damaged } = writeFleet(root, 40, 2);
  // Recordings without a known extension, which are found by their first bytes, and files that are no recordings.
  const nameless = files.filter(([name]) => /^(plain\.(mcap|bag|db3)|a\.(mkv|oni))$/.test(name));
  for (const [i, [, bytes]] of nameless.entries()) writeFileSync(join(root, `nameless${i}`), bytes);
  writeFileSync(join(root, "notes.txt"), "notes");
  writeFileSync(join(root, ".hidden.bag"), "x");
  mkdirSync(join(root, "empty"));
  symlinkSync(join(root, "nowhere"), join(root, "dangling.bag"));
  const { found, passed, leftOut } = await findRecordings([root], out);
  expect(leftOut).toEqual([expect.stringMatching(/1 link was left out, since .* is not there .*: .*dangling\.bag$/)]);
  const wanted = [...keys, ...damaged, ...nameless.map((_, i) => `nameless${i}`)].sort();
  expect(found.map(({ key }) => key)).toEqual(wanted);
  // notes.txt, and what Replica has above its images: a lens and poses.
  expect(passed).toBe(3);
  for (const { bytes, files: count } of found) expect([bytes > 0, count > 0]).toEqual([true, true]);
});

test.each([
  ["a folder of depth images", { "1.png": depthPng(depthValues(0)), "2.png": depthPng(depthValues(1)) }],
  ["a folder of arrays", { "1.npy": "", "2.npy": "" }],
  ["a bag of ROS 2", { "metadata.yaml": "", "a_0.db3": "" }],
  ["a sequence of SUN3D", { "intrinsics.txt": "", "extrinsics/1.txt": "", "depth/1.png": "", "image/1.jpg": "" }],
])("findRecordings takes %s for one recording", async (name, contents) => {
  const root = place(`one ${name}`);
  for (const [file, content] of Object.entries(contents)) {
    mkdirSync(join(root, "inside", file, ".."), { recursive: true });
    writeFileSync(join(root, "inside", file), content);
  }
  expect(await keysOf(root)).toEqual(["inside"]);
  expect(await keysOf(join(root, "inside"))).toEqual(["inside"]);
});

test("each episode of a LeRobot data set is a recording, worked on by itself; --topic may choose one", async () => {
  const set = disk.folder(lerobotContents({ lengths: [3, 4] }), "set");
  const settings = { ...PLAIN, to: "png", raw: true } as const;
  const plan = (topic?: string) =>
    planBatch({ inputs: [set], out, settings: { ...settings, opening: { topic } }, shard: undefined });
  const { jobs } = await plan();
  expect(jobs.map(({ key }) => key)).toEqual(["set/episode_000000", "set/episode_000001"]);
  expect(jobs.map(({ topic }) => topic)).toEqual(["episode 0", "episode 1"]);
  expect((await plan(`${KEY} episode 1`)).jobs.map(({ topic }) => topic)).toEqual(["episode 1"]);
  const results = place("episodes");
  await openOut(results, settings, identityOf(settings), false);
  for (const [i, job] of jobs.entries()) {
    const here = { ...job, out: results };
    expect((await workOn(here)).result.figures.frames).toBe([3, 4][i]);
    const written = await disk.open(join(placeOf(here), "recording"));
    expect((await written.read(2)).depth.data).toEqual(depthMm(i, 2));
  }
});

test("findRecordings finds the bags and archives in a folder, and passes over the picture beside them", async () => {
  const root = disk.folder({
    "a.mcap": files[0]?.[1] ?? "",
    "b.mcap": files[0]?.[1] ?? "",
    "cover.png": depthPng(depthValues(0)),
    "c.zip": zipOf(folders[0] ?? {}),
  });
  expect(await keysOf(root)).toEqual(["a.mcap", "b.mcap", "c.zip"]);
});

test("a recording's key is its path below the deepest common folder of all inputs", async () => {
  const root = place("keys");
  writeFleet(root, 14, 0);
  const all = await keysOf(root);
  expect(all).toHaveLength(14);
  const [first = "", second = ""] = [/^day0.*\./, /^day1.*\./].map((day) => all.find((key) => day.test(key)));
  expect(await keysOf(join(root, first), join(root, second))).toEqual([first, second].sort());
  expect(await keysOf(join(root, "day0"), join(root, "day1"))).toEqual(all.filter((key) => /^day[01]\//.test(key)));
  expect(await keysOf(root, join(root, first))).toEqual(all);
  expect(await keysOf(`${root}/**/*.mcap`)).toEqual(all.filter((key) => key.endsWith(".mcap")));
  expect(await keysOf(`${root}/day?`)).toEqual(all);
});

test("inputs that lie in each other have results that do not", async () => {
  const root = place("nested");
  for (const folder of ["r0/depth", "r1/depth"])
    for (const i of [1, 2]) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, `${i}.png`), depthPng(depthValues(i)));
    }
  const keys = await keysOf(root, join(root, "r0"), join(root, "r0/depth"));
  expect(keys).toEqual(["r0", expect.stringMatching(/^r0~[0-9a-f]{8}$/), "r1"]);
});

describe("keyOf", () => {
  test("gives addresses of different files different keys, and one that is signed anew the same", () => {
    const files = [
      ...["https://h/a?id=1", "https://h/a?id=2", "https://h/a", "https://h/a/", "https://h//a", "https://h/b%2Fa"],
      ...["https://h/b/a", "https://h/x%41", "https://h/xA", "https://h/%3F", "s3://h/xA/", "https://h/%3Fa"],
      ...["s3://b/a//x", "s3://b/a/x", "s3://b/b/../a/x", "s3://b/x%41", "s3://b/xA", "s3://b/a/./x", "s3://b/a/x?v=1"],
      ...[`s3://b/${"long".repeat(90)}1`, `s3://b/${"long".repeat(90)}2`],
    ];
    const keys = files.map(keyOf);
    expect(new Set(keys).size).toBe(files.length);
    expect(keys.filter((key) => !isKey(key))).toEqual([]);
    expect(keyOf("https://h/a?X-Amz-Signature=1&X-Amz-Date=2")).toBe(keyOf("https://u:p@h/a?X-Amz-Signature=3"));
    expect(keyOf("https://h/a?sig=1&se=2&id=1")).toBe(keyOf("https://h/a?id=1"));
    expect(keyOf("https://h/day%201/ä.bag")).toBe("remote/h/day 1/ä.bag");
  });

  test("of an address with characters that a terminal obeys has none of them", () => {
    const keys = ["https://h/a%1B%5B2J.bag", "https://h/a%0Ab.bag", "s3://b/a\x1b[2J.bag"].map(keyOf);
    expect(keys.map((key) => key.replace(/[0-9a-f]{8}$/g, ""))).toEqual([
      expect.stringMatching(/^remote\/h\/a_\[2J\.bag.*~$/),
      expect.stringMatching(/^remote\/h\/a_?b\.bag.*~$/),
      "remote/b/a_[2J.bag~",
    ]);
    expect(keys.filter((key) => !isKey(key))).toEqual([]);
  });

  test.each(["", ".", "..", "a/../b", "/a", "a/", "a//b", "a\0b", "a\x1bb", "a\nb", "a\u2028", 5, undefined])(
    "%j is no key",
    (key) => {
      expect(isKey(key)).toBe(false);
    },
  );
});

test("findRecordings refuses a missing input, and a folder of results that overlaps the inputs", async () => {
  const root = place("wrong");
  writeFleet(root, 2, 0);
  await expect(keysOf(join(root, "nothing"))).rejects.toThrow(/nothing: there is no such file or folder/);
  await expect(keysOf(`${root}/*.none`)).rejects.toThrow(/\*\.none: no recording matches this pattern/);
  await expect(findRecordings([root], join(root, "out"))).rejects.toThrow(/results never go where the input is/);
  await expect(findRecordings([join(root, "day0")], root)).rejects.toThrow(/it is in the folder of the results/);
});

test.each([
  ["a/*.bag", "a", ["x.bag"], ["x.mcap", "d/x.bag", "xbag"]],
  ["/a/**/x?.bag", "/a", ["x1.bag", "b/c/x1.bag"], ["x.bag", "b/x11.bag"]],
  ["*/raw", ".", ["d1/raw", "d1/raw/x.bag"], ["raw", "d1/raws"]],
  ["a/b+(1)*.[bag]", "a", ["b+(1)x.[bag]"], ["bb1.b"]],
])("patternOf %s matches the paths of the pattern and no others", (pattern, root, matched, others) => {
  const found = patternOf(pattern);
  expect(found?.root).toBe(root);
  expect([...matched, ...others].filter((path) => found?.matches(path))).toEqual(matched);
});
