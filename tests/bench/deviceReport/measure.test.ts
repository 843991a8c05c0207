import { expect, test } from "vitest";
import { type MeasureOptions, measureDevice, type Progress } from "../../../bench/deviceReport/measure.ts";
import type { ListedStudy } from "../../../bench/study.ts";
import { fakeGpu, fakeStudy } from "./fakes.ts";

/** A clock that goes on by `pass` alone. */
function fakeClock() {
  let ms = 1000;
  return {
    now: () => ms,
    pass(seconds: number) {
      ms += seconds * 1000;
    },
  };
}

/** Measures with a fake device. Returns the results, every progress report, and the number of parts measured of each study. */
async function measure(studies: readonly ListedStudy[], changes: Partial<MeasureOptions>, { gpu } = fakeGpu()) {
  const progress: Progress[] = [];
  const options = { studies, budgetS: 100, large: true, signal: new AbortController().signal, log() {}, ...changes };
  const measured = await measureDevice(gpu, { onProgress: (now) => progress.push(now), ...options });
  return { ...measured, progress, counts: measured.studies.map(({ report }) => report.measured) };
}

test("measureDevice measures every part when time suffices, and reports the parts and time that are left", async () => {
  const clock = fakeClock();
  const studies = [fakeStudy("a", 2, () => clock.pass(3)), fakeStudy("b", 1, () => clock.pass(4))];
  const { counts, tookS, endedEarly, progress, studies: done } = await measure(studies, { now: clock.now });
  expect([counts, tookS, endedEarly]).toEqual([[2, 1], 10, null]);
  expect(progress).toEqual([
    { study: "Study a", part: "a 0", partsLeft: 2, studiesLeft: 1, share: 0, leftS: 100 },
    { study: "Study a", part: "a 1", partsLeft: 1, studiesLeft: 1, share: 0.03, leftS: 97 },
    { study: "Study b", part: "b 0", partsLeft: 1, studiesLeft: 0, share: 0.06, leftS: 94 },
  ]);
  expect(done[0]?.report).toMatchObject({ planned: 2, leftOut: null, right: true, tookS: 6, notes: [] });
  expect(done[0]?.report.measurements).toMatchObject({ labels: ["a 0", "a 1"] });
  expect(done[0]?.sections.map(String)).toEqual(["<section><h2>a 0,a 1</h2></section>"]);
});

test("a part that would take too long is left out, and a shorter part after it is measured", async () => {
  const clock = fakeClock();
  const costs = [4, 16, 2, 64, 1];
  const parts = () =>
    costs.map((cost) => ({
      label: `of ${cost}`,
      cost,
      async measure() {
        clock.pass(cost);
        return { labels: [`of ${cost}`], rows: [], notes: [] };
      },
    }));
  const { studies, tookS } = await measure([fakeStudy("a", 0, () => {}, { parts })], { now: clock.now, budgetS: 8 });
  expect([studies[0]?.report.measurements, tookS]).toMatchObject([{ labels: ["of 4", "of 2", "of 1"] }, 7]);
  expect(studies[0]?.report.notes).toEqual(["left out for want of time: of 16; of 64"]);
});

test("an abort stops the measurement at once, even in a part that hangs; results are kept, the rest is noted", async () => {
  const stop = new AbortController();
  const studies = [
    fakeStudy("a", 3, (part) => {
      if (part < 2) return;
      stop.abort();
      return new Promise(() => {});
    }),
    fakeStudy("b", 3, () => {}),
  ];
  const { counts, endedEarly, studies: done } = await measure(studies, { signal: stop.signal });
  expect([counts, endedEarly]).toEqual([[2, 0], "it was stopped by hand"]);
  expect(done[0]?.report).toMatchObject({ planned: 3, leftOut: null, measurements: { labels: ["a 0", "a 1"] } });
  expect(done[1]?.report).toMatchObject({ leftOut: "it was stopped by hand", right: null, measurements: null });
});

test("a lost GPU ends the measurement with a one-line reason, and earlier results are kept", async () => {
  const fake = fakeGpu();
  const studies = [
    fakeStudy("a", 3, (part) => {
      if (part < 1) return;
      fake.lose("it was unplugged\nbacktrace");
      throw new Error("mapping failed");
    }),
    fakeStudy("b", 3, () => {}),
  ];
  const { counts, endedEarly, studies: done } = await measure(studies, {}, fake);
  expect(counts).toEqual([1, 0]);
  expect(endedEarly).toBe(
    "the GPU was lost (it was unplugged): measure again, with a smaller budget if it is lost again",
  );
  expect(done[0]?.report.notes).toEqual([]);
});
