import {
  DoubleSide,
  GLSL3,
  type Material,
  MeshBasicMaterial,
  MeshLambertMaterial,
  ShaderMaterial,
  Vector4,
  type WebGLRenderer,
} from "three";
import type { PointForm } from "./form.ts";
import { MOST_PX } from "./pointSize.ts";

/** In Three.js' axes: the sensor's y is down and its z forward. */
const PLACE = "vec3 place = uintBitsToFloat(point.xyz) * vec3(1.0, -1.0, -1.0);";

/** The shader code for points in place of that for a mesh's vertices, by the part of Three.js' shaders that it replaces or follows. */
const VERTEX: Readonly<Record<string, string>> = {
  "#include <common>": /* glsl */ `#undef FLAT_SHADED
#include <common>
in uvec4 point;
uniform float spread;
uniform vec4 viewport;
flat out vec3 tone;`,
  "void main() {": `void main() { ${PLACE}
  tone = vec3((uvec3(point.w) >> uvec3(0u, 8u, 16u)) & 255u) / 255.0;`,
  // The surface faces the sensor, which saw it.
  "#include <beginnormal_vertex>": "vec3 objectNormal = normalize(-place);",
  "#include <begin_vertex>": "vec3 transformed = place;",
  "#include <project_vertex>": /* glsl */ `#include <project_vertex>
  float focalPx = projectionMatrix[1].y * viewport.w / 2.0;
  float side = clamp(ceil(spread * focalPx * -place.z / gl_Position.w), 1.0, ${MOST_PX.toFixed(1)});
  gl_Position.xy += position.xy * side / viewport.zw * gl_Position.w;`,
};

const FRAGMENT: Readonly<Record<string, string>> = {
  // Three.js has meshes without normals shaded flat.
  "#include <common>": "#undef FLAT_SHADED\n#include <common>\nflat in vec3 tone;",
  "#include <color_fragment>": "diffuseColor.rgb = sRGBTransferEOTF(vec4(tone, 1.0)).rgb;",
};

const changed = (shader: string, parts: Readonly<Record<string, string>>) =>
  Object.entries(parts).reduce((text, [part, other]) => text.replace(part, other), shader);

/** The same square in space, turned to the light, not rounded to pixels. */
const shadowVertexShader = /* glsl */ `
in uvec4 point;
uniform float spread;
void main() {
  ${PLACE}
  vec4 at = modelViewMatrix * vec4(place, 1.0);
  at.xy += position.xy * spread * -place.z * length(modelViewMatrix[0].xyz) / 2.0;
  gl_Position = projectionMatrix * at;
}`;

/** How a `WebGLRenderer` draws points; they are uploaded for each frame. `lit`: see `PointsOptions`. */
export function glForm(lit: boolean): PointForm {
  const spread = { value: 0 };
  const viewport = { value: new Vector4() };
  const material: Material = lit ? new MeshLambertMaterial() : new MeshBasicMaterial();
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { spread, viewport });
    shader.vertexShader = changed(shader.vertexShader, VERTEX);
    shader.fragmentShader = changed(shader.fragmentShader, FRAGMENT);
  };
  material.shadowSide = DoubleSide;
  material.onBeforeRender = (renderer: WebGLRenderer) => void renderer.getCurrentViewport(viewport.value);
  const shadowMaterial = new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: shadowVertexShader,
    // Nobody reads a shadow map's colour, but WebGL draws nothing if the shader writes none.
    fragmentShader: "layout(location = 0) out highp vec4 color;\nvoid main() { color = vec4(1.0); }",
    uniforms: { spread },
  });
  return { material, spread, shadowMaterial };
}
