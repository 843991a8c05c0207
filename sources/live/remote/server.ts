import type { Subscription } from "rxjs";
import type { DepthFrame } from "../../../core/frame.ts";
import { buffersOf, plainOf } from "../../../core/plainFrame.ts";
import { wayOf } from "../../../core/way.ts";
import { failureOf } from "../../recorded/remote/failure.ts";
import { openHere } from "../openLiveHere.ts";
import type { LiveOptions } from "../protocol.ts";
import type { OpenedLive } from "../source.ts";
import type { LiveMessage, LiveRequest, LiveState } from "./messages.ts";

/** How often the page hears of the stream's state, ms. */
const TELL_MS = 250;

type Post = (message: LiveMessage, transfer: ArrayBuffer[]) => void;

/**
 * The worker's side of a live stream: receives and decodes it, and sends frames. The page takes one frame at a time; while it is busy, the
 * newest message waits in the `Intake`, not yet decoded.
 */
export class LiveServer {
  #source: OpenedLive | undefined;
  #watching: Subscription | undefined;
  #turn = 0;
  #telling: ReturnType<typeof setInterval> | undefined;
  #taken = () => {};
  /** Resolves when the page has taken the frame that was sent last. */
  #busy: Promise<void> | undefined;
  /** The number of facts of which the page knows. */
  #facts = 0;

  constructor(readonly post: Post) {
    post({ kind: "started" }, []);
  }

  async receive(request: LiveRequest): Promise<void> {
    if (request.kind === "open") await this.#open(request.address, request.options);
    else if (request.kind === "taken") this.#taken();
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
      this.#facts = source.facts.length;
      this.#telling = setInterval(() => this.#tell(source), TELL_MS);
    } catch (error) {
      this.post({ kind: "failed", failure: failureOf(error) }, []);
    }
  }

  #watch(on: boolean, turn: number): void {
    this.#watching?.unsubscribe();
    this.#turn = turn;
    if (!on) return;
    this.#watching = this.#source?.frames$.subscribe({
      next: (frame) => this.#send(frame),
      error: (error) => this.post({ kind: "ended", failure: failureOf(error) }, []),
      complete: () => this.post({ kind: "ended" }, []),
    });
  }

  #tell(source: OpenedLive): void {
    this.#facts = source.facts.length;
    this.post({ kind: "state", state: stateOf(source) }, []);
  }

  #send(given: DepthFrame): void {
    // The facts that come with a stream's first frame (unit, lens) reach the page before that frame does.
    if (this.#source && this.#source.facts.length !== this.#facts) this.#tell(this.#source);
    const frame = plainOf(given);
    this.#busy = new Promise((taken) => {
      this.#taken = taken;
    });
    this.post({ kind: "frame", frame, way: wayOf(given), turn: this.#turn }, buffersOf(frame));
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
