// #import "../core/args.wgsl"
// Part of move.wgsl and lookBack.wgsl: lines a workgroup's valid pixels up in `lined`, and writes them as points.
override WORKGROUP: u32 = 128u; // invocations; each has 8 pixels at a time
override PIXELS: u32 = WORKGROUP * 8u;
override ROW_VECTORS: u32;
override COLOR_STRIDE: u32; // 0 if the frame has no colour
override METRES_PER_UNIT: f32;
override CX: f32;
override CY: f32;
override INV_FX: f32;
override INV_FY: f32;

const MOST_GROUPS = 65535u; // in one dimension of a dispatch
// The distances from light to dark grey, in depth units.
struct Range { near: u32, span: u32 }

@group(0) @binding(2) var<storage, read> colors: array<u32>;
@group(0) @binding(3) var<uniform> range: Range;
@group(0) @binding(4) var<storage, read_write> points: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> args: Args;

// The workgroup's valid pixels in order: the pixel's place among the workgroup's << 16 | depth.
var<workgroup> lined: array<u32, PIXELS>;

// Writes the valid ones of eight pixels to `lined` from `start` on; `place` is the place of the first pixel.
fn lineUp(words: vec4u, place: u32, start: u32) {
  var at = start;
  for (var i = 0u; i < 8u; i++) {
    let value = (words[i / 2u] >> (i % 2u * 16u)) & 0xffffu;
    if (value != 0u) {
      lined[at] = ((place + i) << 16u) | value;
      at++;
    }
  }
}

fn movePixel(u: u32, v: u32, value: u32, at: u32) {
  let point = ray(u, v) * (f32(i32(value)) * METRES_PER_UNIT);
  points[at] = vec4u(bitcast<vec3u>(point), colorOf(u, v, value));
}

// The pixel's ray, whose z along the optical axis is 1. A driver may multiply out and fuse this expression, as NVIDIA's does; its points
// then lie some ten-thousandths of a pixel beside the twin's. (Signed, since a software GPU converts signed integers in one instruction.)
fn ray(u: u32, v: u32) -> vec3f {
  return vec3f((f32(i32(u)) - CX) * INV_FX, (f32(i32(v)) - CY) * INV_FY, 1.0);
}

// The image's colour. Pixels without a colour (alpha 0, or no image) get a grey, the darker the farther they are.
fn colorOf(u: u32, v: u32, value: u32) -> u32 {
  if (COLOR_STRIDE != 0u) {
    let color = colors[v * COLOR_STRIDE + u];
    if ((color >> 24u) != 0u) { return color; }
  }
  let far = min(max(value, range.near) - range.near, range.span);
  return 0xff000000u + (240u - far * 192u / range.span) * 0x010101u;
}

// The arguments for n points: workgroups of 256, in rows if there are very many.
fn pointArgs(n: u32) -> Args {
  let groups = (n + 255u) / 256u;
  let rows = max((groups + MOST_GROUPS - 1u) / MOST_GROUPS, 1u);
  return Args(vec4u(n, 1u, 0u, 0u), vec4u(6u, n, 0u, 0u), vec3u((groups + rows - 1u) / rows, rows, 1u), n);
}
