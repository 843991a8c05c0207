// Licences that bundled packages owe and do not carry: of the C libraries that are compiled into their WebAssembly, and of data.

const CONDITIONS = `Redistribution and use in source and binary forms, with or without modification,
are permitted provided that the following conditions are met:

* Redistributions of source code must retain the above copyright notice, this
  list of conditions and the following disclaimer.

* Redistributions in binary form must reproduce the above copyright notice, this
  list of conditions and the following disclaimer in the documentation and/or
  other materials provided with the distribution.
`;

const DISCLAIMER = `THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR
ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON
ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

/** By package: the licence of the C library or the data in it. (SQLite, in `@foxglove/sql.js`, is in the public domain.) */
export const COMPILED_IN: Readonly<Record<string, string>> = {
  "@jsquash/jpeg": `MozJPEG, which is based on libjpeg-turbo. This software is based in part on the work of the Independent JPEG Group.

Copyright (C) 2009-2022 D. R. Commander. All Rights Reserved.
Copyright (C) 2014, Mozilla Corporation.
Copyright (C) 2015 Viktor Szathmáry. All Rights Reserved.

${CONDITIONS}
* Neither the name of the libjpeg-turbo Project nor the names of its contributors may be used to
  endorse or promote products derived from this software without specific
  prior written permission.

${DISCLAIMER}`,
  "js-aruco2": `The dictionary tag36h11 of AprilTag

Copyright (C) 2013-2016, The Regents of The University of Michigan.
All rights reserved.

${CONDITIONS}
${DISCLAIMER}`,
  "@foxglove/wasm-lz4": `LZ4 Library
Copyright (c) 2011-2020, Yann Collet
All rights reserved.

${CONDITIONS}
${DISCLAIMER}`,
  "@foxglove/wasm-zstd": `BSD License

For Zstandard software

Copyright (c) 2016-2022, Meta Platforms, Inc. and affiliates. All rights reserved.

${CONDITIONS}
* Neither the name Facebook nor the names of its contributors may be used to
  endorse or promote products derived from this software without specific
  prior written permission.

${DISCLAIMER}`,
};
