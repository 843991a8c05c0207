// Indices of words that threads share (threadPool.ts, threads.ts). The AssemblyScript kernels import those of a job.

// A job's first words, in the memory that its threads share:
/** The number of parts that no thread has taken. */
export const LEFT = 0;
/** The number of parts that are not finished. */
export const PENDING = 1;
/** Not 0 if a thread failed in one of the parts. */
export const FAILED = 2;
/** The address of the first thread's scratch memory; the other threads' memories follow, each of `SCRATCH_SIZE` bytes. */
export const SCRATCHES = 3;
export const SCRATCH_SIZE = 4;
/** Where the words of the particular job begin. */
export const JOB_HEAD = 5;

// Words that all threads share:
/** The number of calls so far. A thread waits on this word between two jobs. */
export const CALLS = 0;
/** The number of the member whose job is called. */
export const CALLED = 1;
/** Where the threads' own words begin: each counts the messages that were sent to its thread. */
export const CALL_WORDS = 2;
