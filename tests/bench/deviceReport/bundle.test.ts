import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeviceReport } from "../../../bench/deviceReport/document.ts";

// The bundled file that measures on a machine without npm, and its `report`. It is built inside the repository, where it finds `webgpu`.

const root = fileURLToPath(new URL("../../..", import.meta.url));
let folder = "";
beforeAll(async () => {
  mkdirSync(join(root, "test-output"), { recursive: true });
  folder = mkdtempSync(join(root, "test-output/bundle-"));
  const configFile = join(root, "bench/vite.bundle.ts");
  await build({ root, configFile, logLevel: "silent", build: { outDir: folder } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the bundle; `onError` sees what it has written to standard error so far. */
function run(args: readonly string[], onError: (text: string, stop: () => void) => void = () => {}) {
  return new Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = spawn(process.execPath, [join(folder, "bench.js"), ...args], { cwd: folder });
      const texts = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        texts.stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        texts.stderr += text;
        onError(texts.stderr, () => child.kill("SIGINT"));
      });
      child.on("close", (status) => resolve({ status, ...texts }));
    },
  );
}

test("`report` writes its results so far on Ctrl-C, marked as incomplete", async () => {
  const args = ["report", "--adapter", "software", "--budget", "30", "--out", "r.html", "--json", "r.json"];
  // Sent once: a second Ctrl-C would end the program at once.
  let isStopped = false;
  const { status, stdout, stderr } = await run(args, (text, stop) => {
    if (isStopped || text.split("\n").length <= 3) return;
    isStopped = true;
    stop();
  });
  expect(stderr).toMatch(/^The stages’ kernels: empty, 640 × 480 \(\d+ parts and \d+ studies left, 30 s\)/);
  expect(status).toBe(130);
  expect(stdout).toMatch(/Incomplete: it was stopped by hand\n$/);
  const { endedEarly, studies, place } = JSON.parse(readFileSync(join(folder, "r.json"), "utf8")) as DeviceReport;
  expect([endedEarly, place.program]).toEqual(["it was stopped by hand", `Node ${process.versions.node}`]);
  expect(studies[0]?.measured).toBeGreaterThan(0);
  expect(readFileSync(join(folder, "r.html"), "utf8")).toContain("<b>Incomplete:</b> it was stopped by hand.");
});
