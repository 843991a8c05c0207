import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { basename, extname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { SourceError } from "../../sources/core/source.ts";
import { zipOf } from "../convert/pack.ts";

/** Where the built viewer is: beside the command line's script, or beside the folder of its chunks. */
const PLACES = ["./app/", "../app/"].map((place) => fileURLToPath(new URL(place, import.meta.url)));

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
  const files = new Map(filesIn(folder).map((name) => [`/${name}`, readFileSync(join(folder, name))]));
  const index = files.get("/index.html");
  return index && files.set("/", index);
}

/** What is served beside the viewer: files and folders of the disk, and pages, each by the path of its address. */
export interface Extras {
  /** Paths of files and of folders. The bytes of a folder are those of a .zip with its files. */
  readonly disk: ReadonlyMap<string, string>;
  readonly pages?: ReadonlyMap<string, Buffer>;
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
    const file = files.get(path) ?? extras?.pages?.get(path);
    if (!file) return refuse(response, 404, "there is nothing of this name");
    head(response, 200, TYPES[extname(path === "/" ? "/index.html" : path)], file.length);
    response.end(request.method === "HEAD" ? undefined : file);
  };
}

const isOwnName = (host: string | undefined): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? "");

async function sendDisk(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there) return refuse(response, 404, "this recording has gone from the disk");
  let pieces: AsyncIterable<Uint8Array> | undefined;
  try {
    if (!there.isFile()) pieces = await zipOf(path, filesIn(path));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return refuse(response, 413, "the folder is too much for a .zip: open the folder itself");
  }
  head(response, 200, TYPES[extname(path)], pieces ? undefined : there.size);
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const bytes = pieces ? Readable.from(pieces) : createReadStream(path);
  // The page sees from an answer that ends early that a file could not be read.
  bytes.on("error", () => response.destroy()).pipe(response);
}

/** The files in a folder and in the folders below it: their paths relative to it, with "/" between folders. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));

function head(response: ServerResponse, status: number, type = "application/octet-stream", length?: number): void {
  response.writeHead(status, {
    "content-type": type,
    ...(length !== undefined && { "content-length": length }),
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    // Pages of other origins may neither read nor frame anything.
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "SAMEORIGIN",
  });
}

function refuse(response: ServerResponse, status: number, why: string): void {
  // The viewer's page shows the status line.
  response.statusMessage = why;
  head(response, status, "text/plain; charset=utf-8");
  response.end(`${why}\n`);
}
