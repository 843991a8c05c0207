import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./port.ts";

/** The server program to test with: Redis' or Valkey's, whichever is installed; `undefined` if neither is. */
export const SERVER = ["redis-server", "valkey-server"].find(
  (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
);

/** A Redis server that keeps its data on disk, and can be killed and started again with the same data. */
export class Redis {
  #child: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  static async start(): Promise<Redis> {
    const redis = new Redis(mkdtempSync(join(tmpdir(), "depthloom-redis-")), await freePort());
    await redis.run();
    return redis;
  }

  /** Ends the server for good. */
  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    if (!SERVER) throw new Error("there is no server");
    const place = ["--port", String(this.port), "--dir", this.folder, "--bind", "127.0.0.1"];
    const child = spawn(SERVER, [...place, "--appendonly", "yes", "--save", ""], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (/ready to accept connections/i.test(said)) resolve();
      });
      child.on("close", () => reject(new Error(`the server ended:\n${said}`)));
    });
  }

  /** Ends the server at once, as a power cut does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const closed = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGKILL");
    await closed;
    this.#child = undefined;
  }
}
