/** The value of a 16-bit float (IEEE 754 binary16); infinities become NaN. */
export function halfOf(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size =
    exponent === 0 ? fraction / 2 ** 24 : exponent === 31 ? Number.NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}
