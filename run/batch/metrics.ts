import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { RecordingLine } from "./log.ts";

/** Where metrics are served. */
export interface MetricsPlace {
  readonly host: string;
  readonly port: number;
}

const TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Counts how recordings ended, and serves the counts to whoever watches a fleet, in the form of OpenMetrics 1.0 (Prometheus reads it). */
export class Metrics {
  readonly #ended = { done: 0, retry: 0, failed: 0 };
  #seconds = 0;
  #frames = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const isAsked = request.method === "GET" && request.url?.replace(/\?.*$/, "") === "/metrics";
      response.writeHead(isAsked ? 200 : 404, { "content-type": isAsked ? TYPE : "text/plain" });
      response.end(isAsked ? this.text : "the metrics are at /metrics\n");
    });
  }

  /** Begins to listen; port 0 takes a free one. Rejects where the port is taken. */
  static async open({ host, port }: MetricsPlace): Promise<Metrics> {
    const metrics = new Metrics();
    const server = metrics.#server;
    await new Promise<void>((resolve, reject) => {
      const no = (error: Error) => reject(Object.assign(error, { path: `${host}:${port}` }));
      server.once("error", no).listen(port, host, resolve);
    });
    // Whoever watches does not keep the command alive.
    server.unref();
    return metrics;
  }

  get address(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address.includes(":") ? `[${address}]` : address}:${port}/metrics`;
  }

  /** Takes the end of a try at a recording. */
  take({ outcome, seconds, frames }: RecordingLine): void {
    this.#ended[outcome]++;
    this.#seconds += seconds;
    this.#frames += frames ?? 0;
  }

  get text(): string {
    const family = (name: string, help: string, ...samples: readonly string[]) => [
      `# TYPE ${name} counter`,
      `# HELP ${name} ${help}`,
      ...samples.map((sample) => `${name}_total${sample}`),
    ];
    const outcomes = Object.entries(this.#ended).map(([outcome, count]) => `{outcome="${outcome}"} ${count}`);
    const [help, seconds, frames] = [
      "Tries at recordings that ended; a retry is tried once more.",
      "Seconds spent on recordings, those that failed included.",
      "Frames read of recordings that were done.",
    ];
    return [
      ...family("depthloom_recordings", help, ...outcomes),
      ...family("depthloom_recording_seconds", seconds, ` ${this.#seconds.toFixed(3)}`),
      ...family("depthloom_frames", frames, ` ${this.#frames}`),
      "# EOF\n",
    ].join("\n");
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
