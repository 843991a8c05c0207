import { inflateSync } from "node:zlib";

/** A chunk of a bag, plain and packed by Python's bz2, since the project has no bzip2 encoder. */
export const packed = Buffer.from(
  [
    "QlpoOTFBWSZTWSg98iEAAPT////+U8rFE/96zO7aW7/n/uQAJAEgAQBIAgAyAZAoAGIFwAJbWbswM4aKT0KNND0geoNqAPU/VGjQ",
    "aAGmQaAAPU0Bsp5Gp7SgJJCm0ymmjFTZQbU/UmgADJpkAAAAAAABpoGKUzSmgYmg0aNMQ0NABowmgNAyBpiAADTTQJKappNihoHi",
    "JoNAAAAA0AAAAAAADNG2I4cz6AeLA9oK6QYg0onHMuXAEAp0NSSQwA/Di5FxFDsqvLy/PSArWFUzmFLM5A+D3pJhkECDKCMQokER",
    "FhOh507D9pFmjCfNPr8WXL3c6/L2+mkfrtGlrbtSrX7HrL8H3DFatxqkzybIVeKpy4u/YZEpkkNt0qxg15xkr4Hu+8SH/Z7MgQIh",
    "aHyr8pgRrELbOTfkA4qwitjMARA0xp2sqyC8tfyeaQ4cKrGf7TMXd2UPDcGkDGA+pLZlLwQtarQugLox5QPFUw+eihokacqKPs+g",
    "kUQlwZMD+7cqDyW6xDDITUwXQNyUUGVyaLRnhAuEKKa4DszRRjATQkSa0ZSlocOOA2MDTSDG5TYDWqEsESATs4GJgdA47FBz5BVQ",
    "Oj8bxt3ELxWbpGOBSVEpE5BcKb8BSs9s0cQcOGOUeMLLToEE6dGVWQBwwpJPGKSB8CsuNALFhOCWvSuQ4KCSKkoorU67Q0DgKOjN",
    "Zh6MBG0MZkKTaSUTENXTEw1yCuRtWDtyORcgcZHDIaaJImUxQQGIIYgmSUCM1h5oZM2jiLqsKIIomi0MqaRXSi8YKHizsJ6ZLGYk",
    "w+EcuRE2oL4lqAqURKEHkTKAfo9ZKFnTEKeDhzIYnKgEkBEqcnMD6HDySYnwk1RurGaMkIEUgprGcDAxgts/nzk0LW/xdyRThQkC",
    "g98iEA==",
  ].join(""),
  "base64",
);

export const plain = inflateSync(
  Buffer.from(
    [
      "eNrVVE9rE0EUn+zbql0VvNgKIu5BPHgwJmpolSVCBROKVCoFscRlNzO7GcjOrDMT2oBfQPAs+AU8C579AApeFbyJX6AevInx7aaJ",
      "SdhCChX0wfDeb96fefNm3lshhNi4ZOodX0TelkJ4yMlFXEamvO2V20HCVFCmLDWdfeBzEcltay6z85lJP2WeZkJL5Sc61uW1XN9E",
      "9QlUJ/Sm7iXelUWMmDCtg5j5lEVccMOl8BosoEy5nZw5PS7M9SoiHnfMCO1wajqONoqL2KVcG6kyVz+RlHWdqCsDU7ux3XLvjuXV",
      "lrs+CTbHoFJtuQ9GgUMuBMb0d2c3+s4mi/GIjagpDFNMG1dJ7nhHTM79h/duudrQYd0aUzXQ7KljeMJQHyTp6PqRwuL6nP6tXCae",
      "cbYEo8R2fRlFmo1xfwYXPV4oZdel0lesbXjUdy7/+ZrW1Nc8nX0ovLVHzjzxs43HJZJTxqyhmHsew5V5pt1eEvqhDBfIYWnpzjS2",
      "Z/DZffyzXuy/Vyf/O9WKRkRW6gsH9D5Psv5Vwc5GaQ6jpaLx0My0k5PBLh3JZGCiLSkKuXLF5doPecwE5YEY95Rh6VCN44IGJvin",
      "WrqwKUqFTUEOboqsDyq1rbUKOYXStVz33vpkfbP20NSBZbgEFSBkHR4BA4XSC3gFr+EtSh/hCwwGc+bx9cfCYfO4CrehAVt4koRn",
      "8BxeovQG3sEH+IzSd/gFJ+1zGKBq1+3B4Dcr93yE",
    ].join(""),
    "base64",
  ),
);
