import { expect, test } from "vitest";
import { openGpu } from "../../pipeline/device/open.ts";

test("an open software GPU delays only Dawn's setImmediate calls, until every such GPU is destroyed", async () => {
  const own = globalThis.setImmediate;
  const [one, other] = [await openGpu("software"), await openGpu("software")];
  expect(globalThis.setImmediate).not.toBe(own);
  expect(await new Promise((resolve) => setImmediate(resolve.bind(null), "bound")).then(String)).toBe("bound");
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    setImmediate((said: string) => order.push(said), "at once");
    setImmediate((said: string) => resolve(void order.push(said)), "and after it");
  });
  expect(order).toEqual(["at once", "and after it"]);
  await one?.device.queue.onSubmittedWorkDone();
  one?.destroy();
  expect(globalThis.setImmediate).not.toBe(own);
  await other?.destroy();
  expect(globalThis.setImmediate).toBe(own);
});
