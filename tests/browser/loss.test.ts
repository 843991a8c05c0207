import { expect, test } from "vitest";
import { POLL, useApp } from "./app.ts";
import { killGpuProcess } from "./crash.ts";
import { tumZip } from "./recordings.ts";

// A GPU that is lost, while frames play and while nothing moves: the picture comes back by itself, with what was set; where no device
// comes back, the CPU makes it, and a worker of its that dies is replaced.

const app = useApp();

/** Keeps every device that the page is given, and every worker, at hand; once `noDevices` is set it is given no more of the former. */
function keepDevices(): void {
  const devices: GPUDevice[] = [];
  const { requestDevice } = GPUAdapter.prototype;
  const { requestAdapter } = GPU.prototype;
  GPU.prototype.requestAdapter = async function (...args) {
    return "noDevices" in globalThis ? null : requestAdapter.apply(this, args);
  };
  GPUAdapter.prototype.requestDevice = async function (...args) {
    const device = await requestDevice.apply(this, args);
    devices.push(device);
    return device;
  };
  const workers: Worker[] = [];
  const Made = Worker;
  globalThis.Worker = class extends Made {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      if (options?.name?.startsWith("depthloom stages")) workers.push(this);
    }
  };
  Object.assign(globalThis, { devices, workers });
}

// Three devices in turn compile their kernels, which takes a software GPU seconds for each.
test("the picture, the focus and the settings come back, playing and paused", { timeout: 120_000 }, async () => {
  // Every device compiles its kernels anew; a software GPU takes longest for those of these stages.
  const query = `${app.adapter}&source=none#off=bilateralGrid,temporal`;
  const it = await app.open(query, (page) => page.addInitScript(keepDevices));
  const { page } = it;
  const messages = page.locator("#messages");
  const time = page.locator("#transport .time");
  const destroy = () => page.evaluate("devices.at(-1).destroy()");
  const lose = async (how: () => Promise<unknown>, then = "another has taken its place", what = "GPU") => {
    await how();
    await expect.poll(() => messages.textContent(), POLL).toMatch(new RegExp(`The ${what} was lost.*: ${then}\\.`));
    const line = messages.getByRole("status").filter({ hasText: `The ${what} was lost` });
    await line.getByRole("button", { name: "Close" }).click();
  };
  await it.drop("tiny.zip", tumZip(4));
  await it.picture(60);
  await it.type("Focus", 1.37);

  const moves = async () => {
    const seen = new Set<string | null>();
    await expect.poll(async () => seen.add(await time.textContent()).size, POLL).toBeGreaterThan(2);
  };
  await lose(() => killGpuProcess(page));
  await moves();
  await it.picture(60);

  await page.locator("#transport .play").click();
  await lose(destroy);
  await it.picture(60);
  expect(await it.focus()).toBeCloseTo(1.37);
  // One for each loss, and perhaps one that a GPU process gave which was about to go.
  expect(await page.evaluate("devices.length")).toBeGreaterThanOrEqual(3);

  await page.evaluate("noDevices = true");
  await lose(destroy, "the CPU goes on in its place");
  expect(await page.locator("#masthead .facts").textContent()).toMatch(/ · CPU$/);
  await it.picture(60);
  await page.locator("#transport .play").click();
  await moves();
  // Without a word: nobody tells a page that a worker was ended.
  await lose(() => page.evaluate("workers.at(-1).terminate()"), undefined, "stages' worker");
  await moves();
  await it.picture(60);
  expect(await it.focus()).toBeCloseTo(1.37);
  // The browser and Three.js log these messages for a killed process and a lost device; nothing else may be logged.
  await it.close(/external Instance reference|createBuffer failed|dropped in popErrorScope/);
});
