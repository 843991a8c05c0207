/** A text of the measurements in the words of a page, on which pixels are clicked. */
export const inPage = (text: string): string =>
  text.startsWith("this may be a wall")
    ? "This may be a wall. Press Floor and click the floor."
    : text
        .replace("name a pixel on a top", "click a flat top")
        .replace("name a pixel of", "press Floor and click")
        .replace(/pixel \S+ sees the floor/, "this is the floor");
