import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { DepthloomView } from "../viewer/element/index.ts";
import { axeFindings } from "./browser/axe.ts";
import { sharedBrowser } from "./browser/chromium.ts";
import { packed } from "./package/install.ts";

// `npm run site`: a folder for any static host, each of whose pages keeps to a strict policy of its own.

const root = fileURLToPath(new URL("..", import.meta.url));
let out = "";
let server: PreviewServer | undefined;
let browser: Browser | undefined;
let page: Page;
const complaints: string[] = [];
const wait = { timeout: 60_000 };
/** Rules that the markup of TypeDoc's own theme breaks, with its headings, menus and footer, and without a main landmark. */
const THEME = [
  "heading-order",
  "landmark-one-main",
  "landmark-unique",
  "link-in-text-block",
  "nested-interactive",
  "region",
];

beforeAll(async () => {
  out = mkdtempSync(join(inject("builds"), "site-"));
  // Whatever else is packed, dist is built.
  await packed();
  await promisify(execFile)(process.execPath, ["docs/site/build.js", out], { cwd: root });
  server = await preview({
    root: out,
    configFile: false,
    build: { outDir: out },
    preview: { host: "127.0.0.1", port: 0 },
  });
  browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
}, 600_000);
afterAll(async () => {
  await page?.close();
  await server?.close();
});

const open = (path: string) => page.goto(new URL(path, server?.resolvedUrls?.local[0]).href);
const keep = (name: string) => page.screenshot({ path: join(root, `test-output/browser/site-${name}.png`) });
const pages = () => readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));

test("every page has a policy that allows no inline script or style by default", () => {
  expect(pages().length).toBeGreaterThan(100);
  const loose = pages().filter((name) => {
    const html = readFileSync(join(out, name), "utf8");
    const [, policy = ""] =
      /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/i.exec(html.replaceAll("&#39;", "'")) ?? [];
    return !policy.startsWith("default-src 'none'") || /'unsafe-(inline|eval)'/.test(policy);
  });
  expect(loose).toEqual([]);
});

test("every link of a guide leads to a file of the site", () => {
  const guides = pages().filter((name) => !/^(api|viewer)[\\/]/.test(name));
  expect(guides.length).toBeGreaterThan(30);
  const broken = guides.flatMap((name) =>
    [...readFileSync(join(out, name), "utf8").matchAll(/(?:href|src)="(?!https?:|#)([^"#?]+)/g)]
      .map(([, target = ""]) => resolve(out, dirname(name), decodeURIComponent(target)))
      .filter((target) => !statSync(target, { throwIfNoEntry: false })?.isFile())
      .map((target) => `${name} → ${target}`),
  );
  expect(broken).toEqual([]);
});

describe.each(["light", "dark"] as const)("in %s colours axe finds no fault", (colorScheme) => {
  test.each([
    ["front", "index.html", "Depthloom"],
    ["guide", "docs/library.html", "Use the library"],
    ["cameras", "docs/cameras.html", "What works with which camera"],
    ["stage", "docs/median.html", "Median"],
    ["search", "search.html", "Search"],
  ])("on the page %s", async (name, path, title) => {
    await page.emulateMedia({ colorScheme });
    await open(path);
    expect(await page.locator("h1").textContent()).toContain(title);
    await keep(`${name}-${colorScheme}`);
    expect(await axeFindings(page)).toEqual([]);
  });

  test("on an API page", async () => {
    await page.emulateMedia({ colorScheme });
    await open("api/functions/depthloom_pipeline.createPipeline.html");
    await page.getByRole("heading", { name: "Function createPipeline" }).waitFor();
    await keep(`api-${colorScheme}`);
    expect(await axeFindings(page, ...THEME)).toEqual([]);
  });
});

test("the first page plays a recording at once, and its divider moves", async () => {
  await open("index.html");
  const view = page.locator("depthloom-view");
  await expect
    .poll(() => view.evaluate((it: DepthloomView) => it.pipeline?.statistics.frames), wait)
    .toBeGreaterThan(2);
  await page.locator("#compare").fill("0.25");
  expect(await view.getAttribute("compare")).toBe("0.25");
});

test("links on the first page open the samples in the viewer", async () => {
  await open("index.html");
  const links = await page
    .locator("main a[href*='samples/']")
    .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  expect(links).toHaveLength(3);
  for (const link of links) {
    await open(link ?? "");
    const name = link?.split("/").pop() ?? "";
    await expect.poll(() => page.locator("#masthead").textContent(), wait).toContain(name);
  }
});

test("a stage's page shows its work, and its parameters with their units", async () => {
  await open("docs/bilateralGrid.html");
  await page.waitForFunction(() => (document.querySelector("main img") as HTMLImageElement).naturalWidth === 640);
  const row = page.locator("tr", { has: page.locator("td:first-child", { hasText: "sigmaDepthMm" }) });
  expect(await row.locator("td").allTextContents()).toEqual([
    ...[
      "sigmaDepthMm",
      "mm",
      "3",
      "a number from 1 to 1000",
      "depth differences smaller than this are smoothed away, mm",
    ],
  ]);
});

test("the search finds parts of guides, also by words typed before their index has come", async () => {
  let send = () => {};
  await page.route("**/search.json", (route) => {
    send = () => void route.continue();
  });
  await open("search.html");
  await page.locator("#words").fill("median window");
  send();
  await page.locator("#results a", { hasText: "Median" }).first().click();
  expect(await page.locator("h1").textContent()).toContain("Median");
});

test("the API pages have all that a page imports", () => {
  const names = readdirSync(join(out, "api/modules"));
  expect(names).toEqual(expect.arrayContaining(["depthloom.html", "depthloom_element.html", "depthloom_three.html"]));
});

test("the API's search finds an export", async () => {
  await open("api/index.html");
  await page.locator("#tsd-search-trigger").click();
  await page.locator("#tsd-search-input").fill("playOf");
  await page.locator("#tsd-search-results a").first().waitFor();
  expect(await page.locator("#tsd-search-results").textContent()).toContain("playOf");
});

test("the viewer opens, and no page has asked for a resource that its policy refuses", async () => {
  await open("index.html");
  await page.getByRole("link", { name: "Viewer", exact: true }).click();
  await page.locator("#panel").waitFor();
  expect(complaints).toEqual([]);
});
