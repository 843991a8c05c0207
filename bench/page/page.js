// npm run bench:page [-- options] [recording…]: what the viewer does in a browser, as a table in Markdown (docs/lab/page.md). Plain
// JavaScript, because it builds the viewer and drives a browser from outside. Cases: the synthetic desk, a slider that is dragged on it,
// scans with voxels of 5 and 10 mm, each recording as it plays, and as "depthloom serve" streams it.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runnerImport } from "vite";

const { values: options, positionals: recordings } = parseArgs({
  allowPositionals: true,
  options: {
    /** hardware, software (SwiftShader) or cpu (no WebGPU). */
    on: { type: "string", default: "hardware" },
    /** How long each case is watched, s. */
    seconds: { type: "string", default: "8" },
    size: { type: "string", default: "1440x900" },
    /** The names of the cases, with commas; all if not given. */
    only: { type: "string" },
    /** How long the 5 mm scan goes on at the end, with its memory each half minute. */
    minutes: { type: "string", default: "0" },
    /** A folder for page.json, screenshots, and with --trace Chrome's traces. */
    out: { type: "string", default: "test-output/page" },
    trace: { type: "boolean", default: false },
  },
});
const root = resolve(import.meta.dirname, "../..");
const seconds = Number(options.seconds);
const [width, height] = options.size.split("x").map(Number);
const IN_TESTS = { hardware: "hardware", software: "software", cpu: "software" };
process.env.DEPTHLOOM_TEST_ADAPTER = IN_TESTS[options.on];
const QUERY = { hardware: "adapter=hardware", software: "adapter=software", cpu: "backend=cpu" };
const TRACED = ["gpu", "viz", "cc", "toplevel", "disabled-by-default-gpu.dawn", "disabled-by-default-gpu.service"];
const wait = (ms) => new Promise((end) => setTimeout(end, ms));
const load = async (path) => (await runnerImport(join(root, path))).module;

