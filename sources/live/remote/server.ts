import type { Subscription } from "rxjs";
import type { DepthFrame } from "../../../core/frame.ts";
import { buffersOf, plainOf } from "../../../core/plainFrame.ts";
import { wayOf } from "../../../core/way.ts";
import { failureOf } from "../../recorded/remote/failure.ts";
import type { Failure } from "../../recorded/remote/messages.ts";
import { openHere } from "../openLiveHere.ts";
import type { LiveOptions } from "../protocol.ts";
import type { OpenedLive } from "../source.ts";
import type { LiveMessage, LiveRequest, LiveState } from "./messages.ts";

/** How often the page hears of the stream's state, ms. */
const TELL_MS = 250;

type Post = (message: LiveMessage, transfer: ArrayBuffer[]) => void;

/** The most bytes that the frames waiting to be taken may have together; one frame may wait in any case. */
const MOST_BYTES = 2 ** 26;

/**
 * The worker's side of a live stream: receives and decodes it, and sends frames. `ahead` frames may wait to be taken; while as many wait,
 * the newest message stays in the `Intake`, not yet decoded.
 */
export class LiveServer {
  #source: OpenedLive | undefined;
  #watching: Subscription | undefined;
  #turn = 0;
  #telling: ReturnType<typeof setInterval> | undefined;
  #taken = () => {};
  /** While there is no room for a frame: a promise that resolves when there is. */
  #busy: Promise<void> | undefined;
  /** The bytes of the frames that were sent and not yet taken. */
  readonly #sent: number[] = [];
  /** The facts that the page has been told. */
  #facts = "";

  constructor(
    readonly post: Post,
    readonly ahead = 1,
  ) {
    post({ kind: "started" }, []);
  }

  async receive(request: LiveRequest): Promise<void> {
    if (request.kind === "open") await this.#open(request.address, request.options);
    else if (request.kind === "taken") this.#took();
    else if (request.kind === "set") this.#source?.set?.(request.control, request.value);
    else if (request.kind === "infrared") this.#source?.wantInfrared?.(request.on);
    else if (request.kind === "watch") this.#watch(request.on, request.turn);
    else {
      clearInterval(this.#telling);
      await this.#source?.close();
      this.post({ kind: "ended" }, []);
    }
  }

  async #open(address: string, options: LiveOptions): Promise<void> {
    try {
      const source = await openHere(address, options, () => this.#busy);
      this.#source = source;
      const { format, fps } = source;
      this.post({ kind: "opened", format, fps, state: stateOf(source) }, []);
      this.#facts = JSON.stringify(source.facts);
      this.#telling = setInterval(() => this.#tell(source), TELL_MS);
    } catch (error) {
      this.post({ kind: "failed", failure: failureOf(error) }, []);
    }
  }

  #watch(on: boolean, turn: number): void {
    this.#watching?.unsubscribe();
    this.#turn = turn;
    const source = this.#source;
    if (!on || !source) return;
    this.#watching = source.frames$.subscribe({
      next: (frame) => this.#send(source, frame),
      error: (error) => this.#ended(failureOf(error)),
      complete: () => this.#ended(),
    });
  }

  #tell(source: OpenedLive): void {
    this.#facts = JSON.stringify(source.facts);
    this.post({ kind: "state", state: stateOf(source) }, []);
  }

  #send(source: OpenedLive, given: DepthFrame): void {
    // The facts that come with a frame (unit, lens) reach the page before that frame does.
    if (JSON.stringify(source.facts) !== this.#facts) this.#tell(source);
    const { fault, ...frame } = plainOf(given);
    const buffers = buffersOf(frame);
    this.#sent.push(buffers.reduce((sum, { byteLength }) => sum + byteLength, 0));
    if (!this.#hasRoom)
      this.#busy ??= new Promise((taken) => {
        this.#taken = taken;
      });
    const noted = { report: source.report, ...(fault && { failure: failureOf(fault) }) };
    this.post({ kind: "frame", frame, way: wayOf(given), turn: this.#turn, ...noted }, buffers);
  }

  get #hasRoom(): boolean {
    const bytes = this.#sent.reduce((sum, one) => sum + one, 0);
    return this.#sent.length < this.ahead && (this.#sent.length === 0 || bytes < MOST_BYTES);
  }

  #took(): void {
    this.#sent.shift();
    if (!this.#hasRoom) return;
    this.#busy = undefined;
    this.#taken();
  }

  #ended(failure?: Failure): void {
    if (this.#source) this.#tell(this.#source);
    this.post({ kind: "ended", ...(failure && { failure }) }, []);
  }
}

const stateOf = ({ controls, facts, infrared, report, title, topic, topics }: OpenedLive): LiveState => ({
  controls,
  facts,
  infrared,
  report,
  title,
  topic,
  topics,
});
