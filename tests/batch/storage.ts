import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { afterAll } from "vitest";

/** The requests that a file server received, and its deliberate faults. */
export interface Storage {
  readonly address: string;
  readonly files: Map<string, Uint8Array>;
  /** The ranges that were requested. */
  readonly asked: string[];
  sent: number;
  ranges: boolean;
  /** Files in their parts, by the names of their uploads. */
  readonly uploads: Map<string, Uint8Array[]>;
  /** The writes that clients asked the storage for, and whether the storage refuses a write. */
  readonly writes: string[];
  refuses: (write: string) => boolean;
  /** How many requests the storage answers with 503 before it serves any. */
  busy: number;
}

/** The secret key of whoever may write. */
export const SECRET = "test";

/**
 * Serves files by ranges over HTTP, with tags, as S3 does. It lists them (`?list-type=2`), and takes files, whole or in parts, from whoever
 * signs them with `SECRET`.
 */
export async function serveFiles(): Promise<Storage> {
  const storage: Storage = {
    ...{ address: "", files: new Map(), asked: [], sent: 0, ranges: true, busy: 0 },
    ...{ uploads: new Map(), writes: [], refuses: () => false },
  };
  const server = createServer(async (request, response) => {
    const sent = Buffer.concat(await request.toArray());
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
    if (request.method !== "GET" && request.method !== "HEAD") {
      storage.writes.push(`${request.method} ${path}`);
      const isRefused = !isSigned(request, sent) || storage.refuses(`${request.method} ${path}`);
      return isRefused
        ? end(403, {})
        : end(200, { etag: '"x"' }, write(request.method ?? "", path, url, sent, storage));
    }
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

/** Does what a request of S3 asks for. Returns the body of the answer. */
function write(method: string, path: string, url: URL, sent: Buffer, { files, uploads }: Storage): string {
  const upload = url.searchParams.get("uploadId");
  if (url.searchParams.has("uploads")) {
    uploads.set("upload", []);
    return "<InitiateMultipartUploadResult><UploadId>upload</UploadId></InitiateMultipartUploadResult>";
  }
  const parts = uploads.get(upload ?? "");
  if (parts && method === "PUT") parts[Number(url.searchParams.get("partNumber")) - 1] = sent;
  else if (method === "PUT") files.set(path, sent);
  else if (!parts) files.delete(path);
  else {
    if (method === "POST") files.set(path, Buffer.concat(parts));
    uploads.delete(upload ?? "");
    return '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>';
  }
  return "";
}

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

/** Whether a request has the signature (AWS' version 4) that `SECRET` gives it, and the body that was signed. */
function isSigned({ method, url = "", headers }: IncomingMessage, body: Uint8Array): boolean {
  const [, scope = "", names = "", signature = ""] =
    /Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(headers.authorization ?? "") ?? [];
  const [path = "", query = ""] = url.split("?");
  const pairs = query === "" ? [] : query.split("&").map((pair) => (pair.includes("=") ? pair : `${pair}=`));
  const lines = names.split(";").map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`);
  const hash = String(headers["x-amz-content-sha256"]);
  const asked = [method, path, pairs.sort().join("&"), lines.join(""), names, hash].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(asked)].join("\n");
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  return hash === sha256(body) && hmac(key, text).toString("hex") === signature;
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
