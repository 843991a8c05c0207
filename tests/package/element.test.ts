import { cpSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DepthloomView } from "../../viewer/element/index.ts";
import { axeFindings } from "../browser/axe.ts";
import { sharedBrowser } from "../browser/chromium.ts";
import { tumZip } from "../browser/recordings.ts";
import { useFolder } from "../sources/fixtures.ts";
import { install, packed } from "./install.ts";
import { serveStrictly } from "./strictServer.ts";

// <depthloom-view> as a page has it from a CDN: one script tag, the file and the recording on another server, a strict policy.

const root = fileURLToPath(new URL("../..", import.meta.url));
const disk = useFolder();
const zip = tumZip(6);
const complaints: string[] = [];
const ranges: string[] = [];
const servers: Server[] = [];
let [cdn, own] = ["", ""];
let page: Page;

async function serve(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle as Parameters<typeof createServer>[0]).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const dist = join(install(await packed(), disk.root), "dist/browser");
  cdn = await serve(({ url = "", headers }, response) => {
    response.setHeader("access-control-allow-origin", "*");
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (url === "/none.mcap") response.writeHead(404).end();
    else if (url.startsWith("/dist/")) {
      response.setHeader("content-type", extname(url) === ".js" ? "text/javascript" : "text/plain");
      response.end(readFileSync(join(dist, url.slice("/dist/".length))));
    } else if (url === "/ranges.zip" && from !== undefined) {
      const end = Math.min(Number(to), zip.length - 1);
      ranges.push(`${from}-${end}`);
      response.setHeader("access-control-expose-headers", "content-range");
      response.writeHead(206, { "content-range": `bytes ${from}-${end}/${zip.length}` });
      response.end(zip.subarray(Number(from), end + 1));
    } else response.end(zip);
  });
  own = await serve((_, response) => {
    const policy = `default-src 'none'; script-src ${cdn} blob: 'wasm-unsafe-eval'; worker-src blob: ${cdn}; connect-src ${cdn}`;
    response.setHeader("content-security-policy", policy);
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><html lang="en"><title>Depth</title><script type="module" src="${cdn}/dist/element.js"></script><main><h1>Depth</h1></main>`,
    );
  });
  const browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 240, height: 200 } });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(own);
}, 600_000);
afterAll(async () => {
  await page?.close();
  for (const server of servers) server.close();
});

/** Puts an element with these attributes into the page, and notes its events. */
const put = (attributes: Record<string, string>) =>
  page.evaluate((given) => {
    document.querySelector("depthloom-view")?.remove();
    const view = document.createElement("depthloom-view");
    for (const [name, value] of Object.entries(given)) view.setAttribute(name, value);
    view.dataset.heard = "";
    for (const kind of ["open", "frame", "error"])
      view.addEventListener(kind, ({ detail }: CustomEventInit) => {
        view.dataset.heard += `${kind} ${detail?.message ?? detail?.name ?? ""}\n`;
      });
    document.querySelector("main")?.append(view);
  }, attributes);
const heard = () => page.locator("depthloom-view").evaluate((view: HTMLElement) => view.dataset.heard ?? "");
const frames = async () => (await heard()).split("frame").length - 1;
const wait = { timeout: 60_000 };

/** The share of the canvas that is not black, and a number that differs between pictures. */
const look = async () => {
  const png = await page.locator("depthloom-view canvas").screenshot();
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const { data = [] } = context?.getImageData(0, 0, image.width, image.height) ?? {};
    let [lit, sum] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const [r = 0, g = 0, b = 0] = data.slice(i, i + 3);
      if (r + g + b > 60) lit++;
      sum = (sum * 31 + r + 2 * g + 3 * b) % 1_000_003;
    }
    return { lit: lit / (data.length / 4), sum };
  }, png.toString("base64"));
};

describe.each([
  ["cpu", { backend: "cpu" }],
  ["webgpu", { backend: "webgpu", adapter: "software" }],
])("on %s", (backend, options) => {
  test("plays a recording of another server by its ranges, in colour, and frees all when it is taken out", async () => {
    ranges.splice(0);
    await put({ src: `${cdn}/ranges.zip`, ...options });
    await expect.poll(frames, wait).toBeGreaterThan(1);
    expect(await heard()).toMatch(/^open ranges\.zip\n(frame \n)+$/);
    expect(ranges.length).toBeGreaterThan(1);
    expect(await page.locator("depthloom-view").evaluate((view: DepthloomView) => view.pipeline?.backend)).toBe(
      backend,
    );
    await page.locator("depthloom-view").evaluate((view: DepthloomView) => view.pause());
    const camera = await look();
    expect(camera.lit).toBeGreaterThan(0.6);
    expect(await axeFindings(page)).toEqual([]);
    await page.screenshot({ path: join(root, `test-output/browser/element-${backend}.png`) });

    // Another colour, and a turn by a key, are pictures of the same frame.
    const before = await frames();
    await page.locator("depthloom-view").evaluate((view) => view.setAttribute("color", "distance"));
    await expect.poll(frames, wait).toBeGreaterThan(before);
    const distance = await look();
    expect(distance.sum).not.toBe(camera.sum);
    await page.locator("depthloom-view canvas").press("ArrowRight");
    await expect.poll(async () => (await look()).sum, wait).not.toBe(distance.sum);

    const left = await page.locator("depthloom-view").evaluate(async (view: DepthloomView) => {
      view.remove();
      await view.freed;
      return [view.pipeline, view.shadowRoot?.querySelector("canvas")];
    });
    expect(left).toEqual([undefined, null]);
    await expect.poll(() => page.workers().length, wait).toBe(0);
  });
});

test("plays a recording of a server without ranges", async () => {
  await put({ src: `${cdn}/whole.zip`, backend: "cpu" });
  await expect.poll(frames, wait).toBeGreaterThan(1);
});

test("says why it shows nothing, shows its picture meanwhile, and then the next source", async () => {
  await put({ src: `${cdn}/none.mcap` });
  await page.locator("depthloom-view").evaluate((view) => view.append(new Image()));
  await expect.poll(heard, wait).toMatch(/^error .*none\.mcap: the server says 404 Not Found/);
  expect(await page.locator("depthloom-view [role=status]").textContent()).toContain("404");
  complaints.splice(0, complaints.length, ...complaints.filter((line) => !line.includes("404")));
  const poster = page.locator("depthloom-view img");
  expect(await poster.evaluate((image) => image.clientWidth)).toBeGreaterThan(100);
  await page.locator("depthloom-view").evaluate((view: DepthloomView) => {
    view.src = "synthetic";
  });
  await expect.poll(frames, wait).toBeGreaterThan(1);
  expect(await poster.evaluate((image) => image.clientWidth)).toBe(0);
});

test("requests nothing that the page's policy refuses", () => expect(complaints).toEqual([]));

test("docs/examples/element.html runs as its page says", async () => {
  cpSync(join(root, "docs/examples/element.html"), join(disk.root, "element.html"));
  const { url, server } = await serveStrictly(disk.root);
  servers.push(server);
  await page.goto(`${url}/element.html`);
  await expect.poll(() => page.locator("#count").textContent(), wait).toMatch(/^[2-9] frames/);
  await page.setInputFiles("#file", { name: "tiny.zip", mimeType: "application/zip", buffer: Buffer.from(zip) });
  await page.waitForFunction(() => document.querySelector("depthloom-view")?.shadowRoot?.querySelector("canvas"));
  expect(await axeFindings(page)).toEqual([]);
});

describe("the notebook's widget, loaded as a text as its hosts do", () => {
  const [width, height] = [32, 24];
  /** A wall at 2 m with a pixel of noise, as Python sends it. */
  const depth = Array.from({ length: width * height }, (_, i) => (i === 400 ? 2010 : 2000));

  beforeAll(async () => {
    await page.goto(own);
    // As a text, which the tests' own loader leaves as it is.
    await page.evaluate("globalThis.load = (url) => import(url); 0");
    await page.evaluate(
      async ([url, host]) => {
        const text = await (await fetch(url)).text();
        const { default: widget } = await load(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
        const traits: Record<string, unknown> = { ...host, depth: new DataView(new ArrayBuffer(0)) };
        const heard = new EventTarget();
        const model = {
          get: (name: string) => traits[name],
          set: (name: string, value: unknown) => {
            traits[name] = value;
          },
          save_changes: () => {},
          on: (event: string, listen: () => void) => heard.addEventListener(event, listen),
          off: (event: string, listen: () => void) => heard.removeEventListener(event, listen),
        };
        const send = (values: Record<string, unknown>) => {
          Object.assign(traits, values);
          for (const name of Object.keys(values)) heard.dispatchEvent(new Event(`change:${name}`));
        };
        const el = document.querySelector("main") ?? document.body;
        Object.assign(window, { host: { traits, send, end: widget.render({ model, el }) } });
      },
      [
        `${cdn}/dist/widget.js`,
        {
          ...{ shape: [height, width], metres_per_unit: 0.001, intrinsics: [], backend: "cpu" },
          color: new Uint8Array(),
        },
      ] as const,
    );
  });

  const send = (numbers: readonly number[], more = {}) =>
    page.evaluate(
      ([values, given]) => {
        host.traits.color = new DataView(new ArrayBuffer(0));
        host.send({ ...given, depth: new DataView(Uint16Array.from(values).buffer) });
      },
      [numbers, more] as const,
    );

  test("shows the depth that the kernel sets, and hands back filtered depth in its unit", async () => {
    await send(depth);
    const filtered = () =>
      page.evaluate(() => {
        const { filtered, filtered_metres_per_unit: unit } = host.traits as {
          filtered?: DataView;
          [unit: string]: unknown;
        };
        return filtered ? [...new Uint16Array(filtered.buffer)].map((value) => value * Number(unit)) : [];
      });
    await expect.poll(async () => (await filtered()).length, wait).toBe(depth.length);
    const metres = await filtered();
    expect(metres[400]).toBeCloseTo(2, 2);
    expect(metres[0]).toBeCloseTo(2, 2);
    expect((await look()).lit).toBeGreaterThan(0.5);
  });

  test("says what is wrong with a frame, and ends with its cell", async () => {
    await send(depth.slice(1));
    const error = () => page.evaluate(() => host.traits.error);
    await expect.poll(error, wait).toBe("depth has 1534 bytes; 32 × 24 pixels of 16 bits have 1536");
    await page.evaluate(() => host.send({ intrinsics: [0, 0, 16, 12] }));
    await send(depth);
    await expect.poll(error, wait).toContain("fx");
    // The next right frame is shown, and nothing is wrong any longer.
    const filtered = () => page.evaluate(() => host.traits.filtered !== undefined);
    await page.evaluate(() => host.send({ intrinsics: [30, 30, 16, 12], filtered: undefined }));
    await send(depth);
    await expect.poll(error, wait).toBe("");
    await expect.poll(filtered, wait).toBe(true);
    await page.evaluate(() => host.end());
    await expect.poll(() => page.workers().length, wait).toBe(0);
    expect(complaints).toEqual([]);
  });
});

declare function load(url: string): Promise<{ default: { render(given: object): () => void } }>;

/** The stand-in for a notebook. */
declare const host: {
  readonly traits: Record<string, unknown>;
  send(values: Record<string, unknown>): void;
  end(): void;
};
