import { chained, extrinsicsFrom, inverse } from "../../../../core/calibration/extrinsics.ts";
import { type Registration, registration, tooLargeToRegister } from "../../../../core/calibration/register.ts";
import { retold } from "../../../../core/caught.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Size } from "../../../../core/view.ts";
import { type Bytes, InflateError } from "../../../decode/codec.ts";
import type { Decoder } from "../../../decode/index.ts";
import { loadCodec } from "../../../decode/platform.ts";
import { checkSize, MAX_PIXELS } from "../../../decode/png.ts";
import { type ByteFile, MAX_NAMES } from "../../../files/files.ts";
import { FileWindow } from "../../../files/window.ts";
import { depthFormatOf, rateOf } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions } from "../../../format/format.ts";
import { type Colors, colorOfSize, fileFrames } from "../../fileFrames.ts";

interface Entry {
  readonly start: number;
  readonly colorSize: number;
  readonly depthSize: number;
  readonly pose: Float32Array;
  /** In ms. */
  readonly time: number;
}

/** The bytes of a frame's header: a pose, two times, two sizes. */
const ENTRY = 64 + 32;
const from = "header";

export async function openSens(file: ByteFile, options: OpenOptions, decoder: Decoder): Promise<Frames> {
  const header = await readHeader(file);
  const { name } = file;
  const { depthSize: size, depthShift } = header;
  const warnings: string[] = [];
  const entries = await readEntries(file, header, warnings);
  const timed = entries.some(({ time }) => time !== entries[0].time);
  const rate = timed ? rateOf(entries.map(({ time }) => time)) : undefined;
  const meaning = depthFormatOf(
    options,
    undefined,
    {
      metresPerUnit: { value: 1 / depthShift, from },
      invalid: { value: [], from: "ScanNet default" },
      fps: rate ? { value: rate, from } : { value: 30, from: "ScanNet default" },
      intrinsics: { value: { ...pinholeOf(header.depth), ...size }, from },
    },
    warnings,
  );
  const color =
    options.color !== false &&
    (colorIsRead(header, name, warnings) ? colorsOf(file, header, entries, decoder) : undefined);
  return fileFrames({
    ...size,
    meaning,
    warnings,
    times: entries.map(({ time }, i) => (timed ? time : (i * 1000) / meaning.fps)),
    async depth(index) {
      const { start, colorSize, depthSize } = entries[index];
      const bytes = await file.read(start + ENTRY + colorSize, depthSize);
      return depthOf(bytes, header, `${name}, depth of frame ${index}`);
    },
    color,
    // Where tracking lost the camera, the pose consists of infinities.
    pose: async (index) => (entries[index].pose.every(Number.isFinite) ? [...entries[index].pose] : undefined),
  });
}

/** Walks the frames' headers. A file that was cut off has fewer frames than its header says. */
async function readEntries(file: ByteFile, { frames, start, depthSize }: Header, warnings: string[]): Promise<Entry[]> {
  const { name } = file;
  if (frames > MAX_NAMES)
    throw new SourceError(`${name}: its header declares ${frames} frames; more than ${MAX_NAMES} are refused`);
  const largest = 4 * MAX_PIXELS;
  const entries: Entry[] = [];
  const window = new FileWindow(file);
  for (let at = start; entries.length < frames; ) {
    const bytes = window.held(at, ENTRY) ?? (await window.read(at, ENTRY));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (bytes.length < ENTRY) break;
    const [colorSize, depthBytes] = [view.getBigUint64(80, true), view.getBigUint64(88, true)].map(Number);
    const end = at + ENTRY + colorSize + depthBytes;
    if (!(end <= file.size) || colorSize > largest || depthBytes > largest) break;
    const pose = Float32Array.from({ length: 16 }, (_, i) => view.getFloat32(4 * i, true));
    entries.push({
      start: at,
      colorSize,
      depthSize: depthBytes,
      pose,
      time: Number(view.getBigUint64(72, true)) / 1000,
    });
    at = end;
  }
  if (entries.length === 0)
    throw new SourceError(
      `${name}: this ScanNet file has no complete frame of ${depthSize.width}×${depthSize.height}; download it again`,
    );
  if (entries.length < frames)
    warnings.push(
      `${name}: it is cut short or damaged behind frame ${entries.length - 1} of ${frames}; download it again for the rest`,
    );
  return entries;
}

async function depthOf(bytes: Bytes, { depthKind, depthSize }: Header, where: string): Promise<Uint16Array> {
  const size = 2 * depthSize.width * depthSize.height;
  let raw = bytes;
  if (depthKind === 1) {
    const damaged = ({ message }: Error) => new SourceError(`${where} is damaged: ${message}; download it again`);
    raw = await (await loadCodec()).inflate("zlib", bytes, size).catch(retold(InflateError, damaged));
  }
  if (raw.length !== size)
    throw new SourceError(`${where} is damaged: ${raw.length} bytes instead of ${size}; download it again`);
  const view = new DataView(raw.buffer, raw.byteOffset, size);
  return new Uint16Array(size / 2).map((_, i) => view.getUint16(2 * i, true));
}

