import { Bytes, littleEndian } from "./bytes.ts";

/** A small OpenNI recording. */
export interface OniParts {
  readonly width: number;
  readonly height: number;
  readonly depth: readonly Uint16Array[];
  /** "16zP", "16zT", "NONE". */
  readonly codec?: string;
  /** RGB of depth's size. */
  readonly color?: readonly Uint8Array[];
  /** Whether the file is older than version 1.0.1, with shorter records. */
  readonly old?: boolean;
  /** OpenNI 2's number of the pixel format. */
  readonly pixels?: number;
  readonly unfinished?: boolean;
  /** The time between frames, in µs. */
  readonly stepUs?: number;
}

export function oniOf({
  width,
  height,
  depth,
  codec = "16zP",
  color,
  old = false,
  pixels,
  unfinished = false,
  stepUs = 33_000,
}: OniParts): Uint8Array {
  const out = new Bytes();
  out
    .text("NI10")
    .u8(1, 0)
    .u16(old ? 0 : 1)
    .u32(old ? 5 : 0)
    // The latest time in the file, in µs: OpenNI refuses a later frame.
    .u64(stepUs * depth.length)
    .u32(2);
  const record = (kind: number, id: number, fields: Bytes, payload: Uint8Array = new Uint8Array(0)) => {
    out.u32(0x0052494e, kind, id, (old ? 24 : 28) + fields.length, payload.length);
    if (old) out.u32(0);
    else out.u64(0);
    out.bytes(fields.done()).bytes(payload);
  };
  const named = (name: string) => new Bytes().u32(name.length + 1).text(`${name}\0`);
  const node = (id: number, kind: number, name: string, compression: string) => {
    const fields = named(name).u32(kind).text(compression).u32(depth.length).u64(0, 0);
    record(old ? 0x0c : 0x0d, id, old ? fields : fields.u64(0));
    record(0x06, id, named("xnMapOutputMode").u32(12, width, height, 30));
  };
  /** OpenNI plays a node only if its properties have an end, and say that nothing is cropped and how many bytes a frame has. */
  const ready = (id: number, bytes: number) => {
    record(0x06, id, named("xnCropping").u32(12, 0, 0).u16(width, height));
    record(0x03, id, named("RequiredDataSize").u32(8).u64(bytes));
    record(0x09, id, new Bytes());
  };
  node(1, 2, "Depth1", codec);
  record(0x06, 1, named("xnFOV").u32(16).f64(1.0226, 0.7966));
  if (pixels !== undefined) record(0x03, 1, named("oniPixelFormat").u32(8).u64(pixels));
  ready(1, 2 * width * height);
  if (color) {
    node(2, 3, "Image1", "NONE");
    ready(2, 3 * width * height);
  }
  record(0x08, 1, new Bytes().u32(depth.length).u64(0));
  for (const [i, values] of depth.entries()) {
    const packed = codec === "NONE" ? littleEndian(values) : pack16z(values, codec === "16zT");
    record(0x0a, 1, new Bytes().u64(stepUs * i).u32(i + 1), packed);
    const picture = color?.[i];
    if (picture) record(0x0a, 2, new Bytes().u64(stepUs * i + 500).u32(i + 1), picture);
  }
  if (!unfinished) record(0x0b, 0, new Bytes());
  return out.done();
}

/** The encoder of "16z", after the description beside the decoder. */
export function pack16z(values: Uint16Array, withTable: boolean): Uint8Array {
  const out = new Bytes();
  const list = [...new Set(values)].sort((a, b) => a - b);
  const coded = withTable ? values.map((value) => list.indexOf(value)) : values;
  if (withTable) {
    out.u16(list.length);
    for (const value of list) out.u16(value);
  }
  out.u16(coded[0]);
  let half: number | undefined;
  let same = 0;
  const flush = () => {
    if (same > 0) out.u8(0xe0 + same);
    same = 0;
  };
  for (let i = 1; i < coded.length; i++) {
    const step = coded[i - 1] - coded[i];
    if (Math.abs(step) > 6) {
      flush();
      out.u8(half === undefined ? 0xff : (half << 4) | 0xf);
      half = undefined;
      if (Math.abs(step) <= 63) out.u8(step + 192);
      else out.u8(coded[i] >> 8, coded[i] & 255);
    } else if (half === undefined) half = step + 6;
    else {
      const byte = (half << 4) | (step + 6);
      half = undefined;
      if (byte === 0x66) same++;
      if (byte !== 0x66 || same === 15) flush();
      if (byte !== 0x66) out.u8(byte);
    }
  }
  flush();
  if (half !== undefined) out.u8((half << 4) | 0xd);
  return out.done();
}
