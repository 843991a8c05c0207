import { html, styleOf } from "../../viewer/report/html.ts";
import { pngOf } from "./cache.ts";
import type { Rgba } from "./light.ts";
import { type DofReport, type SceneReport, tableOf } from "./report.ts";

/** A view's pictures by name, in display order. */
export type Pictures = ReadonlyMap<string, Rgba>;

/** The difference of two pictures, amplified four times, around grey. */
export function difference(a: Rgba, b: Rgba): Rgba {
  return { ...a, rgba: a.rgba.map((x, i) => (i % 4 === 3 ? 255 : 128 + 4 * (x - b.rgba[i]))) };
}

const STYLE = `body{font:14px/1.4 system-ui,sans-serif;margin:2em;background:#fff;color:#222}
pre{overflow-x:auto}figure{display:inline-block;margin:0 8px 8px 0}figcaption{color:#555}img{display:block;max-width:100%}`;

/** Makes a self-contained page with all pictures side by side. */
export function sheetOf(report: DofReport, pictures: ReadonlyMap<SceneReport, Pictures>): string {
  const sections = [...pictures].map(([scene, byName]) => {
    const figures = [...byName].map(([name, picture]) => {
      const source = `data:image/png;base64,${Buffer.from(pngOf(picture)).toString("base64")}`;
      return html`<figure><img src="${source}" width="${picture.width}" height="${picture.height}" alt="${name}"><figcaption>${name}</figcaption></figure>`;
    });
    const words = `focus at ${scene.focusM} m, f/${scene.fNumber}; against the single layer ${scene.psnr} dB, SSIM ${scene.ssim}, FLIP ${scene.flip}`;
    return html`<h2>${scene.name}</h2><p>${words}</p>${figures}`;
  });
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Depthloom: depth of field</title>${styleOf(STYLE)}</head><body>
<h1>Depth of field against the truth</h1><pre>${tableOf(report)}</pre>
${sections}</body></html>
`.toString();
}
