#!/bin/sh
#SBATCH --array=0-3
#SBATCH --ntasks=1
#SBATCH --output=depthloom-%A_%a.log
# A job array: each task works on its part of the recordings, by its number in the environment. A lone bad recording fails no task.
# sbatch slurm.sh RECORDINGS RESULTS [more options of batch]
recordings=$1 results=$2
shift 2
${DEPTHLOOM:-npx depthloom} batch "$recordings" --out "$results" --to mcap --jobs 1 "$@"
status=$?
[ "$status" -eq 1 ] || [ "$status" -eq 3 ] || exit "$status"
