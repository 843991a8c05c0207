/** A frame's number is the last number in the name of its file. */
const numberOf = (name: string) => Number(name.match(/\d+(?=\D*$)/)?.[0] ?? Number.NaN);

/**
 * A warning if numbers are missing in names that otherwise count by one; `undefined` if none is, or if the names count otherwise. Time
 * stamps follow the images' order, so where an image is missing all later images play too early.
 */
export function missingNumbers(names: readonly string[], fps: number): string | undefined {
  const steps = names.slice(1).map((name, i) => numberOf(name) - numberOf(names[i] ?? ""));
  const gaps = steps.filter((step) => step > 1);
  const counted = steps.filter((step) => step === 1).length;
  if (gaps.length === 0 || counted + gaps.length < steps.length || counted <= gaps.length) return undefined;
  const after = names[steps.findIndex((step) => step > 1)];
  const missing = gaps.reduce((sum, step) => sum + step - 1, 0);
  const [images, play] = missing === 1 ? ["1 image", "play"] : [`${missing} images`, "play up to"];
  return `${images} missing by the numbers in the names, the first after ${after}: the images after it ${play} ${Math.round((missing * 1000) / fps)} ms too early`;
}
