import { expect, test } from "vitest";
import { useApp } from "./app.ts";
import { killGpuProcess } from "./crash.ts";
import { tumZip } from "./recordings.ts";

// A GPU that is lost, while frames play or are paused: the picture and the settings come back by themselves; when no device
// comes back, the CPU takes over, and its worker is replaced when it dies.

const app = useApp();

/** Keeps every GPU device and worker of the page at hand; once `noDevices` is set, the page is given no more devices. */
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

// Three devices in turn compile their kernels, which takes seconds each on a software GPU.
test("picture and focus come back after each loss of the GPU, playing or paused", { timeout: 120_000 }, async () => {
  // These stages are off because their kernels take a software GPU longest to compile.
  const query = `${app.adapter}&source=none#off=bilateralGrid,temporal,track`;
  const it = await app.open(query, (page) => page.addInitScript(keepDevices));
  const { page } = it;
  // The browser and Three.js log these messages for a killed process and a lost device; nothing else may be logged.
  it.allowed = /external Instance reference|createBuffer failed|dropped in popErrorScope/;
  const messages = page.locator("#messages");
  const time = page.locator("#transport .time");
  const destroy = () => page.evaluate("devices.at(-1).destroy()");
  const lose = async (how: () => Promise<unknown>, then = "another has taken its place", what = "GPU") => {
    await how();
    await expect.poll(() => messages.textContent()).toMatch(new RegExp(`The ${what} was lost.*: ${then}\\.`));
    const line = messages.getByRole("status").filter({ hasText: `The ${what} was lost` });
    await line.getByRole("button", { name: "Close" }).click();
  };
  await it.drop("tiny.zip", tumZip(4));
  await it.picture(60);
  await it.type("Focus", 1.37);

  const moves = async () => {
    const seen = new Set<string | null>();
    await expect.poll(async () => seen.add(await time.textContent()).size).toBeGreaterThan(2);
  };
  await lose(() => killGpuProcess(page));
  await moves();
  await it.picture(60);

  await page.locator("#transport .play").click();
  await lose(destroy);
  await it.picture(60);
  expect(await it.focus()).toBeCloseTo(1.37);
  // One for each loss, and perhaps one more from the GPU process that was about to end.
  expect(await page.evaluate("devices.length")).toBeGreaterThanOrEqual(3);

  await page.evaluate("noDevices = true");
  await lose(destroy, "the CPU goes on in its place");
  expect(await page.locator("#masthead .facts").textContent()).toMatch(/ · CPU$/);
  await it.picture(60);
  await page.locator("#transport .play").click();
  await moves();
  // A browser does not tell the page that a worker was ended.
  await lose(() => page.evaluate("workers.at(-1).terminate()"), undefined, "stages' worker");
  await moves();
  await it.picture(60);
  expect(await it.focus()).toBeCloseTo(1.37);
});
