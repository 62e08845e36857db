"""A second implementation of the `redundancy` model, written only to be obviously right.

Jobs have copies, servers have queues of copies, and a calendar holds what happens next: a job arrives, or the copy at
the head of a queue completes. A copy that is cancelled is taken out of its queue, and if it was being served the next
one starts. There is no recursion of workloads here, and no shortcut: waits, response times and busy servers are
observed as they happen. It shares no code and no random numbers with the kernels.

Usage: redundancy_reference.py CONFIGURATIONS.json
The file holds a list of {"parameters": {...}, "warmup": jobs, "duration": jobs, "replicas": n, "seed": s}. Prints one
JSON list: for each configuration the estimates of each replica.
"""

import heapq
import itertools
import json
import math
import random
import sys
from collections import deque


def sizes_of(p, coins):
    """A function that draws a size, of mean 1."""
    law, shape = p["service"], p["service_shape"]
    if law == "exponential":
        return lambda: coins.expovariate(1.0)
    if law == "deterministic":
        return lambda: 1.0
    if law == "uniform":
        return lambda: coins.uniform(p["service_low"], 2.0 - p["service_low"])
    if law == "erlang":
        return lambda: sum(coins.expovariate(shape) for _ in range(int(shape)))
    if law == "weibull":
        scale = 1.0 / math.gamma(1.0 + 1.0 / shape)
        return lambda: coins.weibullvariate(scale, shape)
    if law == "hyperexponential":
        return phases(p["service_weights"], p["service_rates"], coins)
    if law == "samples":
        mean = sum(p["service_samples"]) / len(p["service_samples"])
        return lambda: coins.choice(p["service_samples"]) / mean
    raise ValueError(law)


def phases(weights, rates, coins):
    """Hyperexponential times of mean 1."""
    mean = sum(w / r for w, r in zip(weights, rates)) / sum(weights)
    return lambda: coins.expovariate(coins.choices(rates, weights)[0]) / mean


def gaps_of(p, coins):
    """A function that draws the time to the next arrival, of mean 1."""
    if p["arrivals"] == "poisson":
        return lambda: coins.expovariate(1.0)
    if p["arrivals"] == "deterministic":
        return lambda: 1.0
    return phases(p["arrival_weights"], p["arrival_rates"], coins)


class Copy:
    """A copy of a job at a server: waiting, in service, or gone."""

    def __init__(self, job, server, size):
        self.job, self.server, self.size = job, server, size
        self.in_service = False


class Job:
    """A job and the copies that are still there."""

    def __init__(self, number, arrived):
        self.number, self.arrived = number, arrived
        self.copies = []
        self.completed = 0
        self.started = False


class Server:
    """A first-come first-served queue of copies."""

    def __init__(self, speed):
        self.speed = speed
        self.queue = deque()


class System:
    """One replica."""

    def __init__(self, p, warmup, duration, seed):
        self.p, self.coins = p, random.Random(seed)
        self.size, self.gap = sizes_of(p, self.coins), gaps_of(p, self.coins)
        self.servers = [Server(speed) for speed in p["speeds"]]
        self.rate = p["load"] * sum(p["speeds"])
        self.first, self.last = warmup, warmup + duration
        self.calendar, self.order = [], itertools.count()
        self.now = 0.0
        self.present = 0
        self.responses, self.waits = [], []
        self.found_empty = 0
        # Integrals over the time in which the measured jobs arrive.
        self.measuring = False
        self.span = self.busy = self.jobs = self.queued = 0.0

    def plan(self, time, action, *arguments):
        heapq.heappush(self.calendar, (time, next(self.order), action, arguments))

    def pass_time(self, time):
        if self.measuring:
            step = time - self.now
            self.span += step
            self.busy += step * sum(1 for server in self.servers if server.queue)
            self.jobs += step * self.present
            self.queued += step * sum(len(server.queue) for server in self.servers)
        self.now = time

    def measures(self, job):
        return self.first <= job.number < self.last

    def arrive(self, number):
        self.measuring = self.first <= number < self.last
        job = Job(number, self.now)
        if self.measures(job):
            self.found_empty += self.present == 0
        self.present += 1
        chosen = self.coins.sample(self.servers, self.p["copies"])
        if self.p["policy"] == "random":
            chosen = chosen[:1]
        size = self.size()
        for server in chosen:
            own = size if self.p["identical"] else self.size()
            job.copies.append(Copy(job, server, own))
        for copy in job.copies:
            copy.server.queue.append(copy)
        # They arrive in a random order, so that one of several idle servers is as likely as another.
        for copy in list(job.copies):
            if copy in job.copies and copy.server.queue[0] is copy:
                self.start(copy)
        self.plan(self.now + self.gap() / self.rate, self.arrive, number + 1)

    def start(self, copy):
        job = copy.job
        copy.in_service = True
        if not job.started:
            job.started = True
            if self.measures(job):
                self.waits.append(self.now - job.arrived)
            if self.p["policy"] == "cancel_on_start":
                for other in [other for other in job.copies if other is not copy]:
                    self.remove(other)
        self.plan(self.now + copy.size / copy.server.speed, self.complete, copy)

    def remove(self, copy):
        """Takes a copy out of its queue; the next one starts if it was at the head."""
        copy.job.copies.remove(copy)
        queue = copy.server.queue
        was_head = queue[0] is copy
        queue.remove(copy)
        if was_head and queue and not queue[0].in_service:
            self.start(queue[0])

    def complete(self, copy):
        job = copy.job
        if copy not in job.copies:
            return
        job.completed += 1
        done = job.completed == self.p["needed"] or len(job.copies) == 1
        if done:
            self.present -= 1
            if self.measures(job):
                self.responses.append(self.now - job.arrived)
        for gone in list(job.copies) if done else [copy]:
            # Starting another job's copy may cancel copies of that job, never of this one.
            if gone in job.copies:
                self.remove(gone)

    def run(self):
        self.plan(0.0, self.arrive, 0)
        duration = self.last - self.first
        while len(self.responses) < duration:
            time, _, action, arguments = heapq.heappop(self.calendar)
            self.pass_time(time)
            action(*arguments)
        assert len(self.waits) == duration
        mean = sum(self.responses) / duration
        return {
            "response_mean": mean,
            "response_square": sum(t * t for t in self.responses) / duration,
            "wait_mean": sum(self.waits) / duration,
            "busy_mean": self.busy / self.span,
            "jobs_mean": self.jobs / self.span,
            "queue_mean": self.queued / self.span / len(self.servers),
            "p_empty": self.found_empty / duration,
        }


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        configurations = json.load(file)
    answers = []
    for c in configurations:
        replicas = range(c["replicas"])
        seeds = (f"{c['seed']} {replica}" for replica in replicas)
        answers.append(
            [System(c["parameters"], c["warmup"], c["duration"], seed).run() for seed in seeds]
        )
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
