import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openGpu } from "../../pipeline/device/open.ts";
import { useFolder } from "../sources/fixtures.ts";

const disk = useFolder();

test("a software GPU opens after the cache that SwiftShader was unpacked into is gone", async () => {
  const cache = disk.folder({});
  vi.stubEnv("XDG_CACHE_HOME", cache);
  await (await openGpu("software")).destroy();
  vi.unstubAllEnvs();
  rmSync(join(cache, "depthloom"), { recursive: true });
  const gpu = await openGpu("software");
  expect(gpu.description).toContain("SwiftShader");
  await gpu.destroy();
});

test("a software GPU opens where a cleaner of caches has left a part of SwiftShader", async () => {
  const [whole, part] = [disk.folder({}), disk.folder({})];
  for (const cache of [whole, part]) {
    vi.resetModules();
    vi.stubEnv("XDG_CACHE_HOME", cache);
    const { openGpu: openAnew } = await import("../../pipeline/device/open.ts");
    await (await openAnew("software")).destroy();
    const [name] = readdirSync(join(whole, "depthloom"));
    expect(readdirSync(join(cache, "depthloom", name))).toContain("libvk_swiftshader.so");
    mkdirSync(join(part, "depthloom", name), { recursive: true });
    writeFileSync(join(part, "depthloom", name, "libEGL.so"), "");
  }
  vi.unstubAllEnvs();
});

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
