/**
 * Runs of points become patches of their surface in the picture, four at a time: the third step of project.ts' `shape`, in its order
 * and with its names.
 */
import { abs, add, all, choose, div, more, mul, sqrt, sub } from "../../core/assembly/vectors.ts";
import { LEAST, POINT_SCALE } from "../layout.ts";
import { Patches, Places } from "./place.ts";

/** Of what place.ts and neighbours.ts wrote: a patch's middle and size. */
export function patch(places: usize, count: i32, view: usize): void {
  if (count <= 0) return;
  const pointScale = v128.load_splat<f32>(view, 4 * POINT_SCALE);
  do {
    const it = changetype<Places>(places);
    const size = mul(pointScale, it.long);
    const size2 = mul(pointScale, it.high);
    const rightX = it.rightX;
    const rightY = it.rightY;
    const downX = it.downX;
    const downY = it.downY;
    const deeperX = it.deeperX;
    const deeperY = it.deeperY;
    // From the halves on either side.
    const rightX1 = mul(size, add(rightX, mul(deeperX, it.toRight)));
    const rightY1 = mul(size, add(rightY, mul(deeperY, it.toRight)));
    const rightX2 = mul(size, sub(rightX, mul(deeperX, it.toLeft)));
    const rightY2 = mul(size, sub(rightY, mul(deeperY, it.toLeft)));
    const downX1 = mul(size2, add(downX, mul(deeperX, it.toDown)));
    const downY1 = mul(size2, add(downY, mul(deeperY, it.toDown)));
    const downX2 = mul(size2, sub(downX, mul(deeperX, it.toUp)));
    const downY2 = mul(size2, sub(downY, mul(deeperY, it.toUp)));
    const right1 = square(rightX1, rightY1);
    const right2 = square(rightX2, rightY2);
    const down1 = square(downX1, downY1);
    const down2 = square(downX2, downY2);
    // Its own axis is the shorter of the two ways, the longer half of it.
    const wide = f32x4.lt(more(down1, down2), more(right1, right2));
    const first = choose(wide, f32x4.le(down2, down1), f32x4.le(right2, right1));
    const length = sqrt(choose(wide, more(down1, down2), more(right1, right2)));
    const alongX = choose(first, choose(wide, downX1, rightX1), choose(wide, downX2, rightX2));
    const alongY = choose(first, choose(wide, downY1, rightY1), choose(wide, downY2, rightY2));
    const along = more(length, all(LEAST));
    const least = f32x4.lt(length, all(LEAST));
    const axisX = div(choose(least, all(LEAST), alongX), along);
    const axisY = div(v128.andnot(alongY, least), along);
    // Across that it is as high as the higher half of the other.
    const height1 = cross2(axisX, axisY, choose(wide, rightX1, downX1), choose(wide, rightY1, downY1));
    const height2 = cross2(axisX, axisY, choose(wide, rightX2, downX2), choose(wide, rightY2, downY2));
    // And as its own way bends, which noise has it do: patches that are turned differently meet all the same.
    const bendX = choose(wide, sub(downX1, downX2), sub(rightX1, rightX2));
    const bendY = choose(wide, sub(downY1, downY2), sub(rightY1, rightY2));
    const bend = abs(cross2(axisX, axisY, bendX, bendY));
    const sides = cross2(add(rightX1, rightX2), add(rightY1, rightY2), add(downX1, downX2), add(downY1, downY2));
    const x = add(it.x, add(mul(rightX1, it.middle), mul(downX1, it.middle2)));
    const y = add(it.y, add(mul(rightY1, it.middle), mul(downY1, it.middle2)));
    const to = changetype<Patches>(places);
    to.x = x;
    to.y = y;
    to.axisX = axisX;
    to.axisY = axisY;
    to.along = along;
    to.across = more(add(more(abs(height1), abs(height2)), bend), all(LEAST));
    to.area = mul(all(0.25), abs(sides));
    places += offsetof<Places>();
    count -= 4;
  } while (count > 0);
}

function square(x: v128, y: v128): v128 {
  return add(mul(x, x), mul(y, y));
}

function cross2(ax: v128, ay: v128, bx: v128, by: v128): v128 {
  return sub(mul(ax, by), mul(ay, bx));
}
