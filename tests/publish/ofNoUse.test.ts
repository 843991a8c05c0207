import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { Bridge } from "../../run/publish/bridge.ts";
import { openLive } from "../../sources/index.ts";
import { Link } from "../../sources/live/link.ts";
import { float64Message } from "../../write/ros2.ts";

// A server that was lost and answers again, but of whose connections none is of use: it is given up after the wait.

const greeting = (capabilities: readonly string[]) =>
  JSON.stringify({ op: "serverInfo", capabilities, supportedEncodings: ["cdr"] });
const message = { topic: { topic: "/a", schema: "std_msgs/msg/Float64" }, data: float64Message(1) } as const;

/** A server whose first connection works for a moment; `then` gets all later ones. Resolves to its address. */
async function server(
  hello: string,
  then: (socket: WebSocket) => void,
  handleProtocols: (offered: Set<string>) => string | false = (offered) => [...offered].at(-1) ?? false,
): Promise<string> {
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols });
  const rest = [
    (socket: WebSocket) => {
      socket.send(hello);
      setTimeout(() => socket.close(), 500);
    },
  ];
  await once(sockets, "listening");
  sockets.on("connection", (socket) => (rest.pop() ?? then)(socket));
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  });
  const { port } = sockets.address() as { port: number };
  return `ws://127.0.0.1:${port}`;
}

const later: Record<string, (socket: WebSocket) => void> = {
  "does not greet": () => {},
  "takes no messages any more": (socket) => socket.send(greeting([])),
  "closes each connection": (socket) => void setTimeout(() => socket.close(), 20),
  "greets and closes each connection": (socket) => {
    socket.send(greeting(["clientPublish"]));
    setTimeout(() => socket.close(), 20);
  },
};

/** Sends one message after the other, until the bridge refuses. */
async function sending(bridge: Bridge): Promise<never> {
  for (;;) {
    await bridge.frame([message]);
    await pause(20);
  }
}

test.each(Object.entries(later).flatMap(([name, then]) => [true, false].map((waits) => [name, waits, then] as const)))(
  "a bridge that %s is given up (a sender that waits: %s)",
  async (_, waits, then) => {
    const address = await server(greeting(["clientPublish"]), then);
    const bridge = await Bridge.open(address, { waits, waitMs: 400, warn: () => {} });
    onTestFinished(() => bridge.close());
    await expect(sending(bridge)).rejects.toThrow("the connection was lost, and has not worked again for 0.4 s");
  },
);

test("a rosbridge, which never greets, is given up where it closes each connection", async () => {
  const address = await server(
    "",
    (socket) => void setTimeout(() => socket.close(), 20),
    () => false,
  );
  const bridge = await Bridge.open(address, { waits: true, waitMs: 400, warn: () => {} });
  onTestFinished(() => bridge.close());
  await expect(sending(bridge)).rejects.toThrow("the connection was lost, and has not worked again for 0.4 s");
});

const hello = JSON.stringify({ name: "x", fps: 30, assumed: [] });
test.each<[string, (socket: WebSocket) => void]>([
  ["closes", (socket) => socket.close()],
  [
    "greets on and closes",
    (socket) => {
      socket.send(hello);
      setTimeout(() => socket.close(), 20);
    },
  ],
])("a live stream whose server %s each new connection ends", async (_, then) => {
  const live = await openLive(await server(hello, then), { waitMs: 400 });
  onTestFinished(() => live.close());
  const ended = new Promise((_, reject) => live.frames$.subscribe({ error: reject }));
  await expect(ended).rejects.toThrow("has not worked again for 0.4 s");
});

test("a connection that is lost again as the wait ends is tried once more", async () => {
  const stood = [50, 800];
  const address = new Promise<string>((resolve) => {
    const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => sockets.close());
    sockets.on("listening", () => resolve(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`));
    sockets.on("connection", (socket) => {
      socket.send("works");
      const ms = stood.shift();
      if (ms === undefined) socket.send("stays");
      else setTimeout(() => socket.terminate(), ms);
    });
  });
  const heard: string[] = [];
  const begin = (socket: globalThis.WebSocket) => {
    socket.onmessage = ({ data }) => {
      link.works();
      heard.push(data);
    };
  };
  const link: Link = new Link(await address, [], begin, () => {}, { afterMs: 900, run: () => heard.push("given up") });
  onTestFinished(() => link.close());
  await link.open();
  await expect.poll(() => heard.at(-1), { timeout: 10_000 }).toMatch(/stays|given up/);
  expect(heard.at(-1)).toBe("stays");
});
