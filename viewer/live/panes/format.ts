/** Spells metres in millimetres, with a decimal if the sensor's unit is finer than a millimetre: "1203", "−12", "57.4". */
export function spellMm(metres: number, metresPerUnit: number): string {
  const text = (metres * 1000).toFixed(metresPerUnit < 0.00099 ? 1 : 0);
  // Zero gets no minus sign.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
