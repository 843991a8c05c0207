import { type Html, html } from "../../core/html.ts";
import { machineLine, pageOf, section } from "../report/page.ts";
import { pngOf } from "./cache.ts";
import type { Rgba } from "./light.ts";
import { type DofReport, type SceneReport, tablesOf } from "./report.ts";

/** A view's pictures by name, in display order. */
export type Pictures = ReadonlyMap<string, Rgba>;

/** The difference of two pictures, amplified four times, around grey. */
export function difference(a: Rgba, b: Rgba): Rgba {
  return { ...a, rgba: a.rgba.map((x, i) => (i % 4 === 3 ? 255 : 128 + 4 * (x - b.rgba[i]))) };
}

/** A picture with its name, as a page holds it. */
export function figure(name: string, picture: Rgba): Html {
  const source = `data:image/png;base64,${Buffer.from(pngOf(picture)).toString("base64")}`;
  return html`<figure><img src="${source}" width="${picture.width}" height="${picture.height}" alt="${name}"><figcaption>${name}</figcaption></figure>`;
}

/** Makes a self-contained page with all pictures side by side. */
export function sheetOf(report: DofReport, pictures: ReadonlyMap<SceneReport, Pictures>): string {
  const sections = [...pictures].map(([scene, byName]) => {
    const words = `focus at ${scene.focusM} m, f/${scene.fNumber}; against the single layer ${scene.psnr} dB, SSIM ${scene.ssim}`;
    return section(
      scene.name,
      words,
      [...byName].map(([name, picture]) => figure(name, picture)),
    );
  });
  return pageOf("Depth of field against the truth", [machineLine(report.machine)], [...tablesOf(report), ...sections]);
}
