import type { Socket } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { BINARY, deafClient, deafServer, frameOf, gone, PING, peakMiB, TEXT } from "../sources/live/hostilePeers.ts";
import { depthMessage } from "../sources/live/liveServer.ts";
import { ros2Depth } from "../sources/logs/messages.ts";
import { built, depthloom, serving, start, startForTest } from "./command.ts";

// `replay` and `serve`, a process each, end and do not grow when their peers keep to no rules.

// Building takes longer than these tests give a peer.
beforeAll(() => built());

const STAGES = ["--stages", "median", "--backend", "cpu"];
const [width, height] = [32, 24];
const lens = { fx: 30, fy: 30, cx: 15.5, cy: 11.5 };
const body = new Uint8Array(2 * width * height).fill(4);

/** Sends a numbered frame every 20 ms; calls `atTenth` at the tenth. */
function film(socket: Socket, atTenth = () => {}): void {
  let index = 0;
  const timer = setInterval(() => {
    if (index === 9) atTenth();
    socket.write(frameOf(BINARY, depthMessage({ width, height, ...lens, index: index++ }, body)));
  }, 20);
  socket.on("close", () => clearInterval(timer));
}

test("replay prints its JSON and ends though its peer never answers a Close", async () => {
  const { address } = await deafServer("depthloom.depth.v1", (socket) => film(socket));
  const { status, stdout } = await depthloom("replay", address, "--frames", "3", "--json", ...STAGES);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ format: "depth stream" });
});

test("replay ends by Ctrl-C though its peer never answers a Close", async () => {
  const { address } = await deafServer("depthloom.depth.v1", (socket) => film(socket));
  const { child, ended } = start(["replay", address, "--json", "--out", join(disk.root, "stopped"), ...STAGES]);
  const { existsSync } = await import("node:fs");
  await expect.poll(() => existsSync(join(disk.root, "stopped.partial/depth")), { timeout: 20_000 }).toBe(true);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: expect.stringMatching(/interrupted/) });
});

test("replay gives up a peer that does not come back within --wait, and reports the frames before", async () => {
  const server = await deafServer("depthloom.depth.v1", (socket) => {
    film(socket, server.stop);
  });
  const { status, stdout, stderr } = await depthloom("replay", server.address, "--wait", "0.5", "--json", ...STAGES);
  const why = `${server.address}: the connection was lost, and has not worked again for 0.5 s`;
  expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
  expect(JSON.parse(stdout)).toMatchObject({ error: why, live: { state: "closed" } });
});

const disk = useFolder();
const recording = join(disk.root, "room");
await writePngFolder(syntheticRoom({ width: 640, height: 480, frames: 3 }), recording, { truth: false });

/** `serve` in a process of its own. */
const serve = (...more: string[]) => serving(["serve", recording, "--port", "0", ...more]);

const onLinux = test.skipIf(process.platform !== "linux");

/** A depth image of the topic that is subscribed to first, in the Foxglove protocol. */
function shownFrame(): Buffer {
  const { data } = ros2Depth(0);
  const head = Buffer.alloc(13);
  head[0] = 1;
  return frameOf(BINARY, Buffer.concat([head, data]));
}

// The test sends all of the 300 MB over a socket.
onLinux("replay keeps little of 300 MB of topics that a server offers", { timeout: 120_000 }, async () => {
  const { schema: schemaName, definition } = ros2Depth(0);
  const text = Buffer.from(definition).toString();
  const depth = { id: 0, topic: "/depth/image", encoding: "cdr", schemaName, schema: text };
  const schema = "x".repeat(5000);
  const offer = (from: number) =>
    Array.from({ length: 1000 }, (_, i) => ({ ...depth, id: from + i, topic: `/${from + i}`, schema }));
  const advertise = (channels: object[]) => frameOf(TEXT, JSON.stringify({ op: "advertise", channels }));
  const { address, sockets } = await deafServer("foxglove.websocket.v1", async (socket) => {
    socket.write(advertise([depth]));
    await new Promise((resolve) => socket.once("data", resolve));
    // Frames between the topics keep replay from taking the connection for a silent one.
    for (let from = 1; from < 60_000; from += 1000) {
      socket.write(shownFrame());
      if (!socket.write(advertise(offer(from)))) await new Promise((resolve) => socket.once("drain", resolve));
    }
    socket.write(frameOf(PING, "all is said"));
  });
  const { child, ended } = startForTest(["replay", address, ...STAGES]);
  await expect.poll(() => sockets.size, { timeout: 60_000 }).toBe(1);
  const [socket] = sockets;
  if (!socket) throw new Error("nobody has connected");
  // Messages are read in order: when replay answers the ping, it has read all that was sent before the ping.
  await new Promise<void>((resolve, reject) => {
    socket.on("data", (data) => {
      if ((data[0] & 15) === 10) resolve();
    });
    socket.once("close", () => reject(new Error("replay has left before all was said")));
  });
  expect(peakMiB(child.pid)).toBeLessThan(400);
  child.kill("SIGINT");
  await ended;
});

// Clients are cut off after a time of the server's own.
onLinux("serve cuts off clients that send and never read, and does not grow", { timeout: 120_000 }, async () => {
  const { child, address, ended, said } = await serve("--rate", "4", "--max-clients", "20");
  const clients = await Promise.all(Array.from({ length: 20 }, () => deafClient(address)));
  const again = JSON.stringify({ op: "subscribe", subscriptions: [{ id: 1, channelId: 1 }] });
  const two = () => [frameOf(PING, "x".repeat(125), true), frameOf(TEXT, again, true)];
  const flood = Buffer.concat(Array.from({ length: 500 }, two).flat());
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < 60 && !client.destroyed; i++) {
        if (!client.write(flood)) await Promise.race([new Promise((done) => client.once("drain", done)), gone(client)]);
      }
    }),
  );
  // A socket notices its end only while it is read.
  for (const client of clients) client.resume();
  await Promise.all(clients.map(gone));
  expect(peakMiB(child.pid)).toBeLessThan(400);
  // A new client finds a free place.
  const { status } = await depthloom("replay", address, "--frames", "3", "--json", ...STAGES);
  expect(status).toBe(0);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: expect.stringMatching(/20 clients cut off/) });
  // Ten lines come at once; on a slow machine one more is told for each five seconds, and the others are counted.
  const told =
    said().match(/a client was cut off: it (does not read its answers|sent too many messages)/g)?.length ?? 0;
  const counts = [...said().matchAll(/(\d+) more lines like these are left out/g)].map(([, count]) => Number(count));
  expect([told >= 10, counts.length > 0, told < 20]).toEqual([true, true, true]);
  expect(told + counts.reduce((sum, count) => sum + count, 0)).toBe(20);
});

test("serve on a public address asks for a token, which replay prints nowhere", async () => {
  const { address } = await serve("--host", "0.0.0.0", "--token", "a-secret-of-mine");
  const { port } = new URL(address);
  expect(address).toMatch(/\/\?token=a-secret-of-mine$/);
  const without = await depthloom("replay", `ws://127.0.0.1:${port}`, "--frames", "1", ...STAGES);
  expect(without).toMatchObject({ status: 1, stderr: expect.stringMatching(/401.*it may require its token/) });
  const full = `ws://127.0.0.1:${port}/?token=a-secret-of-mine`;
  const { status, stdout, stderr } = await depthloom("replay", full, "--frames", "2", "--json", ...STAGES);
  expect(status).toBe(0);
  expect(JSON.parse(stdout).recording).toBe(`ws://127.0.0.1:${port}/?token=…`);
  expect(stdout + stderr).not.toContain("a-secret-of-mine");
});
