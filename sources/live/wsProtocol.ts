import * as protocol from "@foxglove/ws-protocol";

/** Node is given this package as CommonJS, whose names are in its default; bundlers are given them as they are. */
const all: typeof protocol & { readonly default?: typeof protocol } = { ...protocol };

export const { FoxgloveClient, FoxgloveServer } = all.default ?? all;
