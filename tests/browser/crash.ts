import type { Page } from "playwright-core";

/** Ends the browser's GPU process, as a driver's crash does. Returns its process id. */
export async function killGpuProcess(page: Page): Promise<number> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send("SystemInfo.getProcessInfo")) ?? {};
  await session?.detach();
  const gpu = processInfo.find(({ type }) => type === "GPU");
  if (!gpu) throw new Error("the browser has no GPU process");
  process.kill(gpu.id, "SIGKILL");
  return gpu.id;
}
