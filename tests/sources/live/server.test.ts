import { networkInterfaces } from "node:os";
import { BehaviorSubject, filter, firstValueFrom, take, toArray } from "rxjs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { extrasReader } from "../../../core/extras.ts";
import { type DepthFrame, image } from "../../../core/frame.ts";
import { isLoopback } from "../../../run/serve/access.ts";
import { Client } from "../../../run/serve/client.ts";
import { Log } from "../../../run/serve/log.ts";
import { isAssumed } from "../../../sources/format/format.ts";
import { openLive, type Recording, rawSource, type Source, syntheticRoom } from "../../../sources/index.ts";
import { DEPTH_PROTOCOL, DEPTH_V2_PROTOCOL } from "../../../sources/live/depth.ts";
import { deafClient, gone } from "./hostilePeers.ts";
import { pretend, serve } from "./liveServer.ts";

// The server of `serve`: which clients may listen, slow clients beside others, and log lines about strangers.

/** The protocol that a client and the server agree on, or the error of a connection that was refused. */
async function knock(address: string, protocols = [FOXGLOVE], headers = {}): Promise<string> {
  const socket = new WebSocket(address, protocols, { headers });
  onTestFinished(() => socket.terminate());
  return new Promise((resolve) => {
    socket.on("open", () => resolve(socket.protocol));
    socket.on("error", (error) => resolve(error.message));
  });
}
const FOXGLOVE = "foxglove.websocket.v1";
const RAW_OR_PACKED = [DEPTH_V2_PROTOCOL, DEPTH_PROTOCOL];

/** An address of this machine that others reach, if it has one. */
const outward = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

test.skipIf(!outward)(
  "a client on another machine that knows packed depth gets it, one on this machine raw depth",
  async () => {
    const room = syntheticRoom({ width: 64, height: 48, frames: 3 });
    const { address } = await serve(room, { host: "0.0.0.0", token: "t", rate: 30 });
    const { port } = new URL(address);
    const agreed = (host = "") => knock(`ws://${host}:${port}/?token=t`, RAW_OR_PACKED);
    expect([await agreed(outward), await agreed("127.0.0.1")]).toEqual(RAW_OR_PACKED);
    await using source = await openLive(`ws://${outward}:${port}/?token=t`);
    const frames = await firstValueFrom(source.frames$.pipe(take(3), toArray()));
    // At a round's end a busy machine leaves out frames that nobody counts.
    const originals = await Promise.all([0, 1, 2].map((i) => room.read(i)));
    const bytes = ({ depth, color }: DepthFrame) => [depth.data, color?.data];
    for (const frame of frames) expect(originals.map(bytes)).toContainEqual(bytes(frame));
  },
);

test("within this machine packed depth is agreed on for more than a page takes unpacked, and not beside colour", async () => {
  const agreed = async (color: boolean) => {
    const { address } = await serve(syntheticRoom({ width: 320, height: 240, frames: 1, fps: 1000, color }));
    return knock(address, RAW_OR_PACKED);
  };
  expect([await agreed(false), await agreed(true)]).toEqual(RAW_OR_PACKED);
});

test("where a recording begins again, its clients see that the frame does not follow the one before", async () => {
  const recording = pretend(4, 100);
  const originals = await Promise.all([0, 1, 2, 3].map(async (i) => (await recording.read(i)).depth.data.join()));
  await using source = await openLive((await serve(recording)).address);
  const frames = await firstValueFrom(source.frames$.pipe(take(9), toArray()));
  const places = frames.map(({ depth }) => originals.indexOf(depth.data.join()));
  // The first frame that a client gets follows none.
  expect(frames.map(({ jump }) => jump === true)).toEqual(places.map((place, i) => i === 0 || place <= places[i - 1]));
  expect(frames.slice(1).some(({ jump }) => jump)).toBe(true);
});

test("a recording whose first frames cannot be read is served from the first one that can", async () => {
  const { read, ...recording } = pretend(4);
  const fail = () => Promise.reject(new Error("damaged"));
  const { address } = await serve({ ...recording, read: (i: number) => (i < 2 ? fail() : read(i)) } as Recording);
  expect(await knock(address)).toBe(FOXGLOVE);
});

