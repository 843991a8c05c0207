// npm run looks [-- options]: pictures of the whole window to look at: each pane, menu and way to look, at four widths in both themes, on
// the CPU, whose pictures are whole. index.html shows them all; the texts of the window go to words.txt with --words.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, preview, runnerImport } from "vite";

const { values: options } = parseArgs({
  options: {
    /** Parts of the pictures' names, with commas; all if not given. */
    only: { type: "string", default: "" },
    sizes: { type: "string", default: "1440x900,1280x800,1024x768,390x844" },
    themes: { type: "string", default: "dark,light" },
    words: { type: "boolean", default: false },
    out: { type: "string", default: "test-output/looks" },
  },
});
const root = resolve(import.meta.dirname, "../..");
const wait = (ms) => new Promise((end) => setTimeout(end, ms));
const PANES = ["Depth", "Color", "Infrared", "Scan", "Region", "Box", "Frame", "Check", "Numbers"];
const SEEN = "regions=Box:240,250,80,60;Wall:420,40,60,60&boxes=330,150&planes=450,60&plotU=298&plotV=249";
const NUMBERS = "numbers=stages;pixel;valid, filtered";
const opened = (panes) => [...panes.map((pane) => `pane${pane}=true`), SEEN, NUMBERS].join("&");

const menu = (name) => async (page) => {
  await page.locator("#masthead summary").getByText(name, { exact: true }).click();
};
const playing = (page) => page.locator("#transport .play").click();
const scanned = async (page) => {
  const press = (name) => page.locator("footer.scan").getByRole("button", { name, exact: true }).click();
  await press("Scan");
  await playing(page);
  await wait(6000);
  await press("Stop");
  await playing(page);
};
/** A photo has its full resolution some time after the page stopped playing. */
const finished = async (page) => {
  await page.getByRole("button", { name: "Photo" }).click();
  await playing(page);
};
const dropped = (page) =>
  page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array([1, 2, 3])], "notes.txt"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
  });

/** What is photographed: the address behind the page's own, what is done first, and how long the page is left alone, s. */
const LOOKS = [
  { name: "first", wait: 6 },
  ...["Open", "Measure", "Scan", "Panes", "Save"].map((name) => ({
    name: `menu ${name}`,
    act: menu(name),
    keep: true,
  })),
  { name: "message", act: dropped, keep: true },
  { name: "help", act: (page) => page.keyboard.press("?"), keep: true },
  { name: "views", act: (page) => page.locator("#views summary").click(), keep: true },
  { name: "camera", hash: "color=camera", wait: 8 },
  { name: "difference", hash: "color=difference" },
  { name: "points", hash: "view=points&color=depth&floor=true", act: (page) => page.keyboard.press("3") },
  ...PANES.map((pane) => ({ name: `pane ${pane}`, hash: opened([pane]), act: pane === "Scan" ? scanned : undefined })),
  { name: "two", hash: opened(["Depth", "Box"]) },
  { name: "three", hash: opened(["Depth", "Box", "Numbers"]) },
  { name: "four", hash: opened(["Color", "Numbers", "Check", "Scan"]) },
  { name: "inset", hash: `${opened(["Depth", "Color"])}&paneLayout=inset` },
  { name: "photo", query: "source=desk", wait: 12, act: finished },
  { name: "empty", query: "source=none" },
  { name: "latency", act: (page) => page.keyboard.press("l") },
  { name: "pair", query: "pair", wait: 12 },
];

/** Every text of the window, visible or not, with where it stands. */
const wordsOf = (page) =>
  page.evaluate(() => {
    const said = new Set();
    const read = (root) => {
      for (const one of root.querySelectorAll("*")) {
        for (const name of ["title", "aria-label", "placeholder", "data-hint"])
          if (one.getAttribute(name)) said.add(`${name}: ${one.getAttribute(name)}`);
        const own = [...one.childNodes]
          .filter((node) => node.nodeType === Node.TEXT_NODE)
          .map((node) => node.data.trim());
        if (own.join("") && !["STYLE", "SCRIPT"].includes(one.tagName)) said.add(`text: ${own.join(" … ")}`);
        if (one.shadowRoot) read(one.shadowRoot);
      }
    };
    read(document);
    return [...said];
  });

mkdirSync(options.out, { recursive: true });
const { launchBrowser } = (await runnerImport(join(root, "tests/browser/chromium.ts"))).module;
const app = {
  configFile: join(root, "vite.config.ts"),
  logLevel: "error",
  build: { outDir: resolve(options.out, "app") },
};
await build(app);
const server = await preview({ ...app, preview: { port: 0 } });
const browser = await launchBrowser(["--disable-gpu-compositing"]);
const words = new Set();
const pictures = [];
const only = options.only.split(",");
const looks = LOOKS.filter(({ name }) => only.some((part) => name.includes(part)));
for (const size of options.sizes.split(","))
  for (const theme of options.themes.split(",")) {
    const [width, height] = size.split("x").map(Number);
    const phone = width < 560;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      hasTouch: phone,
      isMobile: phone,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.setDefaultNavigationTimeout(120_000);
    const says = (text) => console.log(`${size} ${theme}: ${text.slice(0, 300)}`);
    page.on("pageerror", (error) => says(String(error)));
    for (const { name, query = "", hash = "", act, keep, wait: seconds = 2.5 } of looks) {
      const file = join(options.out, `${name}-${width}-${theme}.png`);
      try {
        const address = `${server.resolvedUrls.local[0]}?backend=cpu${query && `&${query}`}#${hash}`;
        // Another hash alone does not load the page again.
        if (!keep || page.url() === "about:blank") await page.goto(address);
        if (!keep) await wait(seconds * 1000);
        // A page that plays leaves a machine without a GPU little time for anything else.
        if (name === "first") await playing(page);
        await act?.(page);
        await wait(act && !keep ? seconds * 1000 : 600);
        await page.screenshot({ path: file });
        pictures.push(`<figure><img src="${encodeURIComponent(basename(file))}">${basename(file)}</figure>`);
        if (options.words) for (const text of await wordsOf(page)) words.add(text);
        await page.keyboard.press("Escape");
        // Back to the sensor's viewpoint, for the next picture.
        await page.keyboard.press("r");
        if (keep) await page.locator("#messages").evaluate((messages) => messages.replaceChildren());
      } catch (error) {
        says(`${name}: ${error.message}`);
      }
    }
    await context.close();
  }
const style = "<style>body{columns:3;font:13px sans-serif}img{width:100%}figure{margin:0 0 8px}</style>";
writeFileSync(join(options.out, "index.html"), style + pictures.join("\n"));
if (options.words) writeFileSync(join(options.out, "words.txt"), `${[...words].sort().join("\n")}\n`);
await browser.close();
await server.close();
process.exit();
