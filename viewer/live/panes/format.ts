/** Millimetres from metres, as fine as the sensor's unit lets it be: "1203", "−12", "57.4". */
export function spellMm(metres: number, metresPerUnit: number): string {
  const text = (metres * 1000).toFixed(metresPerUnit < 0.00099 ? 1 : 0);
  // No minus before a nought.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A spread in mm, to two figures from a tenth on: "0.42", "3.1", "12". */
export function spellSpread(metres: number): string {
  const mm = metres * 1000;
  return mm < 1 ? mm.toFixed(2) : mm < 10 ? mm.toFixed(1) : mm.toFixed(0);
}
