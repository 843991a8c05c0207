import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { shownAddress } from "../../../core/address.ts";
import { openLive } from "../../../sources/index.ts";
import { Offer } from "../../../sources/live/channels.ts";
import { deafServer, gone } from "./hostilePeers.ts";
import { plainServer } from "./liveServer.ts";

// Hostile servers: a client keeps a bounded amount of their data, and waits a bounded time.

const FOXGLOVE = "foxglove.websocket.v1";
const channel = (id: number, more: object = {}) => ({
  id,
  topic: `/camera_${id}/depth/image`,
  encoding: "cdr",
  schemaName: "sensor_msgs/msg/Image",
  schema: "",
  ...more,
});
const advertise = (channels: readonly object[]) => JSON.stringify({ op: "advertise", channels });

test("close() cuts off a server that does not answer a Close within a second", { timeout: 20_000 }, async () => {
  const server = await deafServer("depthloom.depth.v1", () => {});
  const source = await openLive(server.address);
  const [peer] = server.sockets;
  if (!peer) throw new Error("nobody has connected");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await source.close();
  await vi.advanceTimersByTimeAsync(1000);
  await gone(peer);
});

test("a machine that takes a connection and says nothing is given up after ten seconds", async () => {
  const mute = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void mute.close());
  await once(mute, "listening");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { port } = mute.address() as AddressInfo;
  const refused = expect(openLive(`ws://127.0.0.1:${port}`)).rejects.toThrow("no server answers there within 10 s");
  const [peer] = (await once(mute, "connection")) as [Socket];
  peer.resume();
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
  await gone(peer);
});

describe("the list of a server's topics", () => {
  test("keeps images and lenses, without unknown fields", () => {
    const offer = new Offer();
    offer.add([
      channel(1, { extra: "x".repeat(1000) }),
      channel(2, { schemaName: "std_msgs/msg/String" }),
      channel(4, { schemaName: "sensor_msgs/msg/CameraInfo" }),
      null,
      { id: 5 },
    ]);
    expect(offer.channels.map(({ id }) => id)).toEqual([1, 4]);
    expect(offer.channels[0]).not.toHaveProperty("extra");
  });

  test("keeps at most 1000 topics and 4194304 characters", () => {
    const many = new Offer();
    expect(() => many.add(Array.from({ length: 5000 }, (_, id) => channel(id)))).toThrow(/more than 1000 topics/);
    expect(many.channels).toHaveLength(1000);
    // A known topic may still be changed, and a removed topic makes room.
    many.add([channel(7, { topic: "/moved" })]);
    many.remove(8);
    many.add([channel(6000)]);
    expect(many.channels).toHaveLength(1000);
    const large = new Offer();
    const schema = "x".repeat(1_000_000);
    expect(() => large.add(Array.from({ length: 9 }, (_, id) => channel(id, { schema })))).toThrow(
      /4194304 characters/,
    );
    expect(large.channels).toHaveLength(4);
    for (let i = 0; i < 20; i++) large.add([channel(0, { schema })]);
    expect(large.channels).toHaveLength(4);
  });

  test("does not parse a text of 9 MB, and the report counts the message", async () => {
    const server = await plainServer(FOXGLOVE, (send) => {
      send(advertise([channel(1, { filler: "x".repeat(9_000_000), topic: "/a/depth" })]));
      send(advertise([channel(0, { topic: "/depth/image" })]));
    });
    await using source = await openLive(server.address);
    expect(source.facts[1]?.value).toBe("/depth/image");
    expect(source.report.problem).toMatch(/the server sent a text of \d+ characters; up to 8388608 are read/);
  });
});

test("frames$ ends with a SourceError once the server is gone for longer than waitMs", {
  timeout: 20_000,
}, async () => {
  const server = await deafServer("depthloom.depth.v1", () => {});
  await using source = await openLive(server.address, { waitMs: 200 });
  const ended = new Promise<Error>((error) => source.frames$.subscribe({ error }));
  // From here on, no server answers at this address.
  await server.stop();
  expect(await ended).toMatchObject({
    name: "SourceError",
    message: `${server.address}: the connection was lost, and has not worked again for 0.2 s`,
  });
  // A later subscriber gets the same error.
  const later = new Promise<Error>((error) => source.frames$.subscribe({ error }));
  expect(await later).toBe(await ended);
  expect(source.report.state).toBe("closed");
});

test.each([
  ["ws://10.0.0.7:8765/?token=secret", "ws://10.0.0.7:8765/?token=…"],
  ["ws://h/?a=1&token=secret&b=2", "ws://h/?a=…&token=…&b=…"],
  ["wss://user:pass@h:1/x", "wss://…@h:1/x"],
  ["ws://127.0.0.1:8765", "ws://127.0.0.1:8765"],
])("shownAddress shows %s as %s", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
