import { type Abortable, signalOf, untilAborted } from "../../core/abort.ts";
import { faultOf } from "../../core/checkFrame.ts";
import type { DepthTopic } from "../../core/severalTopics.ts";
import { type Disposable, disposable, type Recording, SourceError } from "../../core/source.ts";
import { framesOf } from "../../core/streams.ts";
import type { Fact, Pose } from "../format/format.ts";
import { namingFaults } from "./fault.ts";
import type { Opened } from "./given.ts";

/** A recording read from files. */
export interface RecordedSource extends Recording, Disposable {
  /**
   * The properties that the recording is read with, and their origins, for people to read: format, frames, unit, invalid values, rate,
   * intrinsics and colour, each once, in this order. They are known on opening. The facts do not tell a frame's size, which takes
   * reading a frame.
   */
  readonly facts: readonly Fact[];
  /** The time stamp in ms that `read` will give frame `index`; reads nothing. */
  timestampOf(index: number): number;
  /** Every depth stream of a file that can have several. */
  readonly topics?: readonly DepthTopic[];
  /** The name of the depth stream that was opened. */
  readonly topic?: string;
  /**
   * The camera's pose at frame `index` as a row-major 4×4 matrix from camera to world in metres, if the recording has poses (TUM: the
   * nearest within 0.02 s).
   */
  pose(index: number, options?: Abortable): Promise<Pose | undefined>;
}

/** Makes the public `RecordedSource` of an opened recording. */
export function recordingOf({ name: path, format, frames, close }: Opened): RecordedSource {
  let closing: Promise<void> | undefined;
  const check = (index: number) => {
    if (closing) throw new SourceError(`${path}: it was closed`);
    if (Number.isInteger(index) && index >= 0 && index < frames.length) return;
    throw new SourceError(`${path}: there is no frame ${index}: it has ${frames.length}, counted from 0`);
  };
  const reading = <T>(signal: AbortSignal | undefined, work: () => Promise<T>) =>
    untilAborted(signal, () => namingFaults(path, signal, work));
  const recording: Omit<RecordedSource, keyof Disposable> = {
    name: path.split(/[\\/]/).pop() || path,
    format: format.value,
    fps: frames.fps,
    ahead: frames.ahead,
    length: frames.length,
    warnings: frames.warnings,
    facts: [format, { what: "frames", value: String(frames.length), from: "files" }, ...frames.facts],
    ...(frames.topics && { topics: frames.topics }),
    ...(frames.topic !== undefined && { topic: frames.topic }),
    frames$: framesOf({ length: frames.length, read: (index) => recording.read(index) }),
    async read(index, options) {
      check(index);
      const frame = await reading(signalOf("read", options), () => frames.read(index));
      const wrong = faultOf(frame);
      if (wrong) throw new SourceError(`${path}: frame ${index} makes no sense: ${wrong}; record or export it again`);
      return frame;
    },
    timestampOf(index) {
      check(index);
      return frames.timestampOf(index);
    },
    async pose(index, options) {
      check(index);
      return reading(signalOf("pose", options), () => frames.pose(index));
    },
    ...(frames.extras && {
      extras: {
        holds: frames.extras.holds,
        async read(index, wanted) {
          check(index);
          return frames.extras?.read(index, wanted) ?? {};
        },
      },
    }),
    close() {
      closing ??= close();
      return closing;
    },
  };
  return disposable(recording);
}
