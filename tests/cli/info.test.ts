import { expect, test } from "vitest";
import { depthloom } from "./command.ts";

test("info tells the software GPU, what it can do and how fast it is", async () => {
  const { status, stdout, stderr } = await depthloom("info", "--adapter", "software", "--json");
  expect([status, stderr]).toEqual([0, ""]);
  const info = JSON.parse(stdout) as Record<string, unknown> & { limits: Record<string, number> };
  expect(info).toMatchObject({
    node: process.version,
    adapter: { software: true, description: expect.stringContaining("SwiftShader") },
    backend: "cpu",
    timestamps: true,
    features: expect.arrayContaining(["timestamp-query"]),
  });
  expect(info.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(128);
  for (const name of ["copyGBps", "dispatchUs", "roundTripUs", "uploadUs"]) {
    expect(info.ceilings).toHaveProperty(name, expect.any(Number));
  }
});

test("and says it in words", async () => {
  const { status, stdout } = await depthloom("info", "--adapter", "software");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^depthloom +\d.*\nCPU .*\nGPU +SwiftShader.*\(software\)\n.*\n.*\n.*\ncopy +[\d.]+ GB\/s/);
});
