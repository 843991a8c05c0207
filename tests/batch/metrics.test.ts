import { expect, onTestFinished, test } from "vitest";
import { logsOf, metricsPlace } from "../../cli/fleetOptions.ts";
import { type RecordingLine, RecordingLog } from "../../run/batch/log.ts";
import { Metrics } from "../../run/batch/metrics.ts";

test("the ends of recordings are counted, and served as OpenMetrics", async () => {
  const metrics = await Metrics.open({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => metrics.close());
  const { recordings } = logsOf(
    "text",
    () => {},
    () => false,
    (line) => metrics.take(line),
  );
  for (const [key, frames] of [
    ["a.bag", 30],
    ["b.bag", 12],
  ] as const) {
    recordings.begun({ key });
    recordings.done({ key }, { result: { figures: { frames } }, run: { seconds: 1.5 } } as never);
  }
  recordings.failed({ key: "c.bag" }, "no depth", true);
  recordings.failed({ key: "c.bag" }, "no depth", false);
  const answer = await fetch(metrics.address);
  expect(answer.headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect((await answer.text()).replace(/^(depthloom_recording_seconds_total) 3\.\d+$/m, "$1 3.0")).toBe(`\
# TYPE depthloom_recordings counter
# HELP depthloom_recordings Tries at recordings that ended; a retry is tried once more.
depthloom_recordings_total{outcome="done"} 2
depthloom_recordings_total{outcome="retry"} 1
depthloom_recordings_total{outcome="failed"} 1
# TYPE depthloom_recording_seconds counter
# HELP depthloom_recording_seconds Seconds spent on recordings, those that failed included.
depthloom_recording_seconds_total 3.0
# TYPE depthloom_frames counter
# HELP depthloom_frames Frames read of recordings that were done.
depthloom_frames_total 42
# EOF
`);
  expect((await fetch(metrics.address.replace("/metrics", "/"))).status).toBe(404);
  const [, port] = /:(\d+)\/metrics$/.exec(metrics.address) ?? [];
  await expect(Metrics.open({ host: "127.0.0.1", port: Number(port) })).rejects.toThrow("EADDRINUSE");
});

test("a recording that is given up after its first try has the seconds of that try alone", () => {
  let now = 0;
  const lines: RecordingLine[] = [];
  const log = new RecordingLog(
    (line) => lines.push(line),
    () => now,
  );
  log.begun({ key: "a.bag" });
  now = 10_000;
  log.failed({ key: "a.bag" }, "no depth", true);
  now = 60_000;
  log.failed({ key: "a.bag" }, "no depth", false);
  expect(lines.map(({ outcome, attempt, seconds }) => [outcome, attempt, seconds])).toEqual([
    ["retry", 1, 10],
    ["failed", 1, 0],
  ]);
});

test("--metrics takes a port of this machine, or an address and a port", () => {
  expect(metricsPlace("9464")).toEqual({ host: "127.0.0.1", port: 9464 });
  expect(metricsPlace("0.0.0.0:9464")).toEqual({ host: "0.0.0.0", port: 9464 });
  expect(metricsPlace("[::]:9464")).toEqual({ host: "::", port: 9464 });
  for (const wrong of ["", "x", "70000", "host:", ":9464"]) expect(() => metricsPlace(wrong)).toThrow("a port");
});
