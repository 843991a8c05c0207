import { expect, onTestFinished, test, vi } from "vitest";
import { type ProcessOptions, workInProcesses } from "../../run/batch/process/fork.ts";
import { useFolder } from "../sources/fixtures.ts";
import { jobOf, PLAIN } from "./makers.ts";

// workInProcesses: which process works on which recording, and what a process that ends, or hangs, costs.

const disk = useFolder();

/** A process that does with each recording what its key says; a result's host is the process's number. */
const path = disk.file(
  "child.mjs",
  `let begun = 0;
  process.on("disconnect", () => process.exit());
  process.on("message", ({ job: { key } }) => {
    begun++;
    if (key === "crash" || (key === "crash later" && begun > 1)) {
      console.error("TypeError: it broke");
      process.exit(7);
    }
    if (key === "fail") process.send({ kind: "failed", reason: "damaged" }, () => process.exit());
    else if (key !== "hang") process.send({ kind: "done", result: {}, run: { host: process.pid } });
  });`,
);

function processes(options: Partial<ProcessOptions> = {}) {
  const { work, end } = workInProcesses({ atOnce: 1, path, ...options });
  onTestFinished(end);
  return {
    end,
    /** The number of the process that worked on the recording. */
    async by(key: string, how: Parameters<typeof work>[1] & { readonly start?: number } = {}) {
      const job = jobOf("in", disk.root, key, { ...PLAIN, start: how.start ?? 0 });
      return Number((await work(job, how)).run.host);
    },
  };
}

test("a process takes recordings one after the other, and ends after twenty of them", async () => {
  const { by } = processes();
  const all = [];
  for (let i = 0; i < 21; i++) all.push(await by(`r${i}`));
  expect(new Set(all.slice(0, 20)).size).toBe(1);
  expect(all[20]).not.toBe(all[0]);
});

test("two recordings at once, other settings and a second try have processes of their own", async () => {
  const { by } = processes();
  const [one, other] = await Promise.all([by("a"), by("b")]);
  const fresh = await by("c", { fresh: true });
  expect(new Set([one, other, fresh, await by("d", { start: 1 })]).size).toBe(4);
});

test("a process that ends costs the recording that it was at alone", async () => {
  const { by } = processes();
  const first = await by("a");
  await expect(by("crash")).rejects.toThrow("its process ended with status 7: TypeError: it broke");
  const second = await by("b");
  await expect(by("fail")).rejects.toThrow(/^damaged$/);
  expect(new Set([first, second, await by("c")]).size).toBe(3);
});

test("a recording whose process was used and crashes is worked on again by a new process", async () => {
  const { by } = processes();
  const first = await by("a");
  expect(await by("crash later")).not.toBe(first);
});

test("a recording that takes longer than the limit has failed, and an abort ends the process", async () => {
  const { by } = processes({ timeoutSeconds: 0.05 });
  await expect(by("hang")).rejects.toThrow("it took longer than 0.05 s, the most that it may take");
  const stop = new AbortController();
  const aborted = processes().by("hang", { signal: stop.signal });
  stop.abort();
  await expect(aborted).rejects.toThrow(/ended by SIGKILL/);
});

test("processes that wait end when they are told to", async () => {
  const { by, end } = processes();
  const one = await by("a");
  end();
  await vi.waitFor(() => expect(() => process.kill(one, 0)).toThrow(/ESRCH/), 20_000);
});
