import { expect, test } from "vitest";
import type { Field } from "../../viewer/live/state/field.ts";
import { viewSchema } from "../../viewer/live/state/settings.ts";
import { useApp } from "./app.ts";
import { openFold } from "./folds.ts";

// A link that is followed while the page is open sets every field at once: each control shows its field's value, and each part of
// the page follows its fields.

const app = useApp();
// A list of places in the image ("text") has no control; tests/browser/readings.test.ts follows a link with such lists.
const fields = Object.entries<Field>(viewSchema).filter(([, { kind }]) => kind !== "text");

/** A value other than the default that the field's control can show without a recording. */
function another({ kind, initial, choices = [], max = 1 }: Field) {
  if (kind === "toggle") return !initial;
  return kind === "choice" ? choices.find((choice) => choice !== initial) : Math.min(max, Number(initial) + 1);
}

/** The values that the controls with this label show, in the words of the table of fields; empty if the page has no such control. */
function shownBy(label: string): string[] {
  const named = (selector: string) =>
    [...document.querySelectorAll(selector)].filter((found) => found.textContent === label);
  const shown: string[] = [];
  for (const input of document.querySelectorAll<HTMLInputElement>("input[role=switch]"))
    if (input.ariaLabel === label && !input.closest(".card, .stage")) shown.push(`${input.checked}`);
  for (const list of document.querySelectorAll("select"))
    if (list.ariaLabel === label) shown.push(list.selectedOptions[0]?.textContent?.replace(/×$/, "") ?? "");
  for (const legend of named("legend"))
    shown.push(legend.parentElement?.querySelector("input:checked + span")?.textContent ?? "");
  for (const name of named("#panel .view .range .name"))
    shown.push(name.parentElement?.querySelector("input")?.value ?? "");
  return shown;
}

test("a followed link changes every control and part of the page, and an empty one restores the defaults", async () => {
  const it = await app.open("backend=cpu&source=none");
  // The browser's software WebGL says so of a screenshot with the pane "Scan" in it.
  it.allowed = /GPU stall due to ReadPixels/;
  const { page } = it;
  const goTo = (hash: string) =>
    page.evaluate((text) => {
      location.hash = text;
    }, hash);
  // Sets every field to a value other than its default.
  const set = fields.map(([name, field]) => [name, field, another(field)] as const);
  await goTo(set.map(([name, , value]) => `${name}=${value}`).join("&"));
  let controls = 0;
  for (const [name, { label, names }, value] of set) {
    const expected = names?.[String(value)] ?? String(value);
    const shown = await page.evaluate(shownBy, label);
    controls += shown.length;
    for (const one of shown) expect([name, one]).toEqual([name, expected]);
  }
  expect(controls).toBeGreaterThan(25);
  for (const pane of ["Depth image", "Colour image", "Numbers over time"]) {
    expect(await page.getByRole("region", { name: pane, exact: true }).isVisible(), pane).toBe(true);
  }
  expect(await page.locator("#panes").getAttribute("data-layout")).toBe("inset");
  await it.keep("store-all");

  // The list of speeds has one that only a link can set, too.
  await goTo("rate=3");
  expect(await page.getByLabel("Speed").evaluate((list) => (list as HTMLSelectElement).value)).toBe("3");

  await goTo("");
  for (const [name, { label, names, initial }] of fields) {
    // Without a GPU the resolution starts at half.
    const value = name === "detail" ? 0.5 : initial;
    for (const one of await page.evaluate(shownBy, label)) {
      expect([name, one]).toEqual([name, names?.[String(value)] ?? String(value)]);
    }
  }
  expect(await page.getByRole("region", { name: "Depth image", exact: true }).isVisible()).toBe(false);
  await expect.poll(() => new URL(page.url()).hash).toBe("");

  // A change that the page has not written yet does not win over the address that the user enters next.
  await openFold(page, "More of the view");
  const path = page.getByRole("switch", { name: "Camera path" });
  await path.evaluate((input) => {
    (input as HTMLInputElement).click();
    location.hash = "floor=true";
    dispatchEvent(new Event("pagehide"));
  });
  await expect.poll(() => page.getByRole("switch", { name: "Grid below the scene" }).isChecked()).toBe(true);
  expect(await path.isChecked()).toBe(true);
});
