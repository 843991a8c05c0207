import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { basename, extname, join, relative, sep } from "node:path";
import { pipeline, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { SourceError } from "../../core/source.ts";
import { isHidden } from "../../sources/files/files.ts";
import { zipOf } from "../convert/pack.ts";
import { NO_PAGE } from "../report/policy.ts";
import { isOwnName } from "./access.ts";
import { ISOLATED } from "./isolated.ts";

/** Where the built viewer is: beside the command line's script, or beside the folder of its chunks. */
const PLACES = ["./app/", "../app/"].map((place) => fileURLToPath(new URL(place, import.meta.url)));
/** The folder of the library's files for pages, as seen from the viewer's. In an installed package files that both need lie only there. */
const LIBRARY = "../browser/chunks";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** The path below which a recording of the disk is served. */
const RECORDING = "/recording/";

/** The files of the built viewer, by the paths of their addresses; `undefined` where it is not built. */
export function builtViewer(places: readonly string[] = PLACES): ReadonlyMap<string, Buffer> | undefined {
  const folder = places.find((place) => statSync(join(place, "index.html"), { throwIfNoEntry: false }));
  if (folder === undefined) return undefined;
  const library = join(folder, LIBRARY);
  const files = new Map([
    ...(existsSync(library) ? readdirSync(library) : []).map(
      (name) => [`/assets/${name}`, readFileSync(join(library, name))] as const,
    ),
    ...filesIn(folder).map((name) => [`/${name}`, readFileSync(join(folder, name))] as const),
  ]);
  const index = files.get("/index.html");
  return index && files.set("/", index);
}

/** A file or a folder of the disk. The bytes of a folder are those of a .zip with its files. */
export interface OnDisk {
  readonly path: string;
  /** Asked before the first byte is sent: says why this may not be served, `undefined` if it may. */
  refusal?(): Promise<string | undefined>;
}

/** A page that is made, and its content security policy. */
interface MadePage {
  readonly bytes: Buffer;
  readonly policy: string;
}

/** Additions that are served beside the viewer: files and folders of the disk, and pages, each by the path of its address. */
export interface Extras {
  readonly disk: ReadonlyMap<string, OnDisk>;
  readonly pages?: ReadonlyMap<string, MadePage>;
}

/** The address, on the viewer's own server, of a recording of the disk; `place` tells recordings of one name apart. */
export const recordingPath = (path: string, place = ""): string =>
  `${RECORDING}${place}${encodeURIComponent(basename(path))}`;

/**
 * Answers requests for the viewer's page and for the extras. Nothing else can be asked for, and only by a name of this machine: another
 * name that leads here would be a web page's (DNS rebinding).
 */
export function pageListener(files: ReadonlyMap<string, Buffer>, extras?: Extras): RequestListener {
  return (request, response) => {
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    if (!isOwnName(request.headers.host))
      return refuse(response, 421, "this server answers by 127.0.0.1 and localhost alone");
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "only GET and HEAD");
    const onDisk = extras?.disk.get(path);
    if (onDisk !== undefined) {
      sendDisk(request, response, onDisk).catch(() => response.destroy());
      return;
    }
    const made = extras?.pages?.get(path);
    const file = made?.bytes ?? files.get(path);
    if (!file) return refuse(response, 404, "there is nothing of this name");
    // The viewer's own page has its policy in its head (config/page.ts), and its workers have that of the page.
    const policy = made && `${made.policy}; frame-ancestors 'none'`;
    head(response, 200, { type: TYPES[extname(path === "/" ? "/index.html" : path)], length: file.length, policy });
    response.end(request.method === "HEAD" ? undefined : file);
  };
}

async function sendDisk(request: IncomingMessage, response: ServerResponse, onDisk: OnDisk): Promise<void> {
  const { path } = onDisk;
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there) return refuse(response, 404, "this recording has gone from the disk");
  const refusal = await onDisk.refusal?.();
  if (refusal !== undefined) return refuse(response, 403, refusal);
  let pieces: AsyncIterable<Uint8Array> | undefined;
  try {
    if (!there.isFile()) pieces = await zipOf(path, filesIn(path));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return refuse(response, 413, "the folder is too much for a .zip: open the folder itself");
  }
  // Only pictures from the disk get a type, so that no browser shows a stranger's file as a page.
  const type = extname(path) === ".png" ? TYPES[".png"] : undefined;
  // Each ends with the other, also where the client has left already. The page sees from an answer that ends early that reading failed.
  if (pieces) {
    head(response, 200, { type });
    if (request.method === "HEAD") response.end();
    else pipeline(Readable.from(pieces), response, () => {});
    return;
  }
  // A file that is still written may grow or shrink while it is sent.
  const file = await open(path);
  const { size } = await file.stat();
  head(response, 200, { type, length: size });
  if (request.method === "HEAD" || size === 0) {
    response.end();
    await file.close();
    return;
  }
  const bytes = file.createReadStream({ end: size - 1 });
  bytes.on("end", () => bytes.bytesRead < size && response.destroy());
  pipeline(bytes, response, () => {});
}

/** Whether something in a folder is a link, which is never followed: what it leads to may lie outside. */
export const hasLinks = (folder: string): boolean =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => entry.isSymbolicLink());

/** The files in a folder and in the folders below it, without hidden ones: their paths relative to it, with "/" between folders. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((name) => !name.split("/").some(isHidden));

interface Head {
  readonly type?: string | undefined;
  readonly length?: number | undefined;
  /** The content security policy; `undefined` for the viewer's own files. */
  readonly policy?: string | undefined;
}

function head(response: ServerResponse, status: number, options: Head): void {
  const { type = "application/octet-stream", length, policy } = { policy: NO_PAGE, ...options };
  response.writeHead(status, {
    "content-type": type,
    ...(length !== undefined && { "content-length": length }),
    ...(policy !== undefined && { "content-security-policy": policy }),
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    // Pages of other origins may neither read nor frame anything.
    "cross-origin-resource-policy": "same-origin",
    ...ISOLATED,
    "x-frame-options": "SAMEORIGIN",
  });
}

function refuse(response: ServerResponse, status: number, why: string): void {
  // The viewer's page shows the status line.
  response.statusMessage = why;
  head(response, status, { type: "text/plain; charset=utf-8" });
  response.end(`${why}\n`);
}
