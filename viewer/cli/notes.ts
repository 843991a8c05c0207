import { Help } from "commander";

/**
 * The notes below a command's options, wrapped as the options are: at the terminal's width, or at 80 columns. A line that ends a sentence
 * ends a paragraph; lines that begin with a space stay as they are.
 */
export const notes = (text: string) => () => {
  const paragraphs: string[] = [];
  for (const line of text.split("\n")) {
    const last = paragraphs.at(-1) ?? "";
    const goesOn = /^\S.*[^.:]$/.test(last) && /^\S/.test(line);
    if (goesOn) paragraphs.push(`${paragraphs.pop()} ${line}`);
    else paragraphs.push(line);
  }
  return new Help().boxWrap(paragraphs.join("\n"), (process.stdout.isTTY && process.stdout.columns) || 80);
};
