import { DoubleSide, GLSL3, ShaderMaterial, UniformsLib, UniformsUtils, Vector4, type WebGLRenderer } from "three";
import type { PointForm } from "./form.ts";
import { MOST_PX } from "./pointSize.ts";

/** In Three.js' axes: the sensor's y is down and its z forward. */
const PLACE = "vec3 place = uintBitsToFloat(point.xyz) * vec3(1.0, -1.0, -1.0);";

const vertexShader = /* glsl */ `
#include <common>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
in uvec4 point;
uniform float spread;
uniform vec4 viewport;
flat out vec3 tone;
void main() {
  ${PLACE}
  vec4 mvPosition = modelViewMatrix * vec4(place, 1.0);
  gl_Position = projectionMatrix * mvPosition;
  float focalPx = projectionMatrix[1].y * viewport.w / 2.0;
  float side = clamp(ceil(spread * focalPx * -place.z / gl_Position.w), 1.0, ${MOST_PX.toFixed(1)});
  gl_Position.xy += position.xy * side / viewport.zw * gl_Position.w;
  tone = vec3((uvec3(point.w) >> uvec3(0u, 8u, 16u)) & 255u) / 255.0;
  #include <logdepthbuf_vertex>
  #include <clipping_planes_vertex>
  #include <fog_vertex>
}`;

const fragmentShader = /* glsl */ `
#include <common>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
flat in vec3 tone;
layout(location = 0) out highp vec4 outColor;
#define gl_FragColor outColor
void main() {
  #include <clipping_planes_fragment>
  #include <logdepthbuf_fragment>
  gl_FragColor = sRGBTransferEOTF(vec4(tone, 1.0));
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
  #include <fog_fragment>
}`;

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

/** How a `WebGLRenderer` draws points; they are uploaded for each frame. */
export function glForm(): PointForm {
  const spread = { value: 0 };
  const viewport = { value: new Vector4() };
  const material = new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader,
    fragmentShader,
    fog: true,
    clipping: true,
    uniforms: { ...UniformsUtils.clone(UniformsLib.fog), spread, viewport },
  });
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
