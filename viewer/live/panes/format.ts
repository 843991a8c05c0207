/** Spells metres in millimetres, with a decimal if the sensor's unit is finer than a millimetre: "1203", "−12", "57.4". */
export function spellMm(metres: number, metresPerUnit: number): string {
  const text = (metres * 1000).toFixed(metresPerUnit < 0.00099 ? 1 : 0);
  // Zero gets no minus sign.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** Spells a standard deviation in mm, with two digits from 0.1 mm on: "0.42", "3.1", "12". */
export function spellSpread(metres: number): string {
  const mm = metres * 1000;
  return mm < 1 ? mm.toFixed(2) : mm < 10 ? mm.toFixed(1) : mm.toFixed(0);
}
