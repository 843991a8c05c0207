import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { afterAll } from "vitest";

/** The requests that a file server received, and its deliberate faults. */
export interface Storage {
  readonly address: string;
  readonly files: Map<string, Uint8Array>;
  /** The ranges that were requested. */
  readonly asked: string[];
  sent: number;
  ranges: boolean;
  /** How many requests the storage answers with 503 before it serves any. */
  busy: number;
}

/** Serves files by ranges over HTTP, with tags, as S3 does too; and lists them as S3 does (`?list-type=2`). */
export async function serveFiles(): Promise<Storage> {
  const storage = { address: "", files: new Map(), asked: [], sent: 0, ranges: true, busy: 0 } as Storage;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    const path = decodeURIComponent(url.pathname).slice(1);
    const end = (status: number, headers: Record<string, string>, body: Uint8Array | string = "") => {
      response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : body);
    };
    if (storage.busy > 0) {
      storage.busy--;
      return end(503, {});
    }
    if (url.searchParams.has("list-type"))
      return end(200, { "content-type": "application/xml" }, listing(path, url, storage));
    const file = storage.files.get(path);
    if (!file) return end(404, {});
    const etag = `"${createHash("md5").update(file).digest("hex")}"`;
    if ((request.headers["if-match"] ?? etag) !== etag) return end(412, {});
    const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (from === "" || !storage.ranges) return end(200, { etag, "content-length": String(file.length) }, file);
    const part = file.subarray(Number(from), Number(to) + 1);
    storage.asked.push(`${from}-${to}`);
    storage.sent += part.length;
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${file.length}`;
    return end(206, { etag, "content-range": range, "content-length": String(part.length) }, part);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = server.address();
  return Object.assign(storage, { address: `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}` });
}

function listing(bucket: string, url: URL, { files }: Storage): string {
  const prefix = url.searchParams.get("prefix") ?? "";
  const root = `${bucket.replace(/\/$/, "")}/`;
  const keys = [...files.keys()].filter((key) => key.startsWith(root + prefix)).map((key) => key.slice(root.length));
  const contents = keys.map(
    (key) => `<Contents><Key>${key}</Key><Size>${files.get(root + key)?.length}</Size><ETag>"x"</ETag></Contents>`,
  );
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`;
}
