// The two pages of the site that do something: the first one, which plays a recording, and the search.
const compare = document.getElementById("compare");
if (compare) {
  const view = document.querySelector("depthloom-view");
  compare.addEventListener("input", () => view.setAttribute("compare", compare.value));
  await import("./library/element.js");
}

const words = document.getElementById("words");
if (words) {
  const parts = await (await fetch("search.json")).json();
  const [found, results] = [document.getElementById("found"), document.getElementById("results")];
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (text) => wanted.every((word) => text.toLowerCase().includes(word));
    const all = wanted.length === 0 ? [] : parts.filter(([, title, text]) => has(`${title} ${text}`));
    // Headings with the words come first.
    const sorted = [...all.filter(([, title]) => has(title)), ...all.filter(([, title]) => !has(title))];
    found.textContent = wanted.length === 0 ? "" : `${sorted.length} parts of the guides have these words`;
    results.replaceChildren(
      ...sorted.slice(0, 50).map(([href, title]) => {
        const [item, link] = [document.createElement("li"), document.createElement("a")];
        Object.assign(link, { href, textContent: title.replace(/[`*]/g, "") });
        item.append(link);
        return item;
      }),
    );
    history.replaceState(null, "", words.value ? `?q=${encodeURIComponent(words.value)}` : location.pathname);
  };
  // A reader may have typed before search.json came.
  words.value ||= new URLSearchParams(location.search).get("q") ?? "";
  words.addEventListener("input", show);
  show();
}
