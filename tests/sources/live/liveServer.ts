import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { StreamServer } from "../../../run/serve/server.ts";
import { type DepthFrame, framesOf, image, type Recording, type Source } from "../../../sources/index.ts";

const [WIDTH, HEIGHT] = [16, 12];

/** A recording whose values are different for each frame and pixel. */
export function pretend(length: number, fps = 100, metresPerUnit = 0.001): Recording {
  const read = async (index: number): Promise<DepthFrame> => ({
    depth: image(
      Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => (i === 0 ? 0 : index * 1000 + i)),
      [HEIGHT, WIDTH],
    ),
    color: image(
      Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => (i % 4 === 3 ? 255 : i + index)),
      [HEIGHT, WIDTH, 4],
    ),
    metresPerUnit,
    intrinsics: { fx: 20, fy: 21, cx: 7.5, cy: 5.5, width: WIDTH, height: HEIGHT },
    timestamp: (index * 1000) / fps,
    index,
  });
  return {
    name: "pretend",
    format: "pretend",
    fps,
    length,
    warnings: [],
    read,
    frames$: framesOf({ length, read }),
    close: async () => {},
  };
}

const SERVED = { host: "127.0.0.1", port: 0, rate: 1, loop: true, origins: [], maxClients: 16 };

/** A StreamServer that closes with the test; `lines` has its warnings. */
export async function serve(source: Source, more: Partial<StreamServer["options"]> = {}) {
  const lines: string[] = [];
  const server = new StreamServer(source, { ...SERVED, warn: (line) => lines.push(line), ...more });
  const [address] = await server.open();
  onTestFinished(() => server.close());
  return { server, address, lines };
}

type Greet = (send: (data: string | Uint8Array) => void, socket: WebSocket) => void;

/** A server that calls `greet` with a function to send, for each connection, and closes with the test. */
export async function plainServer(protocol: string, greet: Greet) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => protocol });
  server.on("connection", (socket) => greet((data) => socket.send(data), socket));
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(async () => {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  });
  return { address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A server of Foxglove's protocol with ROS 2 image topics of these names, whose messages never come; `more` is said of the last one. */
export const topicServer = (topics: readonly string[], more = {}) =>
  plainServer("foxglove.websocket.v1", (send) => {
    const image = { encoding: "cdr", schemaName: "sensor_msgs/msg/Image", schemaEncoding: "ros2msg", schema: "" };
    send(JSON.stringify({ op: "serverInfo", name: "bridge", capabilities: [] }));
    send(
      JSON.stringify({
        op: "advertise",
        channels: topics.map((topic, id) => ({ id, topic, ...image, ...(topic === topics.at(-1) && more) })),
      }),
    );
  });

/** A message of the raw depth protocol. */
export function depthMessage(header: unknown, body: Uint8Array): Uint8Array {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, body]);
}
