import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { csvOf } from "../../run/batch/quality/files.ts";
import { gapsIn } from "../../run/batch/quality/gaps.ts";
import { pageOf } from "../../run/batch/quality/page.ts";
import { judged, requirementsOf } from "../../run/batch/quality/require.ts";
import { failedRow, type Row, recordingOf } from "../../run/batch/quality/row.ts";
import { SORTING } from "../../run/batch/quality/sorting.ts";
import { pageListener } from "../../run/serve/page.ts";
import { TABLE, tableOf } from "../../run/serve/table.ts";
import { files } from "../fault/healthy.ts";
import { useFolder } from "../sources/fixtures.ts";

// The table of quality: --require, gaps in time, and escaping of names.

const named = { recording: "a/b.bag", input: "/data/a/b.bag", bytes: 1000 };
const row: Row = { ...named, state: "good", why: "", valid: 0.7, noise2m: null, frames: 30, empty: 0 };

describe("--require", () => {
  test.each([
    ["valid>0.6", ""],
    ["valid > 0.7, frames>=30", "valid>0.7"],
    ["valid<=0.7 frames=30 frames<31", ""],
    ["noise2m<10 valid>.9", "noise2m<10 valid>.9"],
    ["frames>1e3", "frames>1e3"],
  ])("%s is met, or names the columns that fall short", (text, why) => {
    expect(judged(row, requirementsOf(text))).toMatchObject({ why, state: why === "" ? "good" : "short" });
  });

  test("met or not, nothing is good about which opening warned", () => {
    const warned = { ...row, warned: 2, warnings: ["30 frames per second are assumed", "b"] };
    expect(judged(warned, requirementsOf("valid>0.6"))).toMatchObject({ state: "warned", why: warned.warnings[0] });
    expect(judged(warned, requirementsOf("warned=0"))).toMatchObject({ state: "short", why: "warned=0" });
  });

  test("does not apply to a recording that failed", () => {
    const failed = failedRow({ recording: "x", input: "/data/x", bytes: 1 }, "no");
    expect(judged(failed, requirementsOf("valid>1"))).toEqual(failed);
  });

  test.each(["valid", "valid>", "vaild>0.7", "recording=1", "valid>0.7x", "valid!=1"])("%s is wrong usage", (text) => {
    const why = /^require \S+: it must be a column.*there are width, .*noise2m.*secondsPerGB/;
    expect(() => requirementsOf(text)).toThrow(why);
  });
});

/** Times with these steps between them. */
function steps(...ms: number[]): number[] {
  let time = 100;
  return [time, ...ms.map((step) => (time += step))];
}

test.each([
  [[], { dropped: 0, gaps: 0, longestGapMs: 0, durationMs: 0 }],
  [[33], { dropped: 0, gaps: 0, longestGapMs: 0, durationMs: 33 }],
  [[33, 33, 49, 33], { dropped: 0, gaps: 0, longestGapMs: 0, durationMs: 148 }],
  [[33, 66, 33, 33, 100, 33], { dropped: 3, gaps: 2, longestGapMs: 100, durationMs: 298 }],
  // A clock that stands still or goes back makes no gap.
  [[0, 0, 0], { dropped: 0, gaps: 0, longestGapMs: 0, durationMs: 0 }],
  [[33, -50, 33, 33], { dropped: 0, gaps: 0, longestGapMs: 0, durationMs: 132 }],
  [[33, 33, -1e12, 33], { dropped: 0, gaps: 0, longestGapMs: 0, durationMs: 132 }],
])("gapsIn finds the gaps in frames %j ms apart", (ms, wanted) => {
  expect(gapsIn(steps(...ms))).toEqual(wanted);
});

test("csvOf and pageOf escape names, so that none gets out of its cell", () => {
  const name = `a,"b"<img src=x onerror=alert(1)>&/c d.bag`;
  const rows: Row[] = [
    { ...row, recording: name, warnings: ['"><script>'] },
    { ...failedRow({ recording: "=cmd()", input: "/=cmd()", bytes: 1 }, "line one\nline two"), state: "failed" },
  ];
  const csv = csvOf(rows).split("\r\n");
  expect(csv[1]).toMatch(/^"a,""b""<img src=x onerror=alert\(1\)>&\/c d\.bag",good,,/);
  expect(csvOf(rows)).toContain(`\r\n'=cmd(),failed,"line one\nline two",`);
  const page = pageOf(rows);
  expect(page.match(/<img src=x|<script>/g)).toEqual(["<script>"]);
  expect(page).toContain('href="recordings/a%2C%22b%22%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%26/c%20d.bag/"');
  // Recordings that failed stand on top and have no picture.
  expect(page.indexOf("=cmd()")).toBeLessThan(page.indexOf("c d.bag"));
  expect(page.match(/<img /g)).toHaveLength(1);
});

test("pageOf links a row to the address given for it, escaped, or does not link it", () => {
  const page = pageOf([row], ({ recording }) => `/?source="><script>${recording}`);
  expect(page).toContain('<a href="/?source=&quot;&gt;&lt;script&gt;a/b.bag">a/b.bag</a>');
  expect(pageOf([row], () => undefined)).not.toContain("<a ");
});

