import { once } from "node:events";
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";
import { zipOf } from "../../run/convert/pack.ts";
import { pageListener } from "../../run/serve/page.ts";
import { useFolder } from "../sources/fixtures.ts";

const disk = useFolder();

/** A folder with two files; the second is a hole of `hole` bytes, which takes no place on the disk. */
function folderOf(name: string, hole: number): string {
  const folder = join(disk.root, name);
  mkdirSync(folder);
  for (const file of ["a", "b"]) writeFileSync(join(folder, file), file);
  truncateSync(join(folder, "b"), hole);
  return folder;
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

test("zipOf packs a folder's files into a .zip", async () => {
  const files = unzipSync(await bytesOf(await zipOf(folderOf("small", 3), ["a", "b"])));
  expect(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, [...bytes]]))).toEqual({
    a: [97],
    b: [98, 0, 0],
  });
});

test("the page's server refuses a folder too large for a .zip with status 413, and sends a smaller one", async () => {
  const folders = new Map([
    ["/recording/0/large.zip", { path: folderOf("served", 2 ** 32) }],
    ["/recording/1/small.zip", { path: folderOf("sent", 3) }],
  ]);
  const server = createServer(pageListener(new Map(), { disk: folders })).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const [large, small] = [...folders.keys()].map(
    (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
  );
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(large, { method });
    expect([answer.status, answer.statusText]).toEqual([
      413,
      "the folder is too much for a .zip: open the folder itself",
    ]);
    await answer.arrayBuffer();
  }
  const answer = await fetch(small);
  expect(answer.status).toBe(200);
  expect(Object.keys(unzipSync(new Uint8Array(await answer.arrayBuffer())))).toEqual(["a", "b"]);
});

test("a file that grows or shrinks while it is sent has the announced length, or is broken off", async () => {
  const files = new Map([
    ["/recording/grows.mcap", { path: disk.file("grows.mcap", Buffer.alloc(4e6, 65)) }],
    ["/recording/shrinks.mcap", { path: disk.file("shrinks.mcap", Buffer.alloc(4e6, 65)) }],
  ]);
  const server = createServer(pageListener(new Map(), { disk: files })).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const sent = async (name: string, change: (path: string) => void) => {
    const path = `/recording/${name}.mcap`;
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /recording/none HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
    );
    let text = "";
    for await (const piece of socket) {
      if (text === "") change(files.get(path)?.path ?? "");
      text += piece.toString("latin1");
    }
    const [head, body] = text.split("\r\n\r\n");
    return [/content-length: (\d+)/i.exec(head)?.[1], /^A*/.exec(body)?.[0].length, /HTTP.*404/.test(text)];
  };
  expect(await sent("grows", (path) => appendFileSync(path, Buffer.alloc(2e6, 65)))).toEqual(["4000000", 4e6, true]);
  const [told, came, goesOn] = await sent("shrinks", (path) => truncateSync(path, 10));
  expect([told, Number(came) < 4e6, goesOn]).toEqual(["4000000", true, false]);
});