function colorIsRead({ colorKind, colorSize, color }: Header, name: string, warnings: string[]): boolean {
  const { width, height } = colorSize;
  if (width * height === 0) return false;
  const read = colorKind >= 0 && colorKind <= 2 && width * height <= MAX_PIXELS / 4 && color.fx > 0 && color.fy > 0;
  if (!read) warnings.push(`${name}: its colour format ${colorKind} is not supported; frames go without colour`);
  return read;
}

function colorsOf(file: ByteFile, header: Header, entries: readonly Entry[], decoder: Decoder): Colors {
  const { colorSize, depthSize, colorKind } = header;
  let tables: Registration | undefined;
  return {
    count: entries.filter((entry) => entry.colorSize > 0).length,
    kind: `${["raw", "PNG", "JPEG"][colorKind]}, registered by the header's lenses`,
    async read(index, depth) {
      const { start, colorSize: bytesOfColor } = entries[index];
      if (bytesOfColor === 0) return undefined;
      const where = `${file.name}, colour of frame ${index}`;
      const bytes = await file.read(start + ENTRY, bytesOfColor);
      const rgba = await colorOfSize(colorSize, bytes, where, decoder, colorKind === 0 ? "rgb8" : undefined);
      if (typeof rgba === "string") return rgba;
      const tooLarge = tooLargeToRegister(depthSize);
      if (tooLarge !== undefined) return `${where}: ${tooLarge}`;
      tables ??= registration(
        { ...pinholeOf(header.depth), ...depthSize },
        { ...pinholeOf(header.color), ...colorSize },
        chained(extrinsicsFrom(header.depth.toDevice), inverse(extrinsicsFrom(header.color.toDevice))),
      );
      return tables.register(depth, 1 / header.depthShift, rgba);
    },
  };
}

const pinholeOf = ({ fx, fy, cx, cy }: Calibration) => ({ fx, fy, cx, cy });

/** A camera's intrinsics, and the 4×4 matrix from the camera to the device, row-major. */
interface Calibration {
  readonly fx: number;
  readonly fy: number;
  readonly cx: number;
  readonly cy: number;
  readonly toDevice: readonly number[];
}

/** The header of a .sens file. */
interface Header {
  readonly color: Calibration;
  readonly depth: Calibration;
  /** The colour format: 0 raw, 1 PNG, 2 JPEG. */
  readonly colorKind: number;
  /** The depth format: 0 raw, 1 zlib. */
  readonly depthKind: number;
  readonly colorSize: Size;
  readonly depthSize: Size;
  /** Units per metre. */
  readonly depthShift: number;
  readonly frames: number;
  /** The position of the first frame. */
  readonly start: number;
}

/** The most bytes of a header: a name of 255 bytes, four matrices, formats, sizes, the number of frames. */
const LONGEST = 12 + 256 + 4 * 64 + 8 + 16 + 4 + 8;

/** Reads and checks the header. Throws a `SourceError`. */
async function readHeader(file: ByteFile): Promise<Header> {
  const { name } = file;
  const bytes = await file.read(0, LONGEST);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(0, true);
  if (version !== 4)
    throw new SourceError(
      `${name}: this is version ${version} of ScanNet's .sens, and only 4 is read; export it with ScanNet's SensReader`,
    );
  const afterName = 12 + view.getUint32(4, true);
  if (bytes.length < afterName + LONGEST - 268)
    throw new SourceError(`${name}: this ScanNet file is cut short; download it again`);
  const matrix = (i: number) => Array.from({ length: 16 }, (_, k) => view.getFloat32(afterName + 64 * i + 4 * k, true));
  const calibration = (i: number): Calibration => {
    const [lens, place] = [matrix(i), matrix(i + 1)];
    return {
      fx: lens[0],
      fy: lens[5],
      cx: lens[2],
      cy: lens[6],
      toDevice: place.every(Number.isFinite) ? place : IDENTITY,
    };
  };
  const at = afterName + 256;
  const size = (offset: number) => ({
    width: view.getUint32(at + offset, true),
    height: view.getUint32(at + offset + 4, true),
  });
  const header: Header = {
    color: calibration(0),
    depth: calibration(2),
    colorKind: view.getInt32(at, true),
    depthKind: view.getInt32(at + 4, true),
    colorSize: size(8),
    depthSize: size(16),
    depthShift: view.getFloat32(at + 24, true),
    frames: Number(view.getBigUint64(at + 28, true)),
    start: at + 36,
  };
  check(header, name);
  return header;
}

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function check({ depth, depthKind, depthShift, depthSize: { width, height } }: Header, name: string): void {
  if (depthKind !== 0 && depthKind !== 1) {
    const kind = depthKind === 2 ? "Occipital's own code" : `kind ${depthKind}`;
    throw new SourceError(
      `${name}: its depth is compressed by ${kind}, and only zlib and raw are read; convert it with ScanNet's tools`,
    );
  }
  checkSize({ width, height }, `${name}, depth`);
  const lens = [depth.fx, depth.fy, depth.cx, depth.cy];
  if (!(depthShift >= 1 && depthShift <= 1e9 && depth.fx > 0 && depth.fy > 0 && lens.every(Number.isFinite)))
    throw new SourceError(
      `${name}: this ScanNet file is damaged: its unit or its intrinsics are impossible; download it again`,
    );
}
