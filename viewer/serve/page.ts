import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { basename, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the built viewer is: beside the command line's script, or beside the folder of its chunks. */
const PLACES = ["./app/", "../app/"].map((place) => fileURLToPath(new URL(place, import.meta.url)));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/** The path below which a recording of the disk is served. */
const RECORDING = "/recording/";

/** The files of the built viewer, by the paths of their addresses; `undefined` where it is not built. */
export function builtViewer(places: readonly string[] = PLACES): ReadonlyMap<string, Buffer> | undefined {
  const folder = places.find((place) => statSync(join(place, "index.html"), { throwIfNoEntry: false }));
  if (folder === undefined) return undefined;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).split(sep).join("/"));
  const files = new Map(names.map((name) => [`/${name}`, readFileSync(join(folder, name))]));
  const index = files.get("/index.html");
  return index && files.set("/", index);
}

/** The address, on the viewer's own server, of a recording of the disk. */
export const recordingPath = (path: string): string => `${RECORDING}${encodeURIComponent(basename(path))}`;

/**
 * Answers requests for the viewer's page, and for one recording of the disk if there is one. Only the files that the viewer consists of can
 * be asked for, and only by a name of this machine: another name that leads here would be a web page's (DNS rebinding).
 */
export function pageListener(files: ReadonlyMap<string, Buffer>, recording?: string): RequestListener {
  const own = recording === undefined ? undefined : recordingPath(recording);
  return (request, response) => {
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    if (!isOwnName(request.headers.host))
      return refuse(response, 421, "this server answers by 127.0.0.1 and localhost alone");
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "only GET and HEAD");
    if (recording !== undefined && path === own) return sendFile(request, response, recording);
    const file = files.get(path);
    if (!file) return refuse(response, 404, "there is nothing of this name");
    head(response, 200, TYPES[extname(path === "/" ? "/index.html" : path)], file.length);
    response.end(request.method === "HEAD" ? undefined : file);
  };
}

const isOwnName = (host: string | undefined): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? "");

function sendFile(request: IncomingMessage, response: ServerResponse, path: string): void {
  const { size } = statSync(path);
  head(response, 200, undefined, size);
  if (request.method === "HEAD") response.end();
  else
    createReadStream(path)
      .on("error", () => response.destroy())
      .pipe(response);
}

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
  head(response, status, "text/plain; charset=utf-8");
  response.end(`${why}\n`);
}
