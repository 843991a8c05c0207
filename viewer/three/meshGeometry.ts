import { BufferAttribute, BufferGeometry } from "three";
import { checkArgument, having } from "../../core/check.ts";
import { linear } from "../../scan/mesh/linear.ts";
import type { Mesh } from "../../scan/mesh/mesh.ts";

/**
 * The geometry of a mesh that `meshOfFrame` or `scan` made, for an object of a Three.js scene, in metres. Its origin is the camera (of a
 * scan the first one), which looks along −z with y up, as that of `createDepthPoints`. It has normals and, where the mesh has them, the
 * colours of its vertices, for a material with `vertexColors`.
 *
 * @example
 * scene.add(new Mesh(meshGeometry(meshOfFrame(frame)), new MeshStandardMaterial({ vertexColors: true })));
 */
export function meshGeometry(mesh: Mesh): BufferGeometry {
  checkArgument("meshGeometry", "the mesh", having("a mesh", "positions", "normals", "colours", "indices"), mesh);
  const { positions, normals, colours, indices } = mesh;
  const upright = (vectors: Float32Array) =>
    new BufferAttribute(
      vectors.map((value, i) => (i % 3 === 0 ? value : -value)),
      3,
    );
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", upright(positions));
  geometry.setAttribute("normal", upright(normals));
  if (colours.length > 0) geometry.setAttribute("color", new BufferAttribute(linear(colours), 4, true));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}
