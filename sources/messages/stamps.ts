import { Reader as Wire } from "protobufjs/minimal.js";
import type { MessageLog, Topic } from "./log.ts";
import { stampOf } from "./picture.ts";
import { isDeviceStream } from "./realsense.ts";

/** The bytes of a message that its time stamp is in: ROS' and Foxglove's messages begin with it. */
export const STAMP_BYTES = 64;
/** The most bytes that are read on opening to learn all stamps of a file's messages. */
export const STAMPS_READ = 512 * 2 ** 20;
/** Messages that are looked at where reading all would take too long. */
const SAMPLED = 25;
/** A step of the stamps that differs from that of the recorder's clock by more than this, in ms, is a jump of one of the two clocks. */
const JUMP = 10_000;
/** A step back of the stamps by more than this, ms, where the recorder's clock goes on, is a jump, too, as in a bag played in a loop. */
const BACK = 1000;

/** The times of a topic's messages by the sensor's clock, or by the recorder's where the stamps make no sense. */
export interface Clock {
  /** In ms, ascending. */
  readonly times: Float64Array;
  /** The message that each of `times` belongs to. */
  readonly order: Uint32Array;
  /** The recorder's clock less `times`, ms: the median. */
  readonly lag: number;
}

/** The time stamp, in ms, in a message's first bytes; NaN where they have none. */
export function stampIn(head: Uint8Array, encoding: string): number {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (encoding === "protobuf") return protobufStamp(head);
  const at = encoding === "cdr" || encoding === "ros1" ? 4 : -1;
  if (at < 0 || head.length < at + 8) return Number.NaN;
  const little = encoding === "ros1" || (head[1] & 1) === 1;
  return view.getUint32(at, little) * 1000 + view.getUint32(at + 4, little) / 1e6;
}

/** A stamp that is the first field, as DepthAI and Foxglove write it: seconds and nanoseconds. */
function protobufStamp(head: Uint8Array): number {
  if (head[0] !== 0x0a || head[1] + 2 > head.length) return Number.NaN;
  const wire = Wire.create(head.subarray(2, 2 + head[1]));
  const parts = [0, 0];
  try {
    while (wire.pos < wire.len) {
      const tag = wire.uint32();
      if (tag === 8 || tag === 16) parts[tag / 8 - 1] = Number(wire.int64());
      else wire.skipType(tag & 7);
    }
  } catch {
    return Number.NaN;
  }
  return parts[0] * 1000 + parts[1] / 1e6;
}

/** The times of a topic's messages. Stamps that make no sense become warnings of the log. */
export async function clockOf(log: MessageLog, topic: Topic): Promise<Clock> {
  const logged = await log.times(topic);
  const stamps = isDeviceStream(topic.name) ? logged.map(() => Number.NaN) : await log.stamps(topic);
  if (!stamps) await sample(log, topic, logged);
  const { warning, ...clock } = clockFrom(logged, stamps ?? logged.map(() => Number.NaN));
  if (warning !== undefined) log.warnings.push(`${log.name}, ${topic.name}: ${warning}`);
  return clock;
}

/** Clocks whose distances from the recorder's differ by more than this, ms, count from different moments. */
export const FAR = 10_000;

/** Makes the clock of messages from the recorder's times and the messages' stamps, and tells what is wrong with the stamps. */
export function clockFrom(
  logged: Float64Array,
  stamps: Float64Array,
): Clock & { readonly warning?: string | undefined } {
  const { times, warning } = sensorTimes(logged, stamps);
  const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => times[a] - times[b] || a - b);
  const lag = median(logged.map((ms, i) => ms - times[i]));
  return { times: Float64Array.from(order, (i) => times[i]), order, lag, warning };
}

/**
 * The times of messages, from the recorder's clock and the sensor's stamps, both given in the recorder's order. A stamp that leaps where
 * the recorder's clock does not counts as absurd, with all stamps that follow it until one fits again; such messages keep their distance by
 * the recorder's clock. Where only the recorder's clock leaps, the stamps are right.
 */
export function sensorTimes(
  logged: Float64Array,
  stamps: Float64Array,
): { readonly times: Float64Array; readonly warning?: string } {
  const count = logged.length;
  const there = stamps.filter((ms) => !Number.isNaN(ms));
  if (there.length === 0) return { times: logged };
  if (count === 1) return { times: stamps[0] > 0 && Math.abs(stamps[0] - logged[0]) < DAY ? stamps : logged };
  if (2 * there.length < count || new Set(there).size < 2)
    return { times: logged, warning: "its messages have no time stamps of their own: times are the recorder's" };
  const times = new Float64Array(count);
  let [shift, absurd, leaps] = [0, 0, 0];
  const first = firstSound(logged, stamps);
  for (let i = 0; i < count; i++) {
    const [before, loggedBefore] = i === 0 ? [stamps[first], logged[first]] : [times[i - 1], logged[i - 1]];
    const expected = before + logged[i] - loggedBefore;
    const off = (ms: number) => Math.abs(ms - expected);
    // A damaged message keeps its distance by the recorder's clock.
    const plain = Number.isNaN(stamps[i]) ? expected - shift : stamps[i];
    if (off(plain) <= off(plain + shift)) shift = 0;
    const near = plain + shift;
    if (off(near) > (near < before - BACK ? BACK : JUMP)) {
      // One of the clocks has leapt: the one that moved farther.
      if (Math.abs(logged[i] - loggedBefore) > Math.abs(plain - before)) leaps++;
      else shift = expected - plain;
    }
    if (shift !== 0) absurd++;
    times[i] = plain + shift;
  }
  const parts = [
    ...(absurd > 0
      ? [`${absurd} of ${count} time stamps leap and are not used: those messages have the recorder's times`]
      : []),
    ...(leaps > 0 ? ["the recorder's clock leaps: times are the sensor's own stamps"] : []),
  ];
  return { times, ...(parts.length > 0 && { warning: parts.join("; ") }) };
}

const DAY = 86_400_000;

/** The first message whose stamp fits that of the next one, so that an absurd first stamp does not move all others. */
function firstSound(logged: Float64Array, stamps: Float64Array): number {
  for (let i = 0; i + 1 < logged.length; i++)
    if (Math.abs(stamps[i + 1] - stamps[i] - (logged[i + 1] - logged[i])) <= JUMP && stamps[i] > 0) return i;
  return stamps.findIndex((ms) => !Number.isNaN(ms));
}

function median(values: Float64Array): number {
  return values.sort()[values.length >> 1] ?? 0;
}

/** Warns where the recorder's times are not the sensor's, in a file that is too large to read all its stamps. */
async function sample(log: MessageLog, topic: Topic, logged: Float64Array): Promise<void> {
  const lags: number[] = [];
  for (let k = 0; k < Math.min(SAMPLED, logged.length); k++) {
    const i = Math.floor((k * logged.length) / SAMPLED);
    const lag = await log.read(topic, i, (message) => logged[i] - stampOf(message)).catch(() => Number.NaN);
    if (!Number.isNaN(lag)) lags.push(lag);
  }
  const sorted = lags.sort((a, b) => a - b);
  const spread = sorted[Math.floor(0.9 * sorted.length)] - sorted[Math.floor(0.1 * sorted.length)];
  if (spread > LATE)
    log.warnings.push(
      `${log.name}, ${topic.name}: its messages were recorded with delays that differ by ${Math.round(spread)} ms, and reading all their stamps would take too long: times are the recorder's; split the file, or store it without compression`,
    );
}

/** Delays of messages that differ by no more than this, ms, leave every frame in its place. */
const LATE = 10;