test("a recording's notes reach every client, its infrared images those that ask, where the server offers them", async () => {
  const grey = { width: 3, height: 1, data: Uint16Array.of(1, 500, 65_535), from: "IR" };
  const extras = extrasReader({
    metadata: async (index) => [["Gain Level", `${index}`]],
    infrared: async () => grey,
    motion: undefined,
  });
  const recording = { ...pretend(5, 30), extras };
  const { address } = await serve(recording, { infrared: true });
  const [plain, seeing] = [await openLive(address), await openLive(address, { infrared: true })];
  const closed = await openLive((await serve(recording)).address, { infrared: true });
  for (const source of [plain, seeing, closed]) onTestFinished(() => source.close());
  const first = (source: typeof plain) => firstValueFrom(source.frames$);
  const frames = await Promise.all([plain, seeing, closed].map(first));
  expect(frames.map(({ infrared }) => infrared)).toEqual([undefined, grey, undefined]);
  for (const { metadata, depth } of frames) {
    const [[name, value]] = metadata ?? [["", ""]];
    expect([name, depth.data]).toEqual(["Gain Level", (await recording.read(Number(value))).depth.data]);
  }
  expect([plain.infrared, closed.infrared]).toEqual([true, false]);
  plain.wantInfrared?.(true);
  expect((await firstValueFrom(plain.frames$.pipe(filter(({ infrared }) => !!infrared)))).infrared).toEqual(grey);
});

test.each([Uint8Array, Uint16Array])("a pair of %o reaches clients where the server offers it", async (Grey) => {
  const values = (first: number) => Array.from({ length: 192 }, (_, i) => first + (i % 40));
  const grey = (first: number) => image(Grey.of(...values(first)), [12, 16]);
  const pair = { left: grey(1), right: grey(7), baselineM: 0.05, doffsPx: 2 };
  const plain = pretend(5, 30);
  const recording = { ...plain, read: async (index: number) => ({ ...(await plain.read(index)), pair }) };
  const addressOf = async (pair: boolean) => (await serve(recording, { pair })).address;
  const sources = [await openLive(await addressOf(true)), await openLive(await addressOf(false))];
  for (const source of sources) onTestFinished(() => source.close());
  const [sent, kept] = await Promise.all(sources.map(({ frames$ }) => firstValueFrom(frames$)));
  expect(sent.depth.data).toEqual(kept.depth.data);
  expect(kept.pair).toBeUndefined();
  expect(sent.pair).toMatchObject({ baselineM: 0.05, doffsPx: 2 });
  for (const side of ["left", "right"] as const)
    expect([sent.pair?.[side].shape, sent.pair?.[side].data]).toEqual([[12, 16], pair[side].data]);
});

test("StreamServer on this machine alone answers by this machine's name, or that of an origin that may listen", async () => {
  const named = (address: string, host: string) => knock(address, [DEPTH_PROTOCOL], { host });
  const { address } = await serve(pretend(3));
  const proxied = await serve(pretend(3), { origins: ["https://depth.example"] });
  expect(await named(address, "evil.example")).toMatch(/421/);
  expect(await named(address, "localhost:8765")).toBe(DEPTH_PROTOCOL);
  expect(await named(proxied.address, "depth.example")).toBe(DEPTH_PROTOCOL);
  expect(await named(proxied.address, "evil.example")).toMatch(/421/);
});

