import { type Html, html, pageStart, styleOf } from "../../core/html.ts";
import { adapterOf } from "../../pipeline/device/adapter.ts";
import type { Gpu } from "../../pipeline/device/gpu.ts";
import type { TuneResult, Variant } from "../../pipeline/tune/tune.ts";
import { changesFrom, type Overrides, textOf } from "../../stages/core/tuning.ts";

const variantDocument = ({ overrides, medianUs, checked, pruned, fault }: Variant) => ({
  overrides,
  // JSON has no infinity, so a variant that did not run has the time `null`.
  medianUs: Number.isFinite(medianUs) ? Math.round(medianUs * 1000) / 1000 : null,
  checked,
  pruned,
  ...(fault === undefined ? {} : { fault }),
});

/** The document that `--json` prints for a stage. */
export function documentOf(result: TuneResult, gpu: Gpu) {
  return {
    stage: result.stage,
    adapter: adapterOf(gpu),
    variants: result.variants.map(variantDocument),
    best: variantDocument(result.best),
    default: variantDocument(result.default),
    ratios: result.ratios,
    kernels: result.kernels,
    savedTo: result.savedTo ?? null,
  };
}

interface Row {
  readonly label: string;
  has(overrides: Overrides): boolean;
}

/** A row for each value of each override constant that was tried with several values; each label begins with the kernel's name. */
function rowsOf(variants: readonly Variant[]): Row[] {
  const values = new Map<string, { kernel: string; name: string; value: number }>();
  for (const { overrides } of variants) {
    for (const [kernel, own] of Object.entries(overrides)) {
      for (const [name, value] of Object.entries(own))
        values.set(`${kernel}.${name}=${value}`, { kernel, name, value });
    }
  }
  const all = [...values.values()];
  const alone = (row: (typeof all)[number]) =>
    all.filter(({ kernel, name }) => kernel === row.kernel && name === row.name).length < 2;
  const order = (row: (typeof all)[number]) =>
    all.findIndex(({ kernel, name }) => kernel === row.kernel && name === row.name);
  return all
    .filter((row) => !alone(row))
    .sort((a, b) => order(a) - order(b) || a.value - b.value)
    .map(({ kernel, name, value }) => ({
      label: `${kernel}.${name} ${value}`,
      has: (overrides) => overrides[kernel]?.[name] === value,
    }));
}

const inOrder = (variants: readonly Variant[]) =>
  variants.filter(({ medianUs }) => Number.isFinite(medianUs)).sort((a, b) => a.medianUs - b.medianUs);

/** The shortest time of a variant with this value, relative to the best of all. */
function bestWith(row: Row, sorted: readonly Variant[]): string {
  const found = sorted.find(({ overrides }) => row.has(overrides));
  const [first] = sorted;
  return found && first ? `${(found.medianUs / first.medianUs).toFixed(2)}×` : "";
}

/**
 * Plots override values against time as text, after Lier et al. 2016: a column for each variant from fast to slow, and a row for each
 * value, with a block where the variant has that value. Behind each row stands the shortest time with the value, relative to the best of
 * all.
 */
export function figureOf(result: TuneResult, columns: number): string {
  const { stage, variants, best, default: standing, ratios } = result;
  const sorted = inOrder(variants);
  const rows = rowsOf(sorted);
  const width = Math.max(...rows.map(({ label }) => label.length), 8);
  const room = Math.max(10, columns - width - 12);
  // If there are more variants than columns, a column stands for several, and a block for at least half of them.
  const group = Math.ceil(sorted.length / room);
  const bins = Array.from({ length: Math.ceil(sorted.length / group) }, (_, i) =>
    sorted.slice(i * group, (i + 1) * group),
  );
  const cell = (row: Row, bin: readonly Variant[]) => {
    const share = bin.filter(({ overrides }) => row.has(overrides)).length / bin.length;
    return share === 0 ? "·" : share < 0.5 ? "░" : share < 1 ? "▓" : "█";
  };
  const us = (variant: Variant | undefined) => duration(variant?.medianUs ?? Number.NaN);
  const scale = `${us(sorted[0])} → ${us(sorted.at(-1))}`;
  const lines = rows.map((row) => {
    const cells = bins.map((bin) => cell(row, bin)).join("");
    return `${row.label.padStart(width)} ${cells} ${bestWith(row, sorted)}`;
  });
  return [
    `${stage}: ${variants.length} variants, fast to slow: ${scale}`,
    ...lines,
    verdict(best, standing, ratios),
    ...kernelLines(result),
  ].join("\n");
}

/** Each dispatch with its times under the workloads, for the default and the best variant. */
function kernelLines({ kernels, best, default: standing }: TuneResult): string[] {
  const lineOf = (times: TuneResult["kernels"]["best"]) => {
    const names = [...new Set(times.map(({ name }) => name))];
    return names.map((name) => {
      const own = times.filter((time) => time.name === name).map(({ us }) => duration(us).padStart(9));
      return `  ${name.padEnd(24)}${own.join("")}`;
    });
  };
  const same = best.overrides === standing.overrides;
  return [
    "default, each dispatch in a pass of its own, under each workload:",
    ...lineOf(kernels.default),
    ...(same ? [] : ["best, likewise:", ...lineOf(kernels.best)]),
  ];
}

