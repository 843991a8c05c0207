import { type Intersection, Matrix4, type Object3D, Ray, type Raycaster, Vector3 } from "three";

const inverse = new Matrix4();
const ray = new Ray();
const place = new Vector3();
const onRay = new Vector3();

/**
 * Intersects points (four words each, in the sensor's axes) with a ray, as Three.js' own `Points` does: those within
 * `raycaster.params.Points.threshold` of it, in metres, each with its `index`.
 */
export function intersectPoints(words: Uint32Array, object: Object3D, raycaster: Raycaster, into: Intersection[]) {
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  const { near, far, params, ray: worldRay } = raycaster;
  const { x, y, z } = object.scale;
  const threshold = params.Points.threshold / ((x + y + z) / 3);
  ray.copy(worldRay).applyMatrix4(inverse.copy(object.matrixWorld).invert());
  for (let i = 0; i < floats.length; i += 4) {
    place.set(floats[i], -floats[i + 1], -floats[i + 2]);
    const distanceSq = ray.distanceSqToPoint(place);
    if (distanceSq >= threshold * threshold) continue;
    ray.closestPointToPoint(place, onRay);
    const point = onRay.clone().applyMatrix4(object.matrixWorld);
    const distance = worldRay.origin.distanceTo(point);
    if (distance < near || distance > far) continue;
    into.push({ distance, distanceToRay: Math.sqrt(distanceSq), point, index: i / 4, face: null, object });
  }
}
