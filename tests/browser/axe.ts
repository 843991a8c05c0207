import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core has against a page, by rule, with the HTML of each element concerned; an empty list is a page without findings. */
export async function axeFindings(page: Page, ...except: readonly string[]) {
  // As text, because the page's policy refuses a script from elsewhere.
  await page.evaluate(axe.source);
  return page.evaluate(async (ignored) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document);
    const found = violations.filter(({ id }) => !ignored.includes(id));
    return found.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
  }, except);
}
