// A depth camera in a Three.js scene, beside other objects: they hide each other, and both cast shadows. `?renderer=webgl` takes
// Three.js' WebGLRenderer, `?source=ws://…` a live stream; without one a synthetic room plays,
// `?fps=` frames a second.
import { createPipeline } from "depthloom/pipeline";
import { openLive, playOf, syntheticRoom } from "depthloom/sources";
import { compact, median } from "depthloom/stages";
import { createDepthPoints, gpuOf } from "depthloom/three";
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { WebGPURenderer } from "three/webgpu";

const asked = new URLSearchParams(location.search);
const renderer = asked.get("renderer") === "webgl" ? new THREE.WebGLRenderer() : new WebGPURenderer();
renderer.shadowMap.enabled = true;
renderer.setSize(innerWidth, innerHeight);
document.body.append(renderer.domElement);

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(50, innerWidth / innerHeight, 0.1, 50);
camera.position.set(0.8, 0.6, 1.2);

const lamp = new THREE.DirectionalLight("white", 3);
lamp.position.set(2, 5, 1);
lamp.target.position.set(0, -1, -2.5);
lamp.castShadow = true;
const floor = new THREE.Mesh(new THREE.PlaneGeometry(12, 12), new THREE.MeshLambertMaterial({ color: "#54606e" }));
floor.rotation.x = -Math.PI / 2;
floor.position.set(0, -1.6, -2.5);
floor.receiveShadow = true;
const knot = new THREE.Mesh(
  new THREE.TorusKnotGeometry(0.15, 0.05),
  new THREE.MeshLambertMaterial({ color: "orange" }),
);
knot.position.set(0.2, 0, -1.2);
scene.add(new THREE.AmbientLight("white", 0.6), lamp, lamp.target, floor, knot);

// The ten lines of the README.
const room = syntheticRoom({ width: 320, height: 240, fps: Number(asked.get("fps") ?? 15) });
const frames$ = asked.has("source") ? (await openLive(asked.get("source"))).frames$ : playOf(room);
const pipeline = await createPipeline({ stages: [median(), compact()], gpu: await gpuOf(renderer) });
const points = await createDepthPoints(renderer, pipeline);
points.castShadow = true;
scene.add(points);
const told = document.getElementById("told");
frames$.pipe(pipeline.process("latest")).subscribe({
  async next(frame) {
    await points.show(frame);
    const drawn = points.isLent ? "drawn from the GPU's own buffer" : "read back";
    told.textContent = `${renderer.isWebGLRenderer ? "WebGLRenderer" : "WebGPURenderer"}: points ${drawn}`;
  },
  error(error) {
    told.textContent = error.message;
  },
});

const controls = new OrbitControls(camera, renderer.domElement);
controls.target = new THREE.Vector3(0, 0, -2.2);
renderer.setAnimationLoop((timeMs) => {
  knot.rotation.y = timeMs / 1000;
  controls.update();
  renderer.render(scene, camera);
});
