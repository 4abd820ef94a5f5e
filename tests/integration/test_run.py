"""`funshare run`, `status` and `stop` on real Flink and Kafka, and what they refuse before anything is started."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from funshare_flink.cli.main import main
from funshare_flink.kafka.outputs import read_rows
from funshare_flink.ports import JobOverview
from tests.equivalence.awkward_data import PARTITIONS, TABLES, awkward_input, send
from tests.live import LiveCluster
from tests.waiting import wait_for

pytestmark = pytest.mark.integration

BROKER = "'properties.bootstrap.servers' = '{bootstrap}'"
KAFKA = f"'connector' = 'kafka', {BROKER}, 'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once', "
JOIN = "FROM l JOIN r ON l.id = r.fk AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '15' SECOND"
EVERY_SINK = f"""
SET 'execution.checkpointing.interval' = '1 s';
CREATE TABLE s_kafka (id BIGINT, num INT)
  WITH ({KAFKA} 'sink.transactional-id-prefix' = 'mine', 'topic' = '{{prefix}}a');
CREATE TABLE s_upsert (g INT, n BIGINT, PRIMARY KEY (g) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', {BROKER},
  'key.format' = 'json', 'value.format' = 'json', 'topic' = '{{prefix}}b');
CREATE TABLE s_print (id BIGINT) WITH ('connector' = 'print');
CREATE TABLE s_files (id BIGINT, kind STRING)
  WITH ('connector' = 'filesystem', 'path' = '{{folder}}', 'format' = 'json');
