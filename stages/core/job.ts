// Indices of the first words of a job, in the memory that its threads share. The AssemblyScript kernels import them too.

/** The number of parts that no thread has taken. */
export const LEFT = 0;
/** The number of parts that are not finished. */
export const PENDING = 1;
/** The number of jobs so far. A thread waits on this word between two jobs. */
export const JOBS = 2;
/** Where the words of the particular job begin. */
export const JOB_HEAD = 3;
