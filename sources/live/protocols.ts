import { DEPTH_PROTOCOL, DEPTH_V2_PROTOCOL, depth } from "./depth.ts";
import type { Start } from "./protocol.ts";

/** A protocol: the names by which client and server agree on it (WebSocket subprotocols), and the function that starts it. */
export interface KnownProtocol {
  readonly names: readonly string[];
  readonly start: Start;
}

/** The protocol of servers that name none. */
export async function loadUnnamed(): Promise<KnownProtocol> {
  const { rosbridge } = await import("./rosbridge.ts");
  return { names: [""], start: rosbridge };
}

/** The protocols that `openLive` offers a server, the preferred first. Foxglove's is large and is loaded only when somebody connects. */
export async function loadProtocols(): Promise<readonly KnownProtocol[]> {
  const { FOXGLOVE_PROTOCOLS, foxglove } = await import("./foxglove.ts");
  return [
    { names: FOXGLOVE_PROTOCOLS, start: foxglove },
    { names: [DEPTH_V2_PROTOCOL, DEPTH_PROTOCOL], start: depth },
  ];
}
