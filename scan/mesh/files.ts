import { checkArgument, oneOf } from "../../core/check.ts";
import { LIBRARY } from "../../write/recorder.ts";
import { glb } from "./glb.ts";
import { type Mesh, meshRule } from "./mesh.ts";
import { inAxes } from "./tidy.ts";

/** The formats of a mesh's file. */
export const MESH_FORMATS = ["glb", "ply", "stl", "obj"] as const;
/** One of `MESH_FORMATS`. */
export type MeshFormat = (typeof MESH_FORMATS)[number];

/**
 * The bytes of a mesh's file, in metres. The mesh has the axes of a camera: x right, y down, z forward. A PLY keeps them; in GLB and OBJ
 * y is up, and in STL, which has no colour, z is. All have the name of this library near their beginning. Throws an `OptionError` for a
 * format that is none of `MESH_FORMATS`.
 *
 * @example
 * await writeFile("chair.stl", meshFile(mesh, "stl"));
 */
export function meshFile(mesh: Mesh, format: MeshFormat): Uint8Array {
  checkArgument("meshFile", "the mesh", meshRule, mesh);
  checkArgument("meshFile", "the format", oneOf(...MESH_FORMATS), format);
  if (format === "ply") return ply(mesh);
  if (format === "stl") return stl(inAxes(mesh, "zUp"));
  return format === "glb" ? glb(inAxes(mesh, "yUp")) : obj(inAxes(mesh, "yUp"));
}

/** Stanford's PLY, little-endian, with normals and colours. */
function ply({ positions, normals, colours, indices }: Mesh): Uint8Array {
  const vertices = positions.length / 3;
  const hasColour = colours.length > 0;
  const head = [
    "ply",
    "format binary_little_endian 1.0",
    `comment ${LIBRARY}; metres, x right, y down, z forward`,
    `element vertex ${vertices}`,
    ...["x", "y", "z", "nx", "ny", "nz"].map((name) => `property float ${name}`),
    ...(hasColour ? ["red", "green", "blue"].map((name) => `property uchar ${name}`) : []),
    `element face ${indices.length / 3}`,
    "property list uchar uint vertex_indices",
    "end_header\n",
  ].join("\n");
  const size = 24 + (hasColour ? 3 : 0);
  const bytes = new Uint8Array(head.length + vertices * size + (indices.length / 3) * 13);
  bytes.set(new TextEncoder().encode(head));
  const view = new DataView(bytes.buffer);
  let at = head.length;
  for (let i = 0; i < positions.length; i += 3, at += size) {
    for (let axis = 0; axis < 3; axis++) {
      view.setFloat32(at + 4 * axis, positions[i + axis], true);
      view.setFloat32(at + 12 + 4 * axis, normals[i + axis], true);
    }
    if (hasColour) bytes.set(colours.subarray(i, i + 3), at + 24);
  }
  for (let i = 0; i < indices.length; i += 3, at += 13) {
    bytes[at] = 3;
    for (let corner = 0; corner < 3; corner++) view.setUint32(at + 1 + 4 * corner, indices[i + corner], true);
  }
  return bytes;
}

/** Stereolithography's STL, binary: triangles with their normals, nothing else. */
function stl({ positions, indices }: Mesh): Uint8Array {
  const bytes = new Uint8Array(84 + (indices.length / 3) * 50);
  bytes.set(new TextEncoder().encode(`${LIBRARY}; metres, z up`));
  const view = new DataView(bytes.buffer);
  view.setUint32(80, indices.length / 3, true);
  for (let i = 0, at = 84; i < indices.length; i += 3, at += 50) {
    const [a, b, c] = [0, 1, 2].map((corner) =>
      positions.subarray(3 * indices[i + corner], 3 * indices[i + corner] + 3),
    );
    const [ux, uy, uz, vx, vy, vz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2], c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...normal) || 1;
    for (const [k, value] of [...normal.map((x) => x / length), ...a, ...b, ...c].entries())
      view.setFloat32(at + 4 * k, value, true);
  }
  return bytes;
}

/** Wavefront's OBJ; colours, 0 … 1, stand behind a vertex' place, as most programs read them. */
function obj({ positions, normals, colours, indices }: Mesh): Uint8Array {
  const lines = [`# ${LIBRARY}; metres, y up`];
  const text = (array: Float32Array, i: number, digits: number) =>
    [...array.subarray(i, i + 3)].map((x) => x.toFixed(digits)).join(" ");
  for (let i = 0; i < positions.length; i += 3) {
    const colour = [...colours.subarray(i, i + 3)].map((value) => ` ${(value / 255).toFixed(3)}`).join("");
    lines.push(`v ${text(positions, i, 5)}${colour}`);
  }
  for (let i = 0; i < normals.length; i += 3) lines.push(`vn ${text(normals, i, 3)}`);
  for (let i = 0; i < indices.length; i += 3)
    lines.push(`f ${[...indices.subarray(i, i + 3)].map((v) => `${v + 1}//${v + 1}`).join(" ")}`);
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
}