CREATE TABLE s_none (id BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO s_kafka SELECT l.id, r.num {JOIN} WHERE r.num > 2;
INSERT INTO s_kafka SELECT l.id, -1 {JOIN} WHERE r.kind = 'text';
INSERT INTO s_upsert SELECT COALESCE(l.grp, -1), COUNT(*) {JOIN} WHERE l.flag GROUP BY COALESCE(l.grp, -1);
INSERT INTO s_print SELECT l.id {JOIN} WHERE l.num = 4;
INSERT INTO s_files SELECT l.id, r.kind {JOIN} WHERE r.price > 5;
INSERT INTO s_none SELECT l.id FROM l LEFT JOIN r ON l.id = r.fk;
"""


@pytest.fixture
def cli(live_cluster: LiveCluster, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command against the live cluster: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--flink-url", live_cluster.state.rest_url])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def script(live_cluster: LiveCluster, tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Writes a workload over filled topics; whatever of it still runs at the end is cancelled."""
    prefix = f"run{live_cluster.next_number()}-"
    live_cluster.topics.create(tuple(prefix + t for t in ("l", "r")), PARTITIONS)
    live_cluster.topics.create(tuple(prefix + t for t in ("a", "b")), 1)
    send(live_cluster.bootstrap, prefix, awkward_input(seed=5))
    tables = TABLES.replace("'scan.bounded.mode' = 'latest-offset', ", "")

    def write(statements: str) -> Path:
        text = (tables + statements).replace("{prefix}", prefix).replace("{bootstrap}", live_cluster.bootstrap)
        file = tmp_path / f"{prefix}workload.sql"
        file.write_text(text.replace("{folder}", (tmp_path / "files").as_uri()), encoding="utf-8")
        return file

    yield write
    for job in my_jobs(live_cluster, prefix):
        if not job.is_over:
            live_cluster.jobs.cancel(job.id)


def my_jobs(cluster: LiveCluster, prefix: str) -> list[JobOverview]:
    return [j for j in cluster.jobs.jobs() if j.name.startswith(f"funshare/{prefix}workload/")]


def rows_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_run_status_stop(
    live_cluster: LiveCluster,
    cli: Callable[..., tuple[int, str, str]],
    script: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """A group of five queries with four kinds of sinks, two of them through one exactly-once sink, and one alone."""
    file = script(EVERY_SINK)
    name = file.stem
    code, _, err = cli("run", str(file), "--once")
    assert code == 0, err
    jobs = my_jobs(live_cluster, name.removesuffix("workload"))
    assert len(jobs) == 2
    wait_for("all tasks run", lambda: all(j.all_running for j in my_jobs(live_cluster, name.removesuffix("workload"))))
    code, _, err = cli("run", str(file), "--once")
    assert code == 2
    assert f"workload {name} runs already" in err
    topic = name.removesuffix("workload") + "a"

    def both_have_committed() -> bool:
        return {b"-1" in row for row in read_rows(live_cluster.bootstrap, topic)} == {True, False}

    wait_for("both queries of one sink commit rows", both_have_committed)

    def status() -> dict[str, dict[str, object]]:
        code, out, err = cli("status", name, "--json", "--seconds", "1")
        assert code == 0, err
        return {str(r["query"]): r for r in rows_of(out)}

    # Flink shows a new job's metrics some seconds after its start; until then they are unknown, not zero.
    wait_for("the lag is known and worked off", lambda: {r["lag"] for r in status().values()} == {0})
    rows = status()
    assert set(rows) == {"s_kafka", "s_kafka#2", "s_upsert", "s_print", "s_files", "s_none"}
    assert {r["state"] for r in rows.values()} == {"RUNNING"}
    assert rows["s_kafka"]["job"] == rows["s_files"]["job"] != rows["s_none"]["job"]
    assert {r["slots"] for r in rows.values()} == {1}
    assert rows["s_kafka"]["read_rps"] == 0.0
    assert rows["s_kafka"]["query_rps"] == 0.0
    code, out, err = cli("stop", name)
    assert code == 0, err
    assert out.count(": stopped, savepoint ") == 2
    wait_for("the jobs are over", lambda: all(j.is_over for j in my_jobs(live_cluster, name.removesuffix("workload"))))
    files = [f for f in (tmp_path / "files").rglob("*") if f.is_file() and f.stat().st_size]
    assert files, "the filesystem sink wrote nothing"


def test_more_slots_than_there_are(
    live_cluster: LiveCluster, cli: Callable[..., tuple[int, str, str]], script: Callable[[str], Path]
) -> None:
    free = live_cluster.jobs.cluster().slots_available
    file = script(f"CREATE TABLE o (id BIGINT) WITH ('connector' = 'blackhole');\n"
                  f"-- funshare: slots={free + 1}\nINSERT INTO o SELECT l.id {JOIN};")  # fmt: skip
    code, _, err = cli("run", str(file), "--once")
    assert code == 2
    assert f"needs {free + 1} task slots, the cluster has {free} free" in err
    assert not my_jobs(live_cluster, file.stem.removesuffix("workload"))


BAD_INPUT = {
    "missing topic": (
        "CREATE TABLE o (id BIGINT) WITH ('connector' = 'blackhole');\n"
        "CREATE TABLE gone (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'no-such-topic', 'format' = 'json', "
        "'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = '{bootstrap}');\n"
        f"INSERT INTO o SELECT l.id {JOIN};\nINSERT INTO o SELECT id FROM gone;",
        "topic no-such-topic does not exist",
    ),
    "unreachable broker": (
        "CREATE TABLE o (id BIGINT) WITH ('connector' = 'blackhole');\n"
        "CREATE TABLE far (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json', "
        "'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = '127.0.0.1:9');\n"
        "INSERT INTO o SELECT id FROM far;",
        "no Kafka broker answers at 127.0.0.1:9",
    ),
    "placeholder": (
        "CREATE TABLE o (id BIGINT) WITH ('connector' = 'blackhole', 'x' = '${WHERE}');\n"
        f"INSERT INTO o SELECT l.id {JOIN};",
        "the placeholder ${WHERE} is not filled in",
    ),
    "only an unknown column": (
        "CREATE TABLE o (id BIGINT) WITH ('connector' = 'blackhole');\nINSERT INTO o SELECT l.nope FROM l;",
        "Column 'nope' not found",
    ),
    "missing connector": (
        f"CREATE TABLE o (id BIGINT) WITH ('connector' = 'nowhere');\nINSERT INTO o SELECT l.id {JOIN};",
        "no connector or format 'nowhere' on the class path",
    ),
}


@pytest.mark.parametrize("kind", BAD_INPUT)
def test_bad_input_starts_nothing(
    live_cluster: LiveCluster, cli: Callable[..., tuple[int, str, str]], script: Callable[[str], Path], kind: str
) -> None:
    statements, message = BAD_INPUT[kind]
    file = script(statements)
    code, _, err = cli("run", str(file), "--once")
    assert code == 2
    assert message in err
    assert not my_jobs(live_cluster, file.stem.removesuffix("workload"))


def test_one_refused_query_does_not_stop_the_others(
    live_cluster: LiveCluster, cli: Callable[..., tuple[int, str, str]], script: Callable[[str], Path]
) -> None:
    file = script(
        "CREATE TABLE o (id BIGINT) WITH ('connector' = 'blackhole');\nCREATE TABLE p (id BIGINT) WITH "
        f"('connector' = 'blackhole');\nINSERT INTO o SELECT l.nope FROM l;\nINSERT INTO p SELECT l.id {JOIN};"
    )
    code, _, err = cli("run", str(file), "--once", "--strict")
    assert code == 2
    assert "nothing was started" in err
    assert not my_jobs(live_cluster, file.stem.removesuffix("workload"))
    code, _, err = cli("run", str(file), "--once")
    assert code == 2, "a refused query is bad input, also when the others run"
    assert "query o: Column 'nope' not found" in err
    assert len(my_jobs(live_cluster, file.stem.removesuffix("workload"))) == 1


def test_more_slots_than_partitions_still_gives_rows(
    live_cluster: LiveCluster, cli: Callable[..., tuple[int, str, str]], script: Callable[[str], Path]
) -> None:
    """Source subtasks without a partition would hold the watermark back: no window would ever close."""
    file = script(
        f"""CREATE TABLE o (s TIMESTAMP(3), n BIGINT) WITH ('connector' = 'kafka', {BROKER}, 'format' = 'json',
          'topic' = '{{prefix}}a');
        CREATE TEMPORARY VIEW j AS SELECT r.ts, r.num {JOIN};
        -- funshare: slots=4
        INSERT INTO o SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ts), INTERVAL '10' SECOND))
          WHERE num > 2 GROUP BY window_start, window_end;
        INSERT INTO o SELECT window_start, -COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ts), INTERVAL '10' SECOND))
          WHERE num < 2 GROUP BY window_start, window_end;"""
    )
    code, _, err = cli("run", str(file), "--once")
    assert code == 0, err
    assert "4 slots, but topic" in err
    topic = file.stem.removesuffix("workload") + "a"
    wait_for("windows close", lambda: sum(read_rows(live_cluster.bootstrap, topic).values()) > 10)