function verdict(best: Variant, standing: Variant, ratios: readonly number[]): string {
  const times = `default ${duration(standing.medianUs)}`;
  if (textOf(best.overrides) === textOf(standing.overrides))
    return `${times}: nothing tried is faster beyond the spread`;
  const sorted = [...ratios].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.round(share * (sorted.length - 1))] ?? 1).toFixed(3);
  return `${times}, best ${duration(best.medianUs)}: ${at(0.5)}× (${at(0.1)} to ${at(0.9)}) with ${changesFrom(standing.overrides, best.overrides)}`;
}

function duration(us: number): string {
  const [value, unit] = us >= 1e6 ? [us / 1e6, "s"] : us >= 1000 ? [us / 1000, "ms"] : [us, "µs"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

const STYLE = `:root{color-scheme:light dark;--ink:#0b0b0b;--soft:#52514e;--page:#f9f9f7;--none:#ebeae4}
@media (prefers-color-scheme:dark){:root{--ink:#fff;--soft:#c3c2b7;--page:#0d0d0d;--none:#222220}}
body{margin:0 auto;max-width:1080px;padding:32px 20px;background:var(--page);color:var(--ink);font:14px/1.5 system-ui,sans-serif}
p{color:var(--soft)}svg{width:100%;height:auto}text{fill:var(--ink);font:11px system-ui,sans-serif}.end{text-anchor:end}`;

/** The same figure as a self-contained page without scripts, fonts or network access. */
export function pageOf(results: readonly TuneResult[], gpu: Pick<Gpu, "description">, data: string): string {
  const title = `depthloom tune: ${gpu.description}`;
  const about = `On a frame of ${data}, ${new Date().toISOString().slice(0, 10)}. A column is a variant, fast to slow, a row a value: filled where the
variant has it, the greener the faster. Bars: time. On the right: the best time with that value, over the best of all.`;
  const parts = results.map((result) => {
    const said = verdict(result.best, result.default, result.ratios);
    return html`<h2>${result.stage}</h2><p>${said}</p>${figure(result)}\n`;
  });
  return html`${pageStart}<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>${styleOf(STYLE)}</head><body><h1>${title}</h1><p>${about}</p>${parts}</body></html>
`.toString();
}

function figure({ variants }: TuneResult): Html {
  const sorted = inOrder(variants);
  const rows = rowsOf(sorted);
  const [left, right, bars, row, whole] = [180, 60, 90, 17, 1040];
  const step = Math.min(22, (whole - left - right) / Math.max(sorted.length, 1));
  const [least, most] = [sorted[0]?.medianUs ?? 1, sorted.at(-1)?.medianUs ?? 1];
  const marks = sorted.map((variant, i) => {
    const height = (variant.medianUs / most) * (bars - 10);
    return rect(left + i * step, bars - height, step - 1, height, hue(variant, least, most), variant);
  });
  for (const [r, one] of rows.entries()) {
    const y = bars + 8 + r * row;
    marks.push(html`<text class="end" x="${left - 8}" y="${y + 12}">${one.label}</text>`);
    for (const [i, variant] of sorted.entries()) {
      const fill = one.has(variant.overrides) ? hue(variant, least, most) : "var(--none)";
      marks.push(rect(left + i * step, y, step - 1, row - 2, fill, variant));
    }
    marks.push(html`<text x="${left + sorted.length * step + 8}" y="${y + 12}">${bestWith(one, sorted)}</text>`);
  }
  marks.push(html`<text class="end" x="${left - 8}" y="${bars}">${duration(least)} to ${duration(most)}</text>`);
  return html`<svg viewBox="0 0 ${whole} ${bars + 16 + rows.length * row}" role="img">${marks}</svg>`;
}

/** Green for the fastest, through yellow to red for three times its time and more. */
function hue({ medianUs }: Variant, least: number, most: number): string {
  const share = Math.log(medianUs / least) / Math.log(Math.max(1.01, Math.min(3, most / least)));
  return `hsl(${Math.round(140 * (1 - Math.min(1, share)))} 55% 45%)`;
}

function rect(x: number, y: number, width: number, height: number, fill: string, variant: Variant): Html {
  const title = `${duration(variant.medianUs)}: ${textOf(variant.overrides)}${variant.pruned ? " (dropped early)" : ""}`;
  const box = [x, y, Math.max(width, 0.5), Math.max(height, 0.5)].map((v) => v.toFixed(1));
  return html`<rect x="${box[0]}" y="${box[1]}" width="${box[2]}" height="${box[3]}" fill="${fill}"><title>${title}</title></rect>`;
}
