/** Spells metres in millimetres, with a decimal if the sensor's unit is finer than a millimetre: "1203", "−12", "57.4". */
export function spellMm(metres: number, metresPerUnit: number): string {
  const text = (metres * 1000).toFixed(metresPerUnit < 0.00099 ? 1 : 0);
  // Zero gets no minus sign.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** Spells how much something varies, in mm: "0.04", "0.4", "3.1", "12". */
export const spellSpread = (mm: number): string => mm.toFixed(mm < 0.095 ? 2 : mm < 9.95 ? 1 : 0);
