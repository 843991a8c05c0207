import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { shownAddress } from "../core/address.ts";
import { plain } from "../core/check.ts";
import { SeveralTopicsError } from "../core/severalTopics.ts";
import { type Source, SourceError } from "../core/source.ts";
import { Interrupted, RequestError } from "../run/report/failure.ts";
import { type Interrupt, onInterrupt } from "../run/report/interrupt.ts";
import { isLivePlace, openPlace } from "../run/report/place.ts";
import { notes, Progress } from "../run/report/terminal.ts";
import { isResults } from "../run/serve/table.ts";
import type { ViewServer } from "../run/serve/view.ts";
import { registeredFormats } from "../sources/recorded/registered.ts";
import { wholeFrom } from "./arguments.ts";
import {
  addLive,
  addOpening,
  checkPlace,
  type LiveFlags,
  liveOf,
  type OpenFlags,
  openingOf,
  openUntil,
  PAIR,
} from "./opening.ts";

interface ViewFlags extends OpenFlags, LiveFlags {
  readonly port?: number;
  readonly open: boolean;
  readonly align?: string;
  readonly pair?: true;
}

const NOTES = `
WHAT is a camera (camera:realsense, camera:freenect, camera:openni, camera:v4l2), a recording, a live stream (ws://…), or - for raw frames on
standard input; without it the viewer shows its synthetic scene. The viewer and the stream come from one server on 127.0.0.1, which answers no page
of another origin. BESIDE, of the same kinds, is shown beside WHAT, at the same time and from the same view. With --align all are shown as one cloud in one space. The results of "depthloom batch" are shown as their quality table, whose rows open the recordings. A recording of up to 256 MiB is opened by the page itself, so that it can be searched; others are streamed.
Several pages may look at once. Ctrl-C ends all.`;

/** The page opens a recording of up to this many bytes, in up to this many files. */
const FETCHED = 256 * 2 ** 20;
const FILES = 20_000;
/** The port that is tried first. Browsers keep a page's settings by its port. */
const PORT = 8760;

export function addView(program: Command): void {
  const command = program
    .command("view [what] [beside...]")
    .description("show a camera, a recording or a live stream, or two side by side, in the viewer, in the browser")
    .option("--port <n>", `the port (default: ${PORT}, or a free one where that is taken)`, wholeFrom(0))
    .option("--align <file>", "what “depthloom align --json” printed of the same cameras: show all in one space")
    .option("--pair", PAIR)
    .option("--no-open", "print the address, and open no browser");
  addLive(addOpening(command)).addHelpText("after", notes(NOTES)).action(runView);
}

async function runView(what: string | undefined, beside: readonly string[], flags: ViewFlags): Promise<void> {
  const { port, open } = flags;
  if (port !== undefined && port > 65535) throw new RequestError("--port: it must be from 0 to 65535");
  const all = what === undefined ? [] : [what, ...beside];
  const places = flags.align === undefined ? undefined : placesIn(flags.align, all.map(shownAddress));
  if (!places && all.length > 2)
    throw new RequestError("two are shown side by side; several in one space need --align");
  const { builtViewer } = await import("../run/serve/page.ts");
  const { ViewServer } = await import("../run/serve/view.ts");
  const files = builtViewer();
  if (!files) throw new SourceError("the viewer is not built; npm run build builds it");
  const progress = new Progress();
  const interrupt = onInterrupt();
  const warn = (line: string) => progress.log(`warning: ${plain(line)}`);
  const shown: (Source | string)[] = [];
  let server: ViewServer | undefined;
  try {
    for (const place of all) shown.push(await openShown(interrupt, place, flags));
    if (shown.length > 1 && shown.some((one) => typeof one === "string" && isResults(one)))
      throw new RequestError("the results of a batch are shown alone");
    server = new ViewServer(files, shown, warn, places);
    interrupt.signal.addEventListener("abort", () => void server?.close());
    const address = await listen(server, port);
    const names = shown.map((one) => (typeof one === "object" ? one.name : one));
    const name = plain(names.join(" beside ") || "the viewer");
    progress.log(`${name} is on ${address} (Ctrl-C ends it)`);
    if (open && !(await openBrowserAt(address))) progress.log("no browser could be opened: open the address yourself");
    const failed = await server.ended;
    if (interrupt.signal.aborted) throw new Interrupted("the viewer is closed");
    if (failed !== undefined) throw failed;
  } finally {
    await server?.close();
    for (const one of shown) if (typeof one === "object") await one.close();
    await interrupt.release();
  }
}

