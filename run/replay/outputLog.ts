import { POSE_STATE, POSE_STATES, type PoseStateName } from "../../stages/core/pose.ts";

/** The results of one frame, as `--json` prints them. */
export interface FrameOutput {
  readonly index: number;
  /** Milliseconds on the source's clock. */
  readonly timestamp: number;
  readonly validIn: number;
  readonly validOut: number;
  /** `null` without the stage compact. */
  readonly points: number | null;
  /** The hash of the filtered depth as little-endian u16, row-major; hexadecimal. */
  readonly depthSha256: string;
  /** The camera's state, if the stage track ran: it stood, it moved, or tracking was lost. */
  readonly camera?: PoseStateName;
}

const RECORD = 64;
const PER_CHUNK = 1024;

/**
 * The results of every frame in 64 bytes each, so an hour of frames takes a few megabytes. Entries have the order of the calls of `place`,
 * and may be filled in any order.
 */
export class OutputLog {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** Reserves an entry for a frame's results; an entry that is never filled is left out. */
  place(): (output: FrameOutput) => void {
    const at = this.#length++;
    if (at % PER_CHUNK === 0) this.#chunks.push(Buffer.alloc(RECORD * PER_CHUNK));
    const record = this.#record(at);
    return ({ index, timestamp, validIn, validOut, points, depthSha256, camera }) => {
      record.writeDoubleLE(timestamp, 0);
      record.writeUInt32LE(index + 1, 8);
      record.writeUInt32LE(validIn, 12);
      record.writeUInt32LE(validOut, 16);
      record.writeInt32LE(points ?? -1, 20);
      record.write(depthSha256, 24, "hex");
      record.writeUInt8(camera === undefined ? 0 : 1 + POSE_STATE[camera], 56);
    };
  }

  /** Drops all but the first `count` entries. */
  keep(count: number): void {
    this.#length = Math.min(this.#length, count);
  }

  *[Symbol.iterator](): Generator<FrameOutput> {
    for (let at = 0; at < this.#length; at++) {
      const record = this.#record(at);
      const [number, points] = [record.readUInt32LE(8), record.readInt32LE(20)];
      const camera = POSE_STATES[record.readUInt8(56) - 1];
      if (number === 0) continue;
      yield {
        index: number - 1,
        timestamp: record.readDoubleLE(0),
        validIn: record.readUInt32LE(12),
        validOut: record.readUInt32LE(16),
        points: points < 0 ? null : points,
        depthSha256: record.toString("hex", 24, 56),
        ...(camera && { camera }),
      };
    }
  }

  #record(at: number): Buffer {
    const offset = (at % PER_CHUNK) * RECORD;
    return this.#chunks[Math.floor(at / PER_CHUNK)]?.subarray(offset, offset + RECORD) ?? Buffer.alloc(RECORD);
  }
}
