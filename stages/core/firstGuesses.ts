// The first guess of 1 / x has these bits less those of x, that of 1 / √x these less half of those. AssemblyScript imports this file.

export const FIRST_RECIPROCAL = 0x7ef311c7;
export const FIRST_ROOT = 0x5f375a86;