/** The places of the cameras of these names in a file that `align --json` has written, in their order. */
function placesIn(path: string, names: readonly string[]): readonly (readonly number[])[] {
  const refuse = (why: string) => new RequestError(`${path}: ${why}`);
  let cameras: readonly { recording?: unknown; toFirst?: unknown; why?: string }[] | undefined;
  try {
    ({ cameras } = JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw refuse(`this cannot be read as JSON (${error instanceof Error ? error.message : error})`);
  }
  if (!Array.isArray(cameras)) throw refuse("this is not what “depthloom align --json” prints");
  if (cameras.length !== names.length)
    throw refuse(`it has ${cameras.length} cameras, and ${names.length} are to be shown`);
  // A rig is aligned once and looked at later, by recordings of other names; the same names in another order are other cameras.
  const asked = names.map((name) => basename(name));
  const told = cameras.map(({ recording }) => basename(String(recording)));
  if (new Set(told).size === told.length && asked.every((name) => told.includes(name)) && `${asked}` !== `${told}`)
    throw refuse(`it tells the places of ${told.join(", ")}: name these in this order, not ${asked.join(", ")}`);
  return cameras.map(({ toFirst, why }, k) => {
    if (Array.isArray(toFirst) && toFirst.length === 12 && toFirst.every(Number.isFinite)) return toFirst;
    throw refuse(`camera ${k + 1} has no place${why ? `: ${plain(String(why))}` : ""}`);
  });
}

/** Opens what is shown; a recording that the page opens itself is a path. */
async function openShown(interrupt: Interrupt, what: string, flags: ViewFlags): Promise<Source | string> {
  const opening = { ...openingOf(flags), ...liveOf(what, flags) };
  checkPlace(what, opening);
  if (isLivePlace(what)) return openPlace(what, { ...opening, pair: flags.pair });
  const file = statSync(what, { throwIfNoEntry: false });
  // The page would not know the options about a recording.
  const plainly = registeredFormats.length === 0 && Object.values(opening).every((value) => value === undefined);
  if (file?.isFile() && file.size <= FETCHED && plainly) return what;
  if (file?.isDirectory() && isResults(what)) return what;
  const isOfPage = file?.isDirectory() && plainly && isSmall(what);
  try {
    const source = await openUntil(interrupt, what, { ...opening, pair: true });
    if (!isOfPage) return source;
    // The page reads the folder itself. The reason why a folder is refused has been printed by now.
    await source.close();
  } catch (error) {
    // In the page the user chooses the topic.
    if (!isOfPage || !(error instanceof SeveralTopicsError)) throw error;
  }
  return what;
}

/** Whether a folder is small enough for the page to fetch it. A link to elsewhere is not served, so a folder with one is streamed. */
function isSmall(folder: string): boolean {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  if (entries.length > FILES || entries.some((entry) => entry.isSymbolicLink())) return false;
  const sizes = entries.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  return sizes.reduce((sum, size) => sum + size, 0) <= FETCHED;
}

async function listen(server: ViewServer, port: number | undefined): Promise<string> {
  try {
    return await server.open(port ?? PORT);
  } catch (error) {
    if (port !== undefined || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") {
      throw Object.assign(error as Error, { path: `127.0.0.1:${port ?? PORT}` });
    }
    return server.open(0);
  }
}

async function openBrowserAt(address: string): Promise<boolean> {
  const { openBrowser } = await import("../run/serve/browser.ts");
  return openBrowser(address);
}
