// Where Newton's method begins (shaders/core/exact.wgsl). A float's bits are read as a whole number: FIRST_RECIPROCAL minus the bits of x
// are the bits of the first guess of 1 / x, and FIRST_ROOT minus half the bits of x those of 1 / √x. AssemblyScript imports this file.

export const FIRST_RECIPROCAL = 0x7ef311c7;
export const FIRST_ROOT = 0x5f375a86;
