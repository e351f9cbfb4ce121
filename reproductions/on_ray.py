"""Run jobs on a Ray cluster: one task per batch, with the files in a folder that all machines share."""

from collections.abc import Callable
from pathlib import Path

from fairfl._extras import needed_by
from reproductions import runner
from reproductions.jobs import Job, groups
from reproductions.runner import Outcome


def run(
    jobs: list[Job],
    folder: Path,
    *,
    together: str | None = None,
    device: str | None = None,
    precision: str = "float32",
    address: str | None = None,
    threads: int = 1,
    report: Callable[[str], None] = print,
) -> Outcome:
    """As ``runner.run``, with each batch as a Ray task on ``threads`` CPUs (and one GPU if ``device`` is "cuda").

    ``address``: the cluster's; ``None`` starts a cluster on this machine and stops it at the end. Raises ``NotInstalled``, which says
    what to install, if Ray is missing.
    """
    with needed_by("--engine ray"):
        import ray
    if not jobs:
        return Outcome()
    folder = Path(folder).resolve()
    together = together or jobs[0].experiment.together

    # A connection that is opened here is closed here, including one to a cluster that Ray finds by itself.
    started = not ray.is_initialized()
    ray.init(
        address=address,
        ignore_reinit_error=True,
        log_to_driver=False,
        include_dashboard=False if address is None else None,
    )

    @ray.remote(num_cpus=threads, num_gpus=1 if device == "cuda" else 0, max_retries=3)
    def train(batch):
        import os

        import torch

        os.environ["FAIRFL_PROGRESS"] = "0"
        torch.set_num_threads(threads)
        return runner.run(
            batch, folder, together=together, device=device, precision=precision, report=lambda line: None
        )

    waiting = {
        train.remote(batch): batch
        for batch in groups(jobs, together)
        if not all(runner.where(folder, job).exists() for job in batch)
    }
    outcome, total = Outcome(), len(waiting)
    try:
        while waiting:
            done, _ = ray.wait(list(waiting), num_returns=1)
            batch = waiting.pop(done[0])
            outcome += ray.get(done[0])
            report(
                f"{jobs[0].experiment.name}: {total - len(waiting)} of {total} batches, {batch[0].title} is finished"
            )
    finally:
        if started:
            ray.shutdown()
    return outcome
