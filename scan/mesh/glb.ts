import { LIBRARY } from "../../write/recorder.ts";
import { linear } from "./linear.ts";
import type { Mesh } from "./mesh.ts";

const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
const UNSIGNED_SHORT = 5123;
const UNSIGNED_INT = 5125;
const FLOAT = 5126;
const MAGIC = 0x46546c67;
const VERSION = 2;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** Khronos' glTF 2.0 in one file: the mesh with normals, and with its colours as COLOR_0, which glTF has in linear light. */
export function glb({ positions, normals, colours, indices }: Mesh): Uint8Array {
  const count = positions.length / 3;
  const extremes = (pick: (...values: number[]) => number) =>
    [0, 1, 2].map((axis) => {
      let found = positions[axis] ?? 0;
      for (let i = axis; i < positions.length; i += 3) found = pick(found, positions[i]);
      return found;
    });
  const parts: Uint8Array[] = [];
  const bufferViews: object[] = [];
  let byteLength = 0;
  const add = (array: Float32Array | Uint16Array | Uint32Array, target: number, byteStride?: number) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    bufferViews.push({
      buffer: 0,
      byteOffset: byteLength,
      byteLength: bytes.length,
      target,
      ...(byteStride && { byteStride }),
    });
    parts.push(bytes);
    byteLength += bytes.length;
    return bufferViews.length - 1;
  };
  const vector = { componentType: FLOAT, count, type: "VEC3" };
  const accessors: object[] = [
    { bufferView: add(positions, ARRAY_BUFFER), ...vector, min: extremes(Math.min), max: extremes(Math.max) },
    { bufferView: add(normals, ARRAY_BUFFER), ...vector },
    {
      bufferView: add(indices, ELEMENT_ARRAY_BUFFER),
      componentType: UNSIGNED_INT,
      count: indices.length,
      type: "SCALAR",
    },
  ];
  if (colours.length > 0) {
    const bufferView = add(linear(colours), ARRAY_BUFFER, 8);
    accessors.push({ bufferView, componentType: UNSIGNED_SHORT, normalized: true, count, type: "VEC4" });
  }
  const attributes = { POSITION: 0, NORMAL: 1, ...(colours.length > 0 && { COLOR_0: 3 }) };
  const json = JSON.stringify({
    asset: { version: "2.0", generator: LIBRARY },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name: "scan" }],
    meshes: [{ primitives: [{ attributes, indices: 2, material: 0 }] }],
    materials: [{ doubleSided: true, pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.9 } }],
    accessors,
    bufferViews,
    buffers: [{ byteLength }],
  });
  const text = new TextEncoder().encode(json.padEnd(4 * Math.ceil(new TextEncoder().encode(json).length / 4)));
  const file = new Uint8Array(12 + 8 + text.length + 8 + byteLength);
  const view = new DataView(file.buffer);
  const words = [MAGIC, VERSION, file.length, text.length, JSON_CHUNK];
  for (const [i, word] of words.entries()) view.setUint32(4 * i, word, true);
  file.set(text, 20);
  view.setUint32(20 + text.length, byteLength, true);
  view.setUint32(24 + text.length, BINARY_CHUNK, true);
  let at = 28 + text.length;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}
