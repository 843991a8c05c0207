import * as protocol from "@foxglove/ws-protocol";

/** Node is given this package as CommonJS, whose names are in its default; bundlers are given them as they are. */
const names = ("default" in protocol ? protocol.default : protocol) as typeof protocol;

export const { FoxgloveClient, FoxgloveServer } = names;