/** Starts a command of depthloom; resolves with the address that it says, when that is there. */
async function command(...args) {
  const child = spawn(process.execPath, [join(root, "cli/launch.js"), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const found = () => said.match(/\b(http|ws):\/\/127\S+/)?.[0];
  while (!found() && child.exitCode === null) await wait(50);
  if (!found()) throw new Error(said);
  return { address: new URL(found()), end: () => child.kill("SIGINT"), said: () => said };
}

const named = (path) => basename(path);
const CASES = [
  { name: "desk", query: { source: "desk" } },
  { name: "slider", query: { source: "desk" }, act: drag },
  { name: "scan 5 mm", query: { source: "scan" }, hash: "paneScan=true&scanVoxelMm=5", act: scan },
  { name: "scan 10 mm", query: { source: "scan" }, hash: "paneScan=true&scanVoxelMm=10", act: scan },
  ...recordings.map((path) => ({ name: named(path), path })),
  ...recordings.map((path) => ({ name: `serve ${named(path)}`, path, serve: true })),
];

async function scan(page) {
  await paneOf(page).getByRole("button", { name: "Scan", exact: true }).click();
  await wait(3000);
}

/** Drags a slider of a filter for as long as the case is watched. */
async function drag(page) {
  await page.getByText("Each filter", { exact: true }).first().click();
  await page.getByText("Smooth surfaces", { exact: true }).first().click();
  await wait(300);
  const box = await page.evaluate(() => {
    const all = [...document.querySelectorAll("input[type=range]")];
    const { x, y, width, height } = all.find((one) => one.offsetParent && one.clientWidth > 60).getBoundingClientRect();
    return { x, y: y + height / 2, width };
  });
  await page.mouse.move(box.x + box.width * 0.3, box.y);
  await page.mouse.down();
  const until = performance.now() + seconds * 1000;
  const moving = async () => {
    for (let k = 0; performance.now() < until; k++) {
      await page.mouse.move(box.x + box.width * (0.3 + 0.3 * Math.sin(k / 9)), box.y);
      await wait(25);
    }
    await page.mouse.up();
  };
  void moving();
}

/** The times between the screen's pictures, ms, for this long. */
const gapsIn = (page, ms) =>
  page.evaluate(async (ms) => {
    const gaps = [];
    const end = performance.now() + ms;
    for (let last = 0; last < end; ) {
      const now = await new Promise(requestAnimationFrame);
      if (last) gaps.push(now - last);
      last = now;
    }
    return gaps;
  }, ms);

/** What the page's latency table says, as the document that its button saves. */
const latencyOf = (page) =>
  page.evaluate(async () => {
    const table = document.querySelector(".depthloom-latency").shadowRoot;
    let saved = new Blob(["null"]);
    const [make, { click }] = [URL.createObjectURL, HTMLAnchorElement.prototype];
    URL.createObjectURL = (blob) => {
      saved = blob;
      return "";
    };
    HTMLAnchorElement.prototype.click = () => {};
    [...table.querySelectorAll("button")].find(({ textContent }) => textContent === "JSON").click();
    URL.createObjectURL = make;
    HTMLAnchorElement.prototype.click = click;
    return JSON.parse(await saved.text());
  });

const paneOf = (page) => page.getByRole("region", { name: "Scan", exact: true });
const framesOf = (page) =>
  page.evaluate(() => Number.parseInt(document.querySelector("footer.scan .count").textContent, 10));
const shownOf = async (page) => (await latencyOf(page)).frames;

async function measured(browser, { name, query = {}, hash = "", path, serve, act }) {
  const server = await command("view", ...(path && !serve ? [path] : []), "--no-open", "--port", "0");
  const served = serve ? await command("serve", path, "--port", "0", "--origin", server.address.origin) : undefined;
  const { address } = server;
  for (const [key, value] of Object.entries(query)) address.searchParams.set(key, value);
  if (served) address.searchParams.set("source", served.address.href);
  for (const pair of QUERY[options.on].split("&")) address.searchParams.set(...pair.split("="));
  address.hash = hash;
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = [];
  page.on(
    "console",
    (said) => ["error", "warning"].includes(said.type()) && complaints.push(said.text().slice(0, 200)),
  );
  page.on("pageerror", (error) => complaints.push(String(error).slice(0, 200)));
  try {
    await page.goto(address.href);
    if (served) await page.locator("#messages").getByRole("button", { name: "Connect" }).click();
    await page.waitForFunction(() => /\d\s*%\s*valid/.test(document.body.textContent), undefined, { timeout: 60_000 });
    await wait(3000);
    await act?.(page);
    const tab = await context.newCDPSession(page);
    await tab.send("Profiler.enable");
    const isScan = act === scan;
    const [shown, scanned] = [await shownOf(page), isScan ? await framesOf(page) : 0];
    if (options.trace)
      await browser.startTracing(page, { path: join(options.out, `${name}.trace.json`), categories: TRACED });
    const beganMs = performance.now();
    await tab.send("Profiler.start");
    const gaps = (await gapsIn(page, seconds * 1000)).sort((a, b) => a - b);
    const { profile } = await tab.send("Profiler.stop");
    const passed = (performance.now() - beganMs) / 1000;
    const added = isScan ? (await framesOf(page)) - scanned : undefined;
    const latency = await latencyOf(page);
    if (options.trace) await browser.stopTracing();
    // A machine without a GPU may be too busy for it.
    await page.screenshot({ path: join(options.out, `${name}.png`) }).catch(() => {});
    writeFileSync(join(options.out, `${name}.cpuprofile`), JSON.stringify(profile));
    const found = {
      name,
      latency,
      complaints,
      gaps,
      shown: (latency.frames - shown) / passed,
      added: added && added / passed,
    };
    if (isScan && options.minutes !== "0" && name.includes(" 5 ")) found.memory = await grown(browser, page, tab);
    return found;
  } finally {
    await context.close();
    server.end();
    served?.end();
  }
}

/** The memory of the page while a scan goes on: the heap of its thread, and the processes of the page and of the GPU; MiB. */
async function grown(browser, page, tab) {
  const { heapOf, residentOf } = await load("tests/browser/memory.ts");
  const session = await browser.newBrowserCDPSession();
  const sizes = [];
  for (let half = 0; half <= 2 * Number(options.minutes); half++) {
    if (half > 0) await wait(30_000);
    const sizeOf = async (kind) => Math.round(await residentOf(session, kind));
    const heap = Math.round(await heapOf(tab));
    sizes.push({
      minutes: half / 2,
      heap,
      page: await sizeOf("renderer"),
      gpu: await sizeOf("GPU"),
      frames: await framesOf(page),
    });
    console.log(JSON.stringify(sizes.at(-1)));
  }
  return sizes;
}

const ms = (value) => (value === undefined ? "" : value.toFixed(1));
const three = ({ samples, p50Ms, p95Ms, p99Ms } = {}) => (samples ? [p50Ms, p95Ms, p99Ms].map(ms).join(", ") : "");
const ROWS = {
  "frames shown a second": ({ shown }) => ms(shown),
  "frames added to the scan a second": ({ added }) => ms(added),
  "dropped since the start": ({ latency }) => `${latency.dropped}`,
  "screen refreshes a second": ({ gaps }) => ms(1000 / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length)),
  "longest between two refreshes, ms": ({ gaps }) => ms(gaps.at(-1)),
  "all stages, ms": ({ latency }) => three(latency.frame),
  "waiting for the queue, ms": ({ latency }) => three(latency.queueWait),
  "taken to done, ms": ({ latency }) => three(latency.total),
  "preparing, ms": ({ latency }) => three(latency.prepare),
  "drawing, ms": ({ latency }) => three(latency.present),
  "reading, ms": ({ latency }) => three(latency.read),
  "decoding, ms": ({ latency }) => three(latency.decode),
  "from capture to picture over the wire, ms (p50)": ({ latency }) => ms(latency.live?.totalMs),
  "console lines": ({ complaints }) => `${complaints.length}`,
};

mkdirSync(options.out, { recursive: true });
const { launchBrowser } = await load("tests/browser/chromium.ts");
const browser = await launchBrowser(options.on === "cpu" ? ["--disable-gpu-compositing"] : []);
const wanted = options.only?.split(",");
const all = [];
for (const one of CASES) {
  if (wanted && !wanted.includes(one.name)) continue;
  const found = await measured(browser, one).catch((error) => console.log(`${one.name}: ${error.stack}`));
  if (found) all.push(found);
}
const { adapter = null, clockResolutionUs } = all[0]?.latency ?? {};
console.log(
  `Chromium ${browser.version()}, ${JSON.stringify(adapter)}, clock's steps ${clockResolutionUs} µs, ${options.size}; p50, p95, p99`,
);
console.log(`\n| | ${all.map(({ name }) => name).join(" | ")} |\n|---|${"---|".repeat(all.length)}`);
for (const [name, of] of Object.entries(ROWS)) {
  const cells = all.map(of);
  if (cells.some(Boolean)) console.log(`| ${name} | ${cells.join(" | ")} |`);
}
for (const { name, complaints } of all) for (const text of complaints) console.log(`${name}: ${text}`);
writeFileSync(join(options.out, "page.json"), JSON.stringify(all));
await browser.close();
process.exit();
