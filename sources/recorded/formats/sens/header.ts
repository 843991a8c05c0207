import { SourceError } from "../../../../core/source.ts";
import type { Size } from "../../../../core/view.ts";
import { checkSize } from "../../../decode/pixels.ts";
import type { ByteFile } from "../../../files/files.ts";

/** A camera's intrinsics, and the 4×4 matrix from the camera to the device, row-major. */
export interface Calibration {
  readonly fx: number;
  readonly fy: number;
  readonly cx: number;
  readonly cy: number;
  readonly toDevice: readonly number[];
}

/** The header of a .sens file. */
export interface Header {
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
export async function readHeader(file: ByteFile): Promise<Header> {
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
  checkSize(width, height, `${name}, depth`);
  const lens = [depth.fx, depth.fy, depth.cx, depth.cy];
  if (!(depthShift >= 1 && depthShift <= 1e9 && depth.fx > 0 && depth.fy > 0 && lens.every(Number.isFinite)))
    throw new SourceError(
      `${name}: this ScanNet file is damaged: its unit or its intrinsics are impossible; download it again`,
    );
}
