import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** The policy that docs/library.md gives for pages, plus the hashes of the page's inline scripts and styles. */
function policyFor(html: string): string {
  const hashes = (tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, "gs"))]
      .map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
      .join(" ");
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${hashes("script")}`,
    `style-src 'self' ${hashes("style")}`,
    "worker-src 'self'",
  ].join("; ");
}

/** Serves the files of `folder`, pages under a strict policy. The caller closes the server. */
export async function serveStrictly(folder: string): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(async ({ url = "" }, response) => {
    const path = normalize(new URL(url, "http://host").pathname);
    const body = await readFile(join(folder, path)).catch(() => undefined);
    response.statusCode = body ? 200 : 404;
    response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
    if (path.endsWith(".html")) response.setHeader("content-security-policy", policyFor(String(body)));
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}`, server };
}