describe("the token of StreamServer", () => {
  test("is required of every client if the caller gave one", async () => {
    const { address } = await serve(pretend(3), { token: "correct-horse" });
    const { origin } = new URL(address.replace("ws:", "http:"));
    const at = (query: string) => knock(`${origin.replace("http:", "ws:")}/${query}`);
    expect(address).toBe(`${origin.replace("http:", "ws:")}/?token=correct-horse`);
    expect(await at("")).toMatch(/401/);
    expect(await at("?token=")).toMatch(/401/);
    expect(await at("?token=correct-hors")).toMatch(/401/);
    expect(await at("?token=correct-horse2")).toMatch(/401/);
    expect(await at("?token=correct-horse")).toBe(FOXGLOVE);
  });

  test("is made up at each start if other machines can connect, and stands in the address", async () => {
    const open = { host: "0.0.0.0" };
    const [first, second] = [await serve(pretend(3), open), await serve(pretend(3), open)];
    const tokenIn = (address: string) => new URL(address).searchParams.get("token") ?? "";
    expect(tokenIn(first.address)).toMatch(/^[\w-]{22}$/);
    expect(tokenIn(second.address)).not.toBe(tokenIn(first.address));
    const own = `ws://127.0.0.1:${new URL(first.address).port}/`;
    expect(await knock(own)).toMatch(/401/);
    expect(await knock(`${own}?token=${tokenIn(second.address)}`)).toMatch(/401/);
    expect(await knock(`${own}?token=${tokenIn(first.address)}`)).toBe(FOXGLOVE);
    expect(first.lines).toEqual(Array(2).fill("a client was refused: its address lacks the token"));
  });

  test("depends on isLoopback, which knows the addresses of this machine alone", () => {
    const alone = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"];
    const all = [...alone, "0.0.0.0", "::", "192.168.1.127", "10.127.0.1"];
    expect(all.filter((address) => isLoopback({ address }))).toEqual(alone);
  });
});

test("StreamServer refuses clients beyond maxClients, and has room again when a client leaves", async () => {
  const { address, lines } = await serve(pretend(3), { maxClients: 2 });
  const first = await deafClient(address);
  expect(await knock(address)).toBe(FOXGLOVE);
  expect(await knock(address)).toMatch(/503/);
  await expect(openLive(address)).rejects.toThrow(/no room for another client/);
  expect(lines).toEqual(Array(2).fill("a client was refused: 2 clients listen already"));
  first.destroy();
  await expect.poll(() => knock(address)).toBe(FOXGLOVE);
});

/** A recording of large frames, of which two do not fit into a socket's buffer. */
function large(): Recording {
  const small = pretend(20);
  const [width, height] = [1024, 1024];
  const shape = { intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width, height } };
  return {
    ...small,
    async read(index) {
      const { color: _, depth, ...frame } = await small.read(index);
      const data = new Uint16Array(width * height).fill(1000 + index);
      return { ...frame, ...shape, depth: Object.assign(Object.create(depth), { data, shape: [height, width] }) };
    },
  };
}

test("a client that does not read misses frames, and does not delay another client", async () => {
  const { server, address } = await serve(large());
  await deafClient(address);
  await using source = await openLive(address);
  let had = 0;
  const subscription = source.frames$.subscribe(() => had++);
  onTestFinished(() => subscription.unsubscribe());
  await expect.poll(() => had, { timeout: 60_000 }).toBeGreaterThan(20);
  // The client gets the frames that its socket buffer holds, and one that waits; it misses all others.
  expect(server.dropped).toBeGreaterThan(had - 12);
  expect(server.sent - server.dropped).toBeLessThan(12);
});

test("a frame whose time ROS cannot express is told of, and costs no other frame", async () => {
  const frame = await pretend(1).read(0);
  const frames$ = new BehaviorSubject({ ...frame, timestamp: -5000 });
  const live = { name: "live", format: "live", fps: 30, frames$, close: async () => {}, report: { clockSkewMs: 0 } };
  const { address, lines } = await serve(live as unknown as Source);
  const client = new WebSocket(address, [FOXGLOVE]);
  onTestFinished(() => client.terminate());
  let frames = 0;
  client.on("message", (data, isBinary) => {
    frames += Number(isBinary);
    const { op, channels } = isBinary ? {} : JSON.parse(String(data));
    const subscriptions = channels?.map(({ id }: { id: number }) => ({ id, channelId: id }));
    if (op === "advertise") client.send(JSON.stringify({ op: "subscribe", subscriptions }));
  });
  await expect.poll(() => lines.join()).toMatch(/frame 0 cannot be sent: .*outside of what ROS can express/);
  frames$.next({ ...frame, index: 1, timestamp: 5000 });
  await expect.poll(() => frames).toBeGreaterThan(0);
});

