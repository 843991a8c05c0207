// The page of three.test.ts: a scene with the points of one frame, drawn by any of Three.js' renderers.
import { createPipeline, openGpu } from "depthloom/pipeline";
import { image } from "depthloom/stage";
import { compact } from "depthloom/stages";
import { createDepthPoints, gpuOf } from "depthloom/three";
import * as THREE from "three";
import { WebGPURenderer } from "three/webgpu";

const WIDTH = 32;
const HEIGHT = 24;
/** Pixels of the canvas for each pixel of the sensor. */
const SCALE = 10;
const RED = [200, 0, 0, 255];

/** Every fourth pixel of every fourth row is valid: points that do not touch one another, 1 m away and 2 m, red. */
function frameOf(index) {
  const depth = new Uint16Array(WIDTH * HEIGHT);
  for (let y = 2; y < HEIGHT; y += 4) for (let x = 2; x < WIDTH; x += 4) depth[y * WIDTH + x] = x < 16 ? 1000 : 2000;
  const color = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => RED[i % 4]);
  const lens = { fx: 32, fy: 32, cx: (WIDTH - 1) / 2, cy: (HEIGHT - 1) / 2, width: WIDTH, height: HEIGHT };
  return {
    depth: image(depth, [HEIGHT, WIDTH]),
    color: image(color, [HEIGHT, WIDTH, 4]),
    metresPerUnit: 0.001,
    intrinsics: lens,
    timestamp: index * 33,
    index,
  };
}

const rendererOf = (kind) => {
  if (kind === "WebGLRenderer") return new THREE.WebGLRenderer();
  return new WebGPURenderer({ forceWebGL: kind === "WebGPURenderer on WebGL" });
};

/** Opens a renderer of a kind with a camera at the sensor's place, and a pipeline that runs where `stages` says. */
async function open(kind, stages, lit = false) {
  const renderer = rendererOf(kind);
  renderer.setSize(WIDTH * SCALE, HEIGHT * SCALE);
  renderer.shadowMap.enabled = true;
  document.body.replaceChildren(renderer.domElement);
  const fov = (2 * Math.atan(HEIGHT / 2 / 32) * 180) / Math.PI;
  const camera = new THREE.PerspectiveCamera(fov, WIDTH / HEIGHT, 0.1, 20);
  const scene = new THREE.Scene();
  const ownGpu = stages === "own GPU" && (await openGpu("software"));
  const options = { gpu: ownGpu || (await gpuOf(renderer)), backend: stages === "CPU" ? "cpu" : "webgpu" };
  const pipeline = await createPipeline({ stages: [compact()], ...options, timeEvery: 1000 });
  const points = await createDepthPoints(renderer, pipeline, { lit });
  let index = 0;
  const it = {
    ...{ renderer, scene, camera, pipeline, points },
    show: async () => points.show(await pipeline.run(frameOf(index++))),
    count: async () => (await (await pipeline.run(frameOf(index++))).readPoints()).shape[0],
    async draw() {
      renderer.render(scene, camera);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    },
    /** Adds a floor 1 m below and a lamp above; the points' shadow darkens the floor. */
    light() {
      const floor = new THREE.Mesh(new THREE.PlaneGeometry(20, 20), new THREE.MeshLambertMaterial());
      floor.rotation.x = -Math.PI / 2;
      floor.position.set(0, -1, -1.5);
      floor.receiveShadow = true;
      const lamp = new THREE.DirectionalLight("white", 2);
      lamp.position.set(0, 3, -1.5);
      lamp.target.position.set(0, -1, -1.5);
      lamp.castShadow = true;
      lamp.shadow.mapSize.set(512, 512);
      Object.assign(lamp.shadow.camera, { left: -1.5, right: 1.5, top: 1.5, bottom: -1.5, far: 8 });
      scene.add(floor, lamp, lamp.target);
      // The camera is where the floor is seen and no point hides it.
      camera.position.set(0, -0.6, 1);
      camera.lookAt(0, -1, -1.5);
    },
    /** Turns a lamp beside the camera on, or puts a sheet that casts shadows before it. */
    lamp(sheet) {
      const lamp = new THREE.DirectionalLight("white", 3);
      lamp.position.set(3, 0, 0);
      lamp.target.position.set(0, 0, -1.5);
      lamp.castShadow = true;
      Object.assign(lamp.shadow.camera, { left: -2, right: 2, top: 2, bottom: -2, far: 10 });
      const shade = new THREE.Mesh(new THREE.PlaneGeometry(8, 8), new THREE.MeshBasicMaterial({ side: 2 }));
      shade.position.set(2, 0, -0.5);
      shade.lookAt(lamp.position);
      shade.castShadow = true;
      points.receiveShadow = true;
      scene.clear();
      scene.add(points, lamp, lamp.target);
      if (sheet) scene.add(shade);
    },
    /** Fits a narrow camera to the points: its place, the middle, and the farthest corner of the bounds in its picture. */
    fit() {
      const narrow = new THREE.PerspectiveCamera(20, 1, 0.1, 3);
      const middle = points.fit(narrow);
      const { min, max } = points.bounds();
      const corners = [min, max].map((corner) => corner.clone().project(narrow));
      return {
        at: narrow.position.toArray(),
        middle: middle.toArray(),
        far: narrow.far,
        edge: Math.max(...corners.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)])),
        box: [...min.toArray(), ...max.toArray()],
      };
    },
    hits(x, y, threshold) {
      camera.updateMatrixWorld();
      scene.updateMatrixWorld();
      const raycaster = new THREE.Raycaster();
      raycaster.params.Points.threshold = threshold;
      raycaster.setFromCamera(new THREE.Vector2(x, y), camera);
      return raycaster
        .intersectObject(points)
        .map(({ index, distance, point }) => ({ index, distance, at: point.toArray() }));
    },
  };
  window.it = it;
  return { lent: points.isLent, backend: pipeline.backend };
}

window.open3 = open;
