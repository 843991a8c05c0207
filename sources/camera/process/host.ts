import { messageOf } from "../../../core/caught.ts";
import type { PairGeometry } from "../../../core/frame.ts";
import { Queue } from "../../../core/queue.ts";
import type { Camera, CameraRequest, Driver, DriverName, GreyForm, Shot } from "../../live/driver.ts";
import type { CameraAnswer } from "./answers.ts";
import { headOf, type Request } from "./wire.ts";

/** Connects the process that reads a camera to the one that shows it. */
interface Port {
  answer(answer: CameraAnswer): void;
  /** Sends bytes through the pipe for frames; resolves when they are out of this process' hands. */
  write(parts: readonly Uint8Array[]): Promise<void>;
  /** The present time in ms since 1970. */
  now(): number;
}

/** Reads one camera for another process: answers its requests, and sends frames while they are wanted. */
export class CameraHost {
  #driver: Driver | undefined;
  #camera: Camera | undefined;
  #watched = false;
  #over = false;

  constructor(
    readonly load: (name: DriverName) => Promise<Driver>,
    readonly port: Port,
  ) {}

  /** Handles a request. Resolves when the camera is open, or has been listed; its frames follow. */
  async receive(request: Request): Promise<void> {
    try {
      if (request.kind === "list") await this.#list(request.driver);
      else if (request.kind === "open") await this.#open(request.request);
      else if (request.kind === "watch") this.#watched = request.on;
      else if (this.#camera) {
        this.#camera.set(request.name, request.value);
        this.port.answer({ kind: "opened", state: this.#camera.state });
      }
    } catch (error) {
      this.port.answer({ kind: "failed", why: messageOf(error) });
    }
  }

  /** Stops reading, closes the camera, and unloads nothing: the process is about to end. */
  close(): void {
    this.#over = true;
  }

  async #list(name: DriverName): Promise<void> {
    const driver = await this.load(name);
    try {
      this.port.answer({ kind: "listed", library: driver.library, cameras: driver.list() });
    } finally {
      driver.close();
    }
  }

  async #open(request: CameraRequest): Promise<void> {
    this.#driver = await this.load(request.driver);
    const camera = await this.#driver.open(request);
    this.#camera = camera;
    this.port.answer({ kind: "opened", state: camera.state });
    void this.#read(camera);
  }

  async #read(camera: Camera): Promise<void> {
    const newest = new LatestShot(
      (shot) => this.#send(camera, shot),
      () => this.close(),
    );
    let { clock } = camera.state;
    try {
      while (!this.#over) {
        const shot = await camera.next();
        if (!shot) continue;
        if (camera.state.clock !== clock) this.port.answer({ kind: "changed", state: camera.state });
        clock = camera.state.clock;
        if (this.#watched) newest.offer(shot);
        else shot.release();
      }
    } catch (error) {
      this.port.answer({ kind: "lost", why: messageOf(error) });
    }
    newest.close();
    camera.close();
    this.#driver?.close();
  }

  async #send({ state }: Camera, { stampMs, number, depth, color, metadata, infrared, right }: Shot): Promise<void> {
    const { metresPerUnit, intrinsics } = state;
    const { bytes, ...form } = { ...infrared };
    const { bytes: rightBytes, ...geometry } = { ...right };
    const about = { stampMs, number, readMs: this.port.now(), metresPerUnit, intrinsics, metadata };
    const seen = { ...(infrared && { infrared: form as GreyForm }), ...(right && { right: geometry as PairGeometry }) };
    const images = [depth, color, bytes, rightBytes];
    const head = headOf({ ...about, ...seen }, ...images.map((image) => image?.length ?? 0));
    await this.port.write([head, ...images.filter((image) => image !== undefined)]);
  }
}

/** Sends a camera's newest frames and releases all: a slow reader misses frames, and the driver's memory is never held for long. */
class LatestShot {
  readonly #newest = new Queue<Shot>(
    (shot) => this.#send(shot),
    (shot) => {
      shot.release();
      this.replaced++;
    },
  );
  #over = false;
  /** The number of frames that a newer one replaced. */
  replaced = 0;

  constructor(
    readonly send: (shot: Shot) => Promise<void>,
    /** Called with the first error of `send`; nothing is sent after it. */
    readonly onError: (error: unknown) => void,
  ) {}

  offer(shot: Shot): void {
    if (this.#over) shot.release();
    else this.#newest.offer(shot);
  }

  /** Releases the shot that waits; a shot that is being sent is released when it has been sent. */
  close(): void {
    this.#over = true;
    for (const shot of this.#newest.clear()) shot.release();
  }

  async #send(shot: Shot): Promise<void> {
    try {
      await this.send(shot);
    } catch (error) {
      this.close();
      this.onError(error);
    } finally {
      shot.release();
    }
  }
}