test.each([
  ["https://x.org/a.bag?X-Amz-Signature=secret", "https://x.org/a.bag"],
  ["/data/what?.bag", "/data/what?.bag"],
])("recordingOf shows the input %s as %s", (input, told) => {
  expect(recordingOf({ key: "a", input, bytes: 1 }).input).toBe(told);
});

const RESULT = {
  ...{ version: "1", identity: "1", figures: { format: "mcap", frames: 1 } },
  ...{ warnings: [], written: { files: 0, bytes: 0, sha256: "" } },
};
const RUN = { host: "x", finished: "x", seconds: 1, overBudget: null, peakMiB: 1, stamp: "1" };

describe("a folder of results from anybody", () => {
  const disk = useFolder();
  const [[name = "", bytes = new Uint8Array()] = []] = files.filter(([one]) => one === "plain.mcap");
  const secret = disk.file("id", "a key");
  const recording = disk.file(name, bytes);

  test.skipIf(process.platform === "win32")("whose table is a device, or has a gigabyte, is refused", async () => {
    const folder = join(disk.root, "endless");
    mkdirSync(folder);
    symlinkSync("/dev/zero", join(folder, "quality.jsonl"));
    await expect(tableOf(folder)).rejects.toThrow("there is no quality table");
    rmSync(join(folder, "quality.jsonl"));
    writeFileSync(join(folder, "quality.jsonl"), "");
    truncateSync(join(folder, "quality.jsonl"), 2 ** 30);
    await expect(tableOf(folder)).rejects.toThrow("there is no quality table");
  });

  /** Writes a folder with these rows, each with the result that it claims, and serves its table. */
  async function serving(rows: readonly object[], results: readonly string[] = []) {
    const folder = join(disk.root, `results${Math.random()}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "quality.jsonl"), rows.map((one) => JSON.stringify(one)).join("\n"));
    for (const key of results) {
      const place = join(folder, "recordings", key);
      mkdirSync(place, { recursive: true });
      const claimed = rows.find((one) => "recording" in one && one.recording === key);
      writeFileSync(join(place, "result.json"), JSON.stringify({ ...RESULT, ...claimed }));
      writeFileSync(join(place, "run.json"), JSON.stringify(RUN));
      symlinkSync(secret, join(place, "thumbnail.png"));
    }
    const extras = await tableOf(folder);
    const server = createServer(pageListener(new Map(), extras)).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const get = (path: string, method = "GET") => fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { get, served: [...extras.disk.keys()] };
  }
  const claim = (key: string, input: string, size: number) => ({ ...row, recording: key, input, bytes: size });

  test("shows a page that runs no script but the one that sorts, whatever its rows are", async () => {
    const { get } = await serving([{ ...row, why: '"></td></tr></table><script>', format: "'><script>" }]);
    const answer = await get(TABLE);
    expect(answer.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^ ]+'; script-src 'sha256-[^ ]+'; img/,
    );
    const scripts = (await answer.text()).match(/<script.*?<\/script>/gs);
    expect(scripts).toEqual([`<script>${SORTING}</script>`]);
  });

  test.each([
    ["a state that is none", { ...row, state: 'x"></tr></table><script>' }],
    ["a path out of the folder", { ...row, recording: "../../x" }],
    ["a path that none can be", { ...row, recording: "a\0b" }],
    ["an input that none can be", { ...row, input: "/a\0b" }],
    ["HTML in place of a number", { ...row, frames: { toString: "<script>" } }],
    ["no object", null],
  ])("is refused for %s", async (_, line) => {
    await expect(serving([row, line ?? []])).rejects.toThrow(/quality\.jsonl: line 2 is no row of a table/);
  });

  test("leads to no folder with links, which are not followed", async () => {
    const [whole, linked] = ["whole", "linked"].map((name) => join(disk.root, name));
    for (const folder of [whole, linked]) {
      mkdirSync(folder);
      writeFileSync(join(folder, "a"), "a");
    }
    symlinkSync(secret, join(linked, "b"));
    const { served } = await serving([claim("a", whole, 1), claim("b", linked, 1)], ["a", "b"]);
    expect(served).toEqual(["/recording/0/whole.zip"]);
  });

  test("serves a recording of which it has the result, and no other file", async () => {
    const rows = [claim("a.mcap", recording, bytes.length), claim("b.mcap", secret, 5), claim("c.mcap", recording, 7)];
    const unknown = claim("d.mcap", recording, bytes.length);
    const { get, served } = await serving([...rows, unknown], ["a.mcap", "b.mcap", "c.mcap"]);
    // c has another size than its result says, d has no result, and the picture is a link that leads out of the folder: none is served.
    expect(served).toEqual(["/recording/0/plain.mcap", "/recording/1/id"]);
    const [own, other] = await Promise.all(served.map((path, i) => get(path, i === 0 ? "HEAD" : "GET")));
    const told = ["content-security-policy", "content-length"].map((field) => own.headers.get(field));
    expect([own.status, ...told]).toEqual([200, "default-src 'none'; sandbox", `${bytes.length}`]);
    expect([other.status, await other.text()]).toEqual([403, "no format recognises this file as a recording\n"]);
  });
});
