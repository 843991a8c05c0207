import { ID } from "../../../sources/recorded/formats/mkv/ids.ts";
import { concat, element, number, text } from "../../../write/ebml.ts";

/** The parts of a small Azure Kinect recording. */
export interface MkvParts {
  readonly width: number;
  readonly height: number;
  /** "b16g", or "YUY2" in early files. */
  readonly depthKind?: string;
  readonly depth: readonly Uint16Array[];
  readonly color?: {
    readonly kind: string;
    readonly width: number;
    readonly height: number;
    readonly frames: readonly Uint8Array[];
  };
  readonly calibration?: string;
  /** Whether the recorder was stopped: segment and clusters have no sizes, and nothing follows them. */
  readonly unfinished?: boolean;
  readonly trackName?: string;
  /** Whether sizes take eight bytes and tracks' numbers two, which is also valid. */
  readonly wide?: boolean;
}

/** Frames are 33 ms apart, and colour comes 1 ms after depth; the recording began at 5 s of the device's clock. */
export function mkvOf(parts: MkvParts): Uint8Array {
  const { unfinished = false, wide = false, depthKind = "b16g", color, calibration } = parts;
  const large = wide ? wideElement : element;
  const clusters = parts.depth.map((values, i) => {
    const block = (track: number, late: number, bytes: Uint8Array) => {
      const head = Uint8Array.of(...(wide ? [0x40, track] : [0x80 | track]), late >> 8, late & 255, 0x80);
      return large(ID.SimpleBlock, head, bytes);
    };
    const picture = color?.frames[i];
    const contents = [
      element(ID.ClusterTimestamp, number(33 * i)),
      block(2, 0, depthKind === "YUY2" ? new Uint8Array(values.slice().buffer) : bigEndian(values)),
      ...(picture ? [block(1, 1, picture)] : []),
    ];
    return unfinished ? unsized(ID.Cluster, ...contents) : large(ID.Cluster, ...contents);
  });
  const inside = [
    element(ID.Info, element(ID.TimestampScale, number(1_000_000))),
    element(
      ID.Tracks,
      ...(color ? [track(1, "COLOR", color.kind, color.width, color.height)] : []),
      track(2, parts.trackName ?? "DEPTH", depthKind, parts.width, parts.height),
    ),
    ...(calibration === undefined ? [] : [element(ID.Attachments, attached("calibration.json", calibration))]),
    element(ID.Tags, element(ID.Tag, tag("K4A_START_OFFSET_NS", "5000000000"))),
    ...clusters,
    ...(unfinished ? [] : [element(ID.Cues)]),
  ];
  const head = element(ID.EBML, element(0x4282, text("matroska")));
  return concat(head, unfinished ? unsized(ID.Segment, ...inside) : large(ID.Segment, ...inside));
}

const attached = (name: string, data: string) =>
  element(ID.AttachedFile, element(ID.FileName, text(name)), element(ID.FileData, text(data)));
const tag = (name: string, value: string) =>
  element(ID.SimpleTag, element(ID.TagName, text(name)), element(ID.TagString, text(value)));

function track(index: number, name: string, kind: string, width: number, height: number): Uint8Array {
  const header = new Uint8Array(40);
  header.set(text(kind), 16);
  return element(
    ID.TrackEntry,
    element(ID.TrackNumber, number(index)),
    element(ID.TrackName, text(name)),
    element(ID.CodecID, text("V_MS/VFW/FOURCC")),
    element(ID.DefaultDuration, number(33_333_333)),
    element(ID.Video, element(ID.PixelWidth, number(width)), element(ID.PixelHeight, number(height))),
    element(ID.CodecPrivate, header),
  );
}

/** A calibration of two lenses with distortion, with colour 3 cm beside depth. */
export function calibrationJson(): string {
  const camera = (purpose: string, parameters: number[], translation: number[]) => ({
    Purpose: `CALIBRATION_CameraPurpose${purpose}`,
    Intrinsics: { ModelType: "CALIBRATION_LensDistortionModelBrownConrady", ModelParameters: parameters },
    Rt: { Rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], Translation: translation },
  });
  const Cameras = [
    camera("Depth", [0.5, 0.5, 0.49, 0.49, 0.5, -0.02, 0, 0.9, 0.08, 0, 0, 0, 0.0001, 0.0002], [0, 0, 0]),
    camera("PhotoVideo", [0.5, 0.5, 0.48, 0.64, 0.3, -2.4, 1.4, 0.2, -2.3, 1.3, 0, 0, 0, 0], [-0.03, 0, 0.004]),
  ];
  return JSON.stringify({ CalibrationInformation: { Cameras } });
}

function wideElement(id: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const inside = concat(...contents);
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(inside.length) | (1n << 56n));
  return concat(number(id), size, inside);
}

const unsized = (id: number, ...contents: readonly Uint8Array[]) =>
  concat(number(id), Uint8Array.of(0x01, 255, 255, 255, 255, 255, 255, 255), ...contents);

function bigEndian(values: Uint16Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 2);
  for (const [i, value] of values.entries()) bytes.set([value >> 8, value & 255], 2 * i);
  return bytes;
}
