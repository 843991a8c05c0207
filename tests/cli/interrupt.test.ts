import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { onInterrupt } from "../../run/report/interrupt.ts";
import { MANIFEST } from "../../run/report/ownFolder.ts";
import { tumContents, useFolder } from "../sources/fixtures.ts";
import { built, type Document, start, startForTest } from "./command.ts";

const disk = useFolder();
// The recording states its lens, so that no warning of a guess is printed.
const lens = JSON.stringify({ intrinsics: { fx: 5, fy: 5, cx: 3, cy: 2 } });
const recording = disk.folder({ ...tumContents(20), "recording.json": lens });
const ENDLESS = ["--stages", "median", "--backend", "cpu", "--loop", "1000000000"];

/** Resolves when `path` holds at least `count` files. */
async function filesIn(path: string, count: number): Promise<void> {
  const number = () => {
    try {
      return readdirSync(path).length;
    } catch {
      return 0;
    }
  };
  await vi.waitUntil(() => number() >= count, { interval: 20, timeout: 30_000 });
}

describe("Ctrl-C", () => {
  beforeAll(() => built());

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "(%s) ends replay with all files complete, a report of the frames done, and exit status %i",
    async (signal, wanted) => {
      const place = join(disk.root, signal);
      const { child, ended } = start(["replay", recording, "--json", "--out", place, ...ENDLESS]);
      const out = `${place}.partial`;
      await filesIn(join(out, "depth"), 5);
      child.kill(signal);
      // npm passes on the terminal's Ctrl-C, which the command has also received: two at once count as one.
      child.kill(signal);
      const { status, stdout, stderr } = await ended;
      expect(status).toBe(wanted);
      expect(stderr).toMatch(
        /(^|\n)depthloom: interrupted after \d+ of \d+ frames; see .*\.partial; the same command goes on from there\n$/,
      );
      const { frames, outputs, error } = JSON.parse(stdout) as Document;
      expect([outputs.length, error]).toEqual([frames, "interrupted"]);
      expect(JSON.parse(readFileSync(join(out, "latency.json"), "utf8"))).toMatchObject({ frames });
      expect(readdirSync(out).sort()).toEqual([
        MANIFEST,
        "depth",
        "latency.json",
        "recording.json",
        "settings.json",
        "trace.json",
      ]);
      const written = await disk.open(out);
      expect(written.length).toBe(Math.min(frames, 20));
      for (let i = 0; i < written.length; i++) await written.read(i);
    },
  );

  test("(SIGTERM) ends a command that computes without a pause", async () => {
    const spins = disk.file("spins.mjs", 'process.stderr.write("it spins\\n"); for (;;);');
    const { child, ended } = startForTest(["measure", recording, "--use", spins]);
    child.stderr?.on("data", (text: string) => text.includes("it spins") && child.kill("SIGTERM"));
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([
      143,
      "it spins\ndepthloom: interrupted; the work in hand took too long and was given up\n",
    ]);
  });

  test.skipIf(process.platform === "win32")(
    "(SIGTERM) ends a command for which the system waits at a pipe",
    async () => {
      const pipe = join(disk.root, "pipe");
      execFileSync("mkfifo", [pipe]);
      const waits = `import { open } from "node:fs/promises";
open(${JSON.stringify(pipe)});
process.stderr.write("it waits\\n");
await new Promise(() => setInterval(() => {}, 1000));`;
      const { child, ended } = startForTest(["info", recording, "--use", disk.file("waits.mjs", waits)]);
      child.stderr?.on("data", (text: string) => text.includes("it waits") && child.kill("SIGTERM"));
      const { stderr } = await ended;
      expect([child.signalCode, stderr]).toEqual([
        "SIGTERM",
        expect.stringMatching(/^it waits\ndepthloom: interrupted/),
      ]);
    },
  );

  test("pressed twice exits at once, and two signals at the same moment count as one", async () => {
    const others = process.listeners("SIGINT");
    const interrupt = onInterrupt();
    const press = process.listeners("SIGINT").find((listener) => !others.includes(listener));
    const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
    const resources = vi.spyOn(process, "getActiveResourcesInfo").mockReturnValue([]);
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      press?.("SIGINT");
      press?.("SIGINT");
      expect([interrupt.signal.aborted, interrupt.status]).toEqual([true, 130]);
      expect(exit).not.toHaveBeenCalled();
      vi.advanceTimersByTime(400);
      press?.("SIGINT");
      expect(exit).toHaveBeenCalledExactlyOnceWith(130);
      await interrupt.release();
      expect(process.listeners("SIGINT")).toEqual(others);
    } finally {
      vi.useRealTimers();
      for (const mock of [exit, resources]) mock.mockRestore();
    }
  });
});

test.each([
  [true, "when work has made no progress for 1.5 s, and not before"],
  [false, "after 1.5 s, whatever progress work makes that another run goes on with"],
])("after Ctrl-C the process exits (renews: %s) %s", async (renews) => {
  const others = process.listeners("SIGTERM");
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const resources = vi.spyOn(process, "getActiveResourcesInfo").mockReturnValue([]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const interrupt = onInterrupt({ renews });
  try {
    interrupt.alive();
    vi.advanceTimersByTime(10_000);
    process.listeners("SIGTERM").find((listener) => !others.includes(listener))?.("SIGTERM");
    for (let i = 0; i < (renews ? 5 : 1); i++) {
      vi.advanceTimersByTime(1400);
      interrupt.alive();
    }
    expect(exit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(renews ? 1500 : 100);
    expect(exit).toHaveBeenCalledExactlyOnceWith(143);
    expect(said).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/the work in hand took too long and was given up\n$/),
    );
  } finally {
    vi.useRealTimers();
    for (const mock of [exit, said, resources]) mock.mockRestore();
    await interrupt.release();
  }
});
