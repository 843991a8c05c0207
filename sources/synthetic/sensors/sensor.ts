/** A simulated depth camera. Its measurement depends only on its seed, the frame's index and the scene. */
export interface Sensor {
  /**
   * `metres` is exact depth, row-major, Infinity where there is none. `ids` gives the solid that each pixel shows, and `infrared` the share
   * of the camera's own light, 0 … 1, that each solid reflects. Returns depth in units, 0 for none, a new array.
   */
  measure(metres: Float32Array, ids: Uint8Array, infrared: readonly number[], index: number): Uint16Array;
}
