import { describe, expect, test } from "vitest";
import { csvOf } from "../../viewer/batch/quality/files.ts";
import { gapsIn } from "../../viewer/batch/quality/gaps.ts";
import { pageOf } from "../../viewer/batch/quality/page.ts";
import { judged, requirementsOf } from "../../viewer/batch/quality/require.ts";
import { failedRow, type Row, recordingOf } from "../../viewer/batch/quality/row.ts";

// The table of quality: --require, gaps in time, and escaping of names.

const row: Row = {
  recording: "a/b.bag",
  input: "/data/a/b.bag",
  state: "good",
  why: "",
  bytes: 1000,
  valid: 0.7,
  noise2m: null,
  frames: 30,
  empty: 0,
};

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

  test("does not apply to a recording that failed", () => {
    const failed = failedRow({ recording: "x", input: "/data/x", bytes: 1 }, "no");
    expect(judged(failed, requirementsOf("valid>1"))).toEqual(failed);
  });

  test.each(["valid", "valid>", "vaild>0.7", "recording=1", "valid>0.7x", "valid!=1"])("%s is wrong usage", (text) => {
    expect(() => requirementsOf(text)).toThrow(
      /--require \S+: it must be a column.*there are width, .*noise2m.*secondsPerGB/,
    );
  });
});

describe("gapsIn", () => {
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
    [[33, -50, 33, 33], { dropped: 0, gaps: 0, longestGapMs: 0, durationMs: 49 }],
  ])("finds the gaps in frames %j ms apart", (ms, wanted) => {
    expect(gapsIn(steps(...ms))).toEqual(wanted);
  });
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
  expect(page).not.toMatch(/<img src=x|<script>/);
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
