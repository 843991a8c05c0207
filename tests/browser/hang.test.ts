import { expect, test } from "vitest";
import { useApp } from "./app.ts";
import { tumZip } from "./recordings.ts";

// A file whose reading never ends, in the viewer: its worker is ended when another file is dropped, and otherwise after a while.

const app = useApp();

/** Replaces each of the page's reading workers by one that reports a small file, and hangs at the first request. */
function hangReaders(): void {
  const Real = Worker;
  const code = 'postMessage({ kind: "progress", size: 1000 }); onmessage = () => { for (;;); };';
  const hanging = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const count = { started: 0, live: 0 };
  window.Worker = class extends Real {
    readonly #hangs: boolean;
    constructor(address: string | URL, options?: WorkerOptions) {
      const hangs = options?.name === "depthloom reader" && "hangs" in window;
      super(hangs ? hanging : address, options);
      this.#hangs = hangs;
      if (hangs) count.started++;
      if (hangs) count.live++;
    }
    override terminate(): void {
      if (this.#hangs) count.live--;
      super.terminate();
    }
  };
  Object.assign(window, { count });
}

test("three dropped files that hang leave one worker, which ends with a message; the open recording plays on", async () => {
  const it = await app.open("source=none&backend=cpu", (page) => page.addInitScript(hangReaders));
  const { page } = it;
  const facts = page.locator("#masthead .facts");
  await it.drop("good.zip", tumZip(3));
  await expect.poll(() => facts.textContent()).toMatch(/^TUM RGB-D · /);
  // Paused, because a page that plays keeps a core busy while the file hangs.
  await it.pause();
  await page.evaluate(() => Object.assign(window, { hangs: true }));
  const count = () => page.evaluate("count");
  for (let i = 0; i < 3; i++) {
    await it.drop(`hangs-${i}.bag`, new Uint8Array(1000));
    await expect.poll(count).toEqual({ started: i + 1, live: 1 });
  }
  const message = page.getByText(/hangs-2\.bag: opening it made no progress for 4 seconds and was given up/);
  await message.waitFor();
  expect(await count()).toEqual({ started: 3, live: 0 });
  expect(await facts.textContent()).toMatch(/^TUM RGB-D · /);
  await page.getByRole("button", { name: "Play" }).click();
  const time = page.locator("#transport .time");
  const seen = new Set<string | null>();
  await expect.poll(async () => seen.add(await time.textContent()).size).toBeGreaterThan(2);
});
