import type { InstancedBufferGeometry, Material } from "three";
import type { PointCloud } from "../../stages/core/resources.ts";

/** Two triangles over [-1, 1]²: `POINT_ARGS.drawQuads` asks for six vertices an instance. */
export const QUAD = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]);

/** How one of Three.js' renderers draws points: an attribute `point` of four words each, as `PointCloud` has them. */
export interface PointForm {
  readonly material: Material;
  /** Width of a point's square, metres for each metre from the sensor: see `spreadOf`. */
  readonly spread: { value: number };
  /** For shadow maps, where the renderer does not make them of `material`. */
  readonly shadowMaterial?: Material;
  /** Where the renderer can draw from a pipeline's own buffers: nothing is copied then. */
  readonly lender?: Lender;
}

export interface Lender {
  readonly device: GPUDevice;
  /** Takes the number of instances from the cloud's indirect arguments. */
  readonly geometry: InstancedBufferGeometry;
  /** Makes the geometry draw this cloud's buffers. Without a cloud it has none, and must not be drawn. */
  lend(cloud: PointCloud | undefined): void;
}
