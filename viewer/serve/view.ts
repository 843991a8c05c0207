import { statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, resolve } from "node:path";
import { plain } from "../../sources/core/check.ts";
import type { Source } from "../../sources/core/source.ts";
import { warningsOf } from "../report/place.ts";
import { freshToken } from "./access.ts";
import { type Extras, pageListener, recordingPath } from "./page.ts";
import { StreamServer } from "./server.ts";
import { isResults, TABLE, tableOf } from "./table.ts";

const HOST = "127.0.0.1";

/** Serves the viewer's page and what it shows, on this machine alone. */
export class ViewServer {
  /** Resolves when the server is closed, or when what it shows has ended. */
  readonly ended: Promise<void>;
  #end = () => {};
  #http: Server | undefined;
  #stream: StreamServer | undefined;

  constructor(
    readonly files: ReadonlyMap<string, Buffer>,
    /** A source that is streamed to the page; the path of a recording that the page opens itself, or of batch results; nothing. */
    readonly shown: Source | string | undefined,
    readonly warn: (line: string) => void,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Starts listening; 0 takes a free port. Resolves to the page's address. Rejects where the port is taken. */
  async open(port: number): Promise<string> {
    const { shown } = this;
    if (shown === undefined) return `${await this.#openPage(port)}/`;
    if (typeof shown === "string") {
      if (isResults(shown)) return `${await this.#openPage(port, await tableOf(shown))}${TABLE}`;
      // A folder is sent as a .zip, so its address ends in .zip.
      const isFolder = statSync(shown).isDirectory();
      const path = recordingPath(isFolder ? `${basename(resolve(shown))}.zip` : shown);
      const at = await this.#openPage(port, { disk: new Map([[path, { path: shown }]]) });
      return `${at}/?source=${encodeURIComponent(path)}`;
    }
    const stream = new StreamServer(shown, {
      host: HOST,
      port,
      rate: 1,
      loop: true,
      origins: [],
      maxClients: 16,
      token: freshToken(),
      controls: true,
      warn: this.warn,
      page: pageListener(this.files),
    });
    for (const line of warningsOf(shown)) this.warn(plain(line));
    const [address] = await stream.open();
    this.#stream = stream;
    void stream.ended.then(() => this.#end());
    return `${address.replace(/^ws:/, "http:").replace(/\?.*$/, "")}?source=${encodeURIComponent(address)}`;
  }

  async #openPage(port: number, extras?: Extras): Promise<string> {
    const http = createServer(pageListener(this.files, extras));
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject).listen(port, HOST, resolve);
    });
    this.#http = http;
    return `http://${HOST}:${(http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await this.#stream?.close();
    this.#http?.closeAllConnections();
    this.#http?.close();
    this.#end();
  }
}
