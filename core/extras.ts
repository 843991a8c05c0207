/** A kind of data that a recording can hold for a frame beside depth and colour. */
export type Extra = "metadata" | "infrared" | "motion";
const EXTRAS: readonly Extra[] = ["metadata", "infrared", "motion"];

/** A grey image in its sensor's own pixels. */
export interface GreyImage {
  /** Columns, px. */
  readonly width: number;
  /** Rows, px. */
  readonly height: number;
  /** Brightness by rows, in the units of the file. */
  readonly data: Uint8Array | Uint16Array;
  /** The name of the stream that the image is from. */
  readonly from: string;
}

/** One measurement of an inertial sensor. */
export interface MotionSample {
  /** The time in ms on the clock of the depth frames. */
  readonly timestamp: number;
  /** The measured vector along the sensor's own axes. */
  readonly xyz: readonly [x: number, y: number, z: number];
}

/** A frame's data beside depth and colour, as far as they were asked for. Data that the file lacks are absent or empty. */
export interface FrameExtras {
  /** The notes of the camera's driver about the frame and its settings (exposure, frame counter …), in the file's own words and order. */
  readonly metadata?: readonly (readonly [name: string, value: string])[];
  /** The infrared image nearest in time, at most one frame period away. */
  readonly infrared?: GreyImage;
  /** The inertial sensors' measurements since the frame before: acceleration in m/s², turning in rad/s. */
  readonly motion?: {
    /** Acceleration, m/s². */
    readonly accelerometer: readonly MotionSample[];
    /** Turning, rad/s. */
    readonly gyroscope: readonly MotionSample[];
  };
}

/** Reads the data that a recording holds beside depth and colour, each part only when somebody asks for it. */
export interface ExtrasReader {
  /** The kinds of data that the recording holds. */
  readonly holds: readonly Extra[];
  /** Reads the wanted kinds of data of frame `index`, from 0. Rejects with a `SourceError` that names the file and the place in it. */
  read(index: number, wanted: readonly Extra[]): Promise<FrameExtras>;
}

/**
 * Makes the reader of a recording with these `parts`; `undefined` if it has none. A result leaves out the parts that have no data for its
 * frame.
 */
export function extrasReader(
  parts: {
    readonly [E in Extra]: ((index: number) => Promise<FrameExtras[E] | undefined>) | undefined | false;
  },
): ExtrasReader | undefined {
  const holds = EXTRAS.filter((extra) => parts[extra]);
  if (holds.length === 0) return undefined;
  return {
    holds,
    async read(index, wanted) {
      const asked = holds.filter((extra) => wanted.includes(extra));
      const read = async (extra: Extra) => [extra, await (parts[extra] || undefined)?.(index)] as const;
      const found = await Promise.all(asked.map(read));
      return Object.fromEntries(found.filter(([, value]) => value !== undefined));
    },
  };
}

/** The first frame gets the samples of this many ms before its own time. */
export const BEFORE_FIRST_MS = 1000;

/** The most samples of one sensor that a frame gets; after a longer gap it gets the last ones. */
const MOST_SAMPLES = 2000;

/** The indices [first, end) of the times t with from < t ≤ to; `times` ascends. */
export function samplesBetween(times: ArrayLike<number>, from: number, to: number): readonly [number, number] {
  const behind = (time: number) => {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const end = behind(to);
  return [Math.max(behind(from), end - MOST_SAMPLES), end];
}
