/**
 * The script of the quality table's page: a click on a column's head sorts the recordings by that column, and a second click turns the
 * order round. Each recording is a tbody. Recordings without a value stay at the end. It reads the values from the cells' `data-value` and
 * writes nothing but the order.
 */
export const SORTING = `
for (const head of document.querySelectorAll("th[data-column]")) {
  head.querySelector("button").addEventListener("click", () => {
    const down = head.ariaSort === "ascending";
    for (const other of document.querySelectorAll("th")) other.ariaSort = null;
    head.ariaSort = down ? "descending" : "ascending";
    const table = document.querySelector("table");
    const valueOf = (body) => body.querySelector("td[data-column=" + head.dataset.column + "]").dataset.value;
    const compare = (a, b) => {
      const [one, other] = [valueOf(a), valueOf(b)];
      const missing = (one === "") - (other === "");
      if (missing !== 0) return missing;
      const order = head.className === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });
      return down ? -order : order;
    };
    table.append(...[...table.tBodies].sort(compare));
  });
}
`;
