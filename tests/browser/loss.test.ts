import { expect, test } from "vitest";
import { POLL, useApp } from "./app.ts";
import { tumZip } from "./recordings.ts";

// A GPU that is lost, while frames play and while nothing moves: the picture comes back by itself, with what was set; where no device
// comes back, the CPU makes it.

const app = useApp();

/** Keeps every device that the page is given at hand; once `noDevices` is set it is given no more. */
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
  Object.assign(globalThis, { devices });
}

test("the picture, the focus and the settings come back, playing and paused", { timeout: 300_000 }, async () => {
  // Every device compiles its kernels anew; those of what is off would take a software GPU longest.
  const query = `${app.adapter}&source=none#off=bilateralGrid,temporal`;
  const it = await app.open(query, (page) => page.addInitScript(keepDevices));
  const { page } = it;
  const messages = page.locator("#messages");
  const time = page.locator("#transport .time");
  const destroy = () => page.evaluate("devices.at(-1).destroy()");
  /** Ends the browser's GPU process, as a crash of a driver does. */
  const kill = async () => {
    const session = await page.context().browser()?.newBrowserCDPSession();
    const { processInfo = [] } = (await session?.send("SystemInfo.getProcessInfo")) ?? {};
    const gpu = processInfo.find(({ type }) => type === "GPU");
    if (!gpu) throw new Error("the browser has no GPU process");
    process.kill(gpu.id, "SIGKILL");
  };
  const lose = async (how: () => Promise<unknown>, then = "another has taken its place") => {
    await how();
    await expect.poll(() => messages.textContent(), POLL).toMatch(new RegExp(`The GPU was lost.*: ${then}\\.`));
    const line = messages.getByRole("status").filter({ hasText: "The GPU was lost" });
    await line.getByRole("button", { name: "Close" }).click();
  };
  await it.drop("tiny.zip", tumZip(4));
  await it.picture(60);
  await it.type("Focus", 1.37);

  await lose(kill);
  const seen = new Set<string | null>();
  await expect.poll(async () => seen.add(await time.textContent()).size, POLL).toBeGreaterThan(2);
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
  const later = new Set<string | null>();
  await expect.poll(async () => later.add(await time.textContent()).size, POLL).toBeGreaterThan(2);
  expect(await it.focus()).toBeCloseTo(1.37);
  // The browser’s own words for the process that was killed, and Three.js on a device that is gone already.
  await it.close(/external Instance reference|createBuffer failed/);
});
