-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '1 s';
SET 'table.exec.mini-batch.size' = '500';
-- expect batched: share B
-- funshare: name=batched
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect batched_totals: share B
-- funshare: name=batched_totals
INSERT INTO keyed SELECT g.pier, COUNT(*) FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry = 1 GROUP BY g.pier;
SET 'table.exec.mini-batch.enabled' = 'false';
RESET 'table.exec.mini-batch.allow-latency';
RESET 'table.exec.mini-batch.size';
-- expect unbatched: share A
-- funshare: name=unbatched
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry = 2;
SET 'table.exec.source.idle-timeout' = '30 s';
-- expect idle: share C
-- funshare: name=idle
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
RESET;
SET 'execution.checkpointing.interval' = '3 s';
SET 'pipeline.name' = 'mine';
SET 'table.optimizer.reuse-source-enabled' = 'true';
-- expect job_options: share A
-- funshare: name=job_options
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
