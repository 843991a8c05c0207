"""An Airflow DAG with a task for each part of the recordings; a last one writes the table of all."""
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

PARTS = 8
BATCH = "npx --yes depthloom@0.1.0 batch /data/recordings --out /data/results --to mcap --timeout 3600 --max-failed 10%"
# 1: some recordings failed, 3: some fall short. Both are in the table, and no reason to run the task again. 4, all
# failed, and 5, more than a tenth failed, are.
ENDED = "|| { s=$?; [ $s -eq 1 ] || [ $s -eq 3 ] || exit $s; }"

with DAG("depthloom", schedule=None, catchup=False):
    parts = BashOperator.partial(task_id="part", retries=2).expand(
        bash_command=[f"{BATCH} --shard {i}/{PARTS} {ENDED}" for i in range(1, PARTS + 1)]
    )
    parts >> BashOperator(task_id="table", bash_command=f"{BATCH} {ENDED}")
