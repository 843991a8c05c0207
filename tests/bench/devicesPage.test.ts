import { expect, test } from "vitest";
import { STUDIES } from "../../viewer/bench/deviceReport/list.ts";
import { devicesPage, keptReports } from "./devicesPage.ts";

// The docs' page that compares devices is written from the kept reports.

const kept = keptReports();

test("docs/lab/devices.md is up to date with the kept reports", async () => {
  const page = devicesPage([...kept.values()].map(({ report }) => report));
  await expect(page).toMatchFileSnapshot("../../docs/lab/devices.md");
});

test.each([...kept])(
  "the kept report %s is small, has no raw measurements, and no wrong output",
  (_, { report, bytes }) => {
    expect(bytes).toBeLessThan(50_000);
    expect(report.remark).toMatch(/\w{3}/);
    const known = STUDIES.map(({ name }) => name);
    for (const study of report.studies) {
      expect(known).toContain(study.name);
      expect(study).not.toHaveProperty("measurements");
      expect(study.right).not.toBe(false);
    }
  },
);
