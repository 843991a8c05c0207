#!/bin/sh
#SBATCH --array=0-3
#SBATCH --ntasks=1
#SBATCH --output=depthloom-%A_%a.log
# A job array: each task works on its part of the recordings, by its number in the environment. A task in which some
# recordings failed (1) or fall short (3) has ended well. One in which all (4) or more than a tenth (5) failed has not.
# sbatch slurm.sh RECORDINGS RESULTS [more options of batch]
recordings=$1 results=$2
shift 2
${DEPTHLOOM:-npx --yes depthloom@0.1.0} batch "$recordings" --out "$results" --to mcap --jobs 1 \
  --timeout 3600 --max-failed 10% "$@"
status=$?
[ "$status" -eq 1 ] || [ "$status" -eq 3 ] || exit "$status"
