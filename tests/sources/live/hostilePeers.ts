import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

// Peers that break the protocol, on bare sockets: a WebSocket library would answer a Close, keep reading and end in order.

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A frame of the WebSocket protocol. A client's frames are masked, here with zeros. */
export function frameOf(opcode: number, payload: Uint8Array | string, masked = false): Buffer {
  const body = Buffer.from(payload as string);
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = (masked ? 0x80 : 0) | (body.length < 126 ? body.length : body.length < 65536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(body.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, masked ? Buffer.alloc(4) : Buffer.alloc(0), body]);
}

export const TEXT = 1;
export const BINARY = 2;
export const PING = 9;

/** A server that shakes hands, lets `talk` send on the socket, and answers no message, not even a Close. */
export async function deafServer(protocol: string, talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (request) => {
      const key = /sec-websocket-key: (\S+)/i.exec(String(request))?.[1] ?? "";
      const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
      );
      socket.resume();
      talk(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return { address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, stop };
}

/** Resolves when the other end of a connection is gone. */
export const gone = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once("close", () => resolve())));

/** A client that listens to every topic and then reads nothing more. Resolves when it has subscribed. */
export async function deafClient(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(
    `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\nSec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n`,
  );
  await new Promise<void>((resolve, reject) => {
    socket.once("close", () => reject(new Error("the server closed the connection")));
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (text.includes('"advertise"')) resolve();
    });
  });
  socket.removeAllListeners("data").pause();
  const subscriptions = [1, 2, 3, 4, 5, 6].map((id) => ({ id, channelId: id }));
  socket.write(frameOf(TEXT, JSON.stringify({ op: "subscribe", subscriptions }), true));
  return socket;
}

/** The most memory that a process has had, in MiB. */
export const peakMiB = (pid: number | undefined): number =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