test("a slow client gets the newest frame next, and misses those between", async () => {
  const sent: Uint8Array[] = [];
  const left: (() => void)[] = [];
  const send = (data: Uint8Array, _: unknown, done: () => void) => {
    sent.push(data);
    left.push(done);
  };
  let missed = 0;
  const count = () => missed++;
  const slow = new Client({ on() {}, send } as unknown as WebSocket, () => {}, count);
  for (const frame of [1, 2, 3]) {
    slow.begin({ frame, bytes: 1, jump: frame === 2 });
    slow.send(Uint8Array.of(frame));
    slow.finish();
  }
  expect([sent.flatMap((data) => [...data]), slow.held.map(({ frame }) => frame), missed]).toEqual([[1], [1, 3], 1]);
  expect(slow.held.map(({ jump }) => jump)).toEqual([false, true]);
  left.shift()?.();
  await expect.poll(() => sent.flatMap((data) => [...data])).toEqual([1, 3]);
});

test("StreamServer cuts off a client that has not answered a ping before the next one", {
  timeout: 20_000,
}, async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, address, lines } = await serve(pretend(3));
  const deaf = await deafClient(address);
  const fine = new WebSocket(address, [FOXGLOVE]);
  onTestFinished(() => fine.terminate());
  const pinged = new Promise((resolve) => fine.once("ping", resolve));
  await new Promise((resolve) => fine.once("open", resolve));
  vi.advanceTimersByTime(30_000);
  await pinged;
  // Once this message is answered, the answer to the ping before it has arrived.
  fine.send(JSON.stringify({ op: "unsubscribe", subscriptionIds: [99] }));
  await new Promise<void>((resolve) => fine.on("message", (data) => String(data).includes("99") && resolve()));
  vi.advanceTimersByTime(30_000);
  // A paused socket does not notice that the connection has ended.
  deaf.resume();
  await gone(deaf);
  expect(lines).toEqual(["a client was cut off: it does not answer"]);
  expect([server.cutOff, fine.readyState]).toEqual([1, WebSocket.OPEN]);
});

test("the log of `serve` takes ten lines at once, then one in five seconds, and counts the others", () => {
  const lines: string[] = [];
  let nowMs = 0;
  const write = (line: string) => lines.push(line);
  const log = new Log(write, () => nowMs);
  for (let i = 0; i < 1000; i++) log.line(`a ${i}`);
  expect(lines).toEqual(Array.from({ length: 10 }, (_, i) => `a ${i}`));
  nowMs = 4999;
  log.line("b");
  nowMs = 5000;
  log.line("c");
  expect(lines.slice(10)).toEqual(["991 more lines like these are left out", "c"]);
  nowMs = 1e6;
  for (let i = 0; i < 20; i++) log.line(`d ${i}`);
  log.end();
  expect(lines).toHaveLength(23);
  expect(lines.at(-1)).toBe("10 more lines like these are left out");
});

test.each([
  [{ metresPerUnit: 0.0005 }, ["intrinsics", "fps"], 30],
  [{ fps: 15 }, ["unit", "intrinsics"], 15],
])("a stream tells what its sender assumes, and not what an option gives (%o)", async (given, expected, fps) => {
  const frame = new Uint8Array(new Uint16Array(16 * 12).fill(1234).buffer);
  const endless = async function* () {
    for (;;) yield await new Promise<Uint8Array>((resolve) => setImmediate(resolve, frame));
  };
  const raw = rawSource(endless(), "standard input", { size: { width: 16, height: 12 }, ...given });
  const { address } = await serve(raw);
  const source = await openLive(address);
  await firstValueFrom(source.frames$);
  expect(source.facts.filter(isAssumed).map(({ what }) => what)).toEqual(expected);
  expect(source.fps).toBe(fps);
  await source.close();
  await raw.close();
});
