import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { axeFindings } from "./browser/axe.ts";
import { builtOnce } from "./browser/build.ts";
import { sharedBrowser } from "./browser/chromium.ts";

// `npm run site`: a folder for any static host, each of whose pages keeps to a strict policy of its own.

const root = fileURLToPath(new URL("..", import.meta.url));
let out = "";
let server: PreviewServer | undefined;
let browser: Browser | undefined;
let page: Page;
const complaints: string[] = [];
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
  await promisify(execFile)(process.execPath, ["docs/site/build.js", out, await builtOnce()], { cwd: root });
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
});
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
    [...readFileSync(join(out, name), "utf8").matchAll(/(?:href|src)="(?!https?:|#)([^"#]+)/g)]
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
