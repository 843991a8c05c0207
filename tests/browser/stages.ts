import { expect, test } from "vitest";
import { registry } from "../../stages/registry.ts";
import { type AppPage, unfold } from "./appPage.ts";

const NO_LENS = { metresPerUnit: 0.001, intrinsics: { fx: 500, fy: 500, cx: 320, cy: 240, width: 640, height: 480 } };
const all = [...registry.values()];
/** The stages that the page runs by default on frames of a camera without distortion: default filters, and what shows their result. */
export const FILTERED = all
  .filter((make) => (make.byDefault || make.role !== "filter") && make().needed(NO_LENS))
  .map(({ stageName }) => stageName);
const SHOWN = all.filter(({ role }) => role !== "filter").map(({ stageName }) => stageName);

/** Tests of the stages' cards. */
export function stageTests(opened: { readonly it: AppPage }): void {
  test("a stage's card turns it off, moves it to the CPU and sets it; B turns all filters off while held", async () => {
    const { it } = opened;
    const { page } = it;
    await expect.poll(() => it.stages()).toEqual(FILTERED);
    const median = page.locator(".stage[data-stage=median]");
    await unfold(median);
    await median.getByRole("switch", { name: "median" }).uncheck();
    await expect.poll(() => it.stages()).toEqual(FILTERED.filter((name) => name !== "median"));
    await page.keyboard.down("b");
    await expect.poll(() => it.stages()).toEqual(SHOWN);
    await page.keyboard.up("b");
    await expect.poll(() => it.stages()).toEqual(FILTERED.filter((name) => name !== "median"));
    await median.getByRole("switch", { name: "median" }).check();
    const onCpu = median.getByLabel("Run on the CPU", { exact: true });
    await unfold(onCpu);
    await onCpu.check();
    await expect.poll(() => page.locator(".latency .clock").textContent()).toMatch(/^wall clock/);
    await median.getByText("5", { exact: true }).click();
    await expect.poll(() => it.stages()).toEqual(FILTERED);
    await it.keep("stages");
  });
}

/** Tests of the presets. */
export function presetTests(opened: { readonly it: AppPage }): void {
  test("a preset sets the filters, or turns them off", async () => {
    const { it } = opened;
    const preset = it.page.getByLabel("Preset", { exact: true });
    await preset.selectOption("raw");
    await expect.poll(() => it.stages()).toEqual(SHOWN);
    await preset.selectOption("strong");
    const sigma = it.page.locator(".stage[data-stage=bilateralGrid] input[type=number]").first();
    expect(await sigma.inputValue()).toBe("16");
    await preset.selectOption("default");
    await expect.poll(() => it.stages()).toEqual(FILTERED);
  });
}

/** Tests of a parameter that sets the defaults of others. */
export function gridTests(opened: { readonly it: AppPage }): void {
  test("the grid's choice of fit shows the sigmas that go with it, except one that the user set", async () => {
    const { it } = opened;
    const shown = () => Promise.all(["Reach", "Depth tolerance"].map((name) => it.field(name).inputValue()));
    expect(await shown()).toEqual(["8", "3"]);
    await it.choose("constant");
    expect(await shown()).toEqual(["16", "50"]);
    await it.type("Depth tolerance", 40);
    await it.choose("plane");
    expect(await shown()).toEqual(["8", "40"]);
  });
}
