import type { Telemetry } from "bullmq";
import { importPackage } from "../../replay/usePackages.ts";
import { RequestError, refused } from "../../report/failure.ts";

type Bull = typeof import("bullmq");
type Connection = InstanceType<typeof import("ioredis").Redis>;

/** BullMQ, and connections to the server. */
export interface Queueing {
  readonly bull: Bull;
  /** A new connection that is made again whenever it is lost. `told` is called once for each kind of trouble, and once when it is over. */
  connect(told: (line: string) => void): Connection;
  /** Ends all connections, those that BullMQ has made of them too, whether the server answers or not. */
  disconnect(): void;
  readonly name: string;
  /** The options of BullMQ's queues and workers that let a caller's telemetry watch them; none where nobody asks for it. */
  readonly watched: { readonly telemetry?: Telemetry };
}

/**
 * Loads the optional packages `bullmq` and `ioredis`, and the package whose telemetry is to watch them. Throws a `RequestError` if the
 * address is not that of a Redis or Valkey server, if a package is not installed, or if `telemetry` exports none.
 */
export async function queueingAt(address: string, telemetry?: string): Promise<Queueing> {
  if (!URL.canParse(address) || !/^rediss?:$/.test(new URL(address).protocol))
    throw new RequestError(`${address}: a queue's address is redis://host:port, or rediss:// with TLS`);
  const [bull, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new RequestError("a queue needs the packages bullmq and ioredis: npm install bullmq ioredis");
  });
  const name = shownQueue(address);
  const clients: Connection[] = [];
  return {
    bull,
    name,
    watched: telemetry === undefined ? {} : { telemetry: await telemetryOf(telemetry) },
    connect(told) {
      let trouble = "";
      // Commands wait while the server is away, however long, and run when it is back.
      const client = new Redis(address, {
        maxRetriesPerRequest: null,
        retryStrategy: (times) => Math.min(times * 200, 2000),
      });
      client.on("error", ({ message }: Error) => {
        if (trouble === message) return;
        trouble = message;
        told(`${name}: ${message || "the queue's server does not answer"}; trying again`);
      });
      client.on("ready", () => {
        if (trouble !== "") told(`${name}: connected again`);
        trouble = "";
      });
      clients.push(client);
      const duplicate = client.duplicate.bind(client);
      client.duplicate = (options) => {
        const other = duplicate(options);
        clients.push(other);
        return other;
      };
      return client;
    },
    disconnect() {
      for (const client of clients.splice(0)) client.disconnect();
    },
  };
}

/** The export of a package named `telemetry`, or its default export. */
async function telemetryOf(name: string): Promise<Telemetry> {
  const { default: byDefault, telemetry: one = byDefault } = await importPackage("telemetry", name);
  if (typeof one === "object" && one && "tracer" in one && "contextManager" in one) return one as Telemetry;
  throw refused(
    "telemetry",
    name,
    "its export telemetry, or its default one, must be what BullMQ calls Telemetry, as bullmq-otel makes it",
  );
}

/** The address without a password. */
function shownQueue(address: string): string {
  const url = new URL(address);
  if (url.password !== "") url.password = "…";
  return decodeURIComponent(url.href);
}

/** How often it is checked whether there is nothing left to wait for, ms. */
const LOOK_MS = 100;

/** Resolves once `isOver` holds: a server that is away keeps BullMQ's commands, and its own ending, waiting for ever. */
export async function away(isOver: () => boolean): Promise<void> {
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());
}
