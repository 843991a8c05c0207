import { messageOf } from "../../core/caught.ts";
import { isLive, type Source } from "../../sources/index.ts";
import { changeIn } from "../../sources/live/depth.ts";
import type { Control, Controls } from "../../sources/live/driver.ts";
import type { Client } from "./client.ts";

/** Lets the clients of a server change the controls of its camera, and tells all of them what came of it. */
export class ServedControls {
  readonly #clients = new Set<Client>();
  #told: Controls | undefined;
  #refused: string | undefined;

  /** `allowed`: whether clients may change anything. */
  constructor(
    readonly source: Source,
    readonly allowed: boolean,
  ) {}

  /** The controls as they are; `undefined` where there are none, or none that clients may change. */
  get list(): readonly Control[] | undefined {
    return this.#now?.list;
  }

  get #now(): Controls | undefined {
    const controls = this.allowed && isLive(this.source) ? this.source.controls : undefined;
    return controls && { ...controls, refused: this.#refused ?? controls.refused };
  }

  /** Serves a client that has been told the controls. */
  add(client: Client): void {
    this.#told ??= this.#now;
    this.#clients.add(client);
    client.socket.on("close", () => this.#clients.delete(client));
  }

  /** Makes the change that a client's text asks for. Returns whether the text asks for a change. */
  heard(text: string): boolean {
    const change = changeIn(text);
    if (!change) return false;
    this.#refused = undefined;
    try {
      if (this.#now && isLive(this.source)) this.source.set?.(change.control, change.value);
    } catch (error) {
      this.#refused = messageOf(error);
    }
    this.tell();
    return true;
  }

  /** Tells the clients the controls if they have changed; call it with every frame, since a camera changes them when it can. */
  tell(): void {
    const now = this.#now;
    if (!now || (now.list === this.#told?.list && now.refused === this.#told.refused)) return;
    this.#told = now;
    const text = JSON.stringify({ controls: now.list, refused: now.refused });
    for (const client of this.#clients) client.send(text);
  }
}
