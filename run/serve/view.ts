import { statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, resolve } from "node:path";
import { plain } from "../../core/check.ts";
import type { Source } from "../../core/source.ts";
import { warningsOf } from "../report/place.ts";
import { freshToken } from "./access.ts";
import { type Extras, pageListener, recordingPath } from "./page.ts";
import { StreamServer } from "./server.ts";
import { isResults, TABLE, tableOf } from "./table.ts";

const HOST = "127.0.0.1";

/** Serves the viewer's page and what it shows, on this machine alone. */
export class ViewServer {
  /** Resolves when the server is closed, or when what it shows has ended; where that has failed, to the first error. */
  readonly ended: Promise<unknown>;
  #end = (_error?: unknown) => {};
  #http: Server | undefined;
  readonly #streams: StreamServer[] = [];

  constructor(
    readonly files: ReadonlyMap<string, Buffer>,
    /**
     * What the page shows, two of them side by side: a source that is streamed to it, or the path of a recording that the page opens
     * itself; alone also the path of batch results.
     */
    readonly shown: readonly (Source | string)[],
    readonly warn: (line: string) => void,
    /** Where the cameras of `shown` stand in the first one's space, as `align` tells it: the page then shows all in one space. */
    readonly places?: readonly (readonly number[])[],
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Starts listening; 0 takes a free port. Resolves to the page's address. Rejects where the port is taken. */
  async open(port: number): Promise<string> {
    const [first] = this.shown;
    if (typeof first === "string" && isResults(first))
      return `${await this.#openPage(port, await tableOf(first))}${TABLE}`;
    const disk = new Map(
      this.shown.flatMap((shown, index) =>
        typeof shown === "string" ? [[pathOf(shown, index), { path: shown }]] : [],
      ),
    );
    let at: string | undefined;
    const links: string[] = [];
    for (const [index, shown] of this.shown.entries()) {
      if (typeof shown === "string") {
        links.push(pathOf(shown, index));
        continue;
      }
      // One of the streams comes from the page's own server.
      const address = await this.#openStream(shown, at === undefined ? port : 0, { disk });
      at ??= address.replace(/^ws:/, "http:").replace(/\/?\?.*$/, "");
      links.push(address);
    }
    const ends = this.#streams.map(({ ended }) => ended);
    if (ends.length > 0) void Promise.all(ends).then((errors) => this.#end(errors.find(Boolean)));
    at ??= await this.#openPage(port, { disk });
    const { places } = this;
    if (places) {
      const cameras = links.map((source, k) => ({ source, toFirst: places[k] }));
      return `${at}/?rig#cameras=${encodeURIComponent(JSON.stringify(cameras))}`;
    }
    const [left, right] = links.map((link) => `?source=${encodeURIComponent(link)}`);
    if (left === undefined || right === undefined) return `${at}/${left ?? ""}`;
    const half = (link: string) => encodeURIComponent(`${link}#paneReadout=true`);
    return `${at}/?pair#left=${half(left)}&right=${half(right)}`;
  }

  async #openStream(source: Source, port: number, extras: Extras): Promise<string> {
    const own = { host: HOST, port, rate: 1, loop: true, origins: [], maxClients: 16, token: freshToken() };
    const gives = { controls: true, infrared: true, pair: true, page: pageListener(this.files, extras) };
    const stream = new StreamServer(source, { ...own, ...gives, warn: this.warn });
    for (const line of warningsOf(source)) this.warn(plain(line));
    const [address] = await stream.open();
    this.#streams.push(stream);
    return address;
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
    for (const stream of this.#streams) await stream.close();
    this.#http?.closeAllConnections();
    this.#http?.close();
    this.#end();
  }
}

/** The path at which a recording of the disk is served; if there are two, the second has a place of its own. A folder is sent as a .zip. */
const pathOf = (shown: string, index: number): string =>
  recordingPath(
    statSync(shown).isDirectory() ? `${basename(resolve(shown))}.zip` : shown,
    index > 0 ? `${index}/` : "",
  );
