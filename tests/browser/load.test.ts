import { expect, test } from "vitest";
import { useApp } from "./app.ts";
import { COMPILED } from "./appPage.ts";

// What the page loads until its first picture, uncompressed: HTML, scripts, workers, styles, fonts and WebAssembly. What the service worker
// stores afterwards, for use without a network, does not count.

const app = useApp();
const MOST_BYTES = 1_200_000;
/** The worker that compares both sides of the first picture starts with it, and may be loaded when the page says so. */
const COMPARING = /\/compareWorker-/;

test.each(["backend=cpu", app.adapter])("with %s", async (backend) => {
  const loaded: Promise<[string, number]>[] = [];
  const sizeOf = async (url: string, body: Promise<Buffer>): Promise<[string, number]> => [
    new URL(url).pathname,
    (await body).length,
  ];
  const it = await app.open(`${backend}&source=desk`, async (page) => {
    page.on("response", (response) => loaded.push(sizeOf(response.url(), response.body())));
  });
  await it.page.getByRole("heading", { level: 1, name: "Synthetic desk" }).waitFor(COMPILED);
  // Workers that run the same script load it once.
  const sizes = [...new Map(await Promise.all(loaded))].filter(([path]) => !COMPARING.test(path));
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`${backend}: ${total} bytes in ${sizes.length} files`);
  expect(sizes.map(([path]) => path).join()).toMatch(/\.html|^\/.*index-.*\.js.*orker-.*\.js/);
  expect(total).toBeLessThan(MOST_BYTES);
});
