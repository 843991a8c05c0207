import { expect, test } from "vitest";
import { POLL, useApp } from "./app.ts";
import { tumZip } from "./recordings.ts";

// A file whose reading never ends, in the viewer: its worker is ended when another file is dropped, and otherwise after a while.

const app = useApp();

/** Replaces each of the page's reading workers by one that reports a small file, and hangs at the first request. */
function hangReaders(): void {
  const Real = Worker;
  const code = 'postMessage({ kind: "progress", size: 1000 }); onmessage = () => { for (;;); };';
  const hanging = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  window.Worker = class extends Real {
    constructor(address: string | URL, options?: WorkerOptions) {
      const reads = options?.name === "depthloom reader" && "hangs" in window;
      super(reads ? hanging : address, reads ? { name: "hanging" } : options);
    }
  };
}

test("three dropped files that hang leave one worker, which ends with a message; the open recording plays on", async () => {
  const it = await app.open("source=none&backend=cpu", (page) => page.addInitScript(hangReaders));
  const { page } = it;
  const facts = page.locator("#masthead .facts");
  await it.drop("good.zip", tumZip(3));
  await expect.poll(() => facts.textContent(), { timeout: 60_000 }).toMatch(/^TUM RGB-D · /);
  // Playing would take a core while the file hangs.
  await it.pause();
  await page.evaluate(() => Object.assign(window, { hangs: true }));
  let started = 0;
  page.on("worker", (worker) => {
    if (worker.url().startsWith("blob:")) started++;
  });
  const hanging = () => page.workers().filter((worker) => worker.url().startsWith("blob:")).length;
  for (let i = 0; i < 3; i++) {
    await it.drop(`hangs-${i}.bag`, new Uint8Array(1000));
    await expect.poll(() => [started, hanging()], { timeout: 60_000 }).toEqual([i + 1, 1]);
  }
  const message = page.getByText(/hangs-2\.bag: opening it made no progress for 4 seconds and was given up/);
  await message.waitFor();
  await expect.poll(hanging, { timeout: 60_000 }).toBe(0);
  expect(await facts.textContent()).toMatch(/^TUM RGB-D · /);
  await page.getByRole("button", { name: "Play" }).click();
  const time = page.locator("#transport .time");
  const seen = new Set<string | null>();
  await expect.poll(async () => seen.add(await time.textContent()).size, POLL).toBeGreaterThan(2);
  await it.close();
});
