"""A second implementation of the `delay` model, written only to be obviously right.

Every client is an object with an identity, every queue a FIFO of clients, every journey an entry in a
calendar, and every coin is tossed when it is needed: the rules of docs/theory.md in their own order
(completions, decisions, arrivals, record) and nothing clever. It shares no code, no random numbers and no
shortcut with the kernels: packets bounce one rejection at a time, and waits are measured, not computed.

Usage: delay_reference.py CONFIGURATIONS.json
The file holds a list of {"parameters": {...}, "warmup": ticks, "duration": ticks, "replicas": n, "seed": s};
times are in ticks. Prints one JSON list: for each configuration the estimates of each replica.
"""

import json
import random
import sys
from collections import defaultdict, deque


class Client:
    """A client, whether it takes its preferred server always, and how its present request fares."""

    def __init__(self, biased):
        self.biased = biased
        self.server = None
        self.bounces = 0
        self.joined_at = None
        self.measured = False


class Server:
    """A FIFO of clients; the first is in service until `done_at`."""

    def __init__(self, service):
        self.service = service
        self.queue = deque()
        self.done_at = None


class System:
    """One replica."""

    def __init__(self, p, coins):
        self.p, self.coins = p, coins
        self.servers = [Server(service) for service in p["service"]]
        self.deciding = defaultdict(list)
        self.arriving = defaultdict(list)
        # past[t]: the comparison at the end of tick t; before tick 0 it was always as at the start.
        self.past = {}
        self.counts = defaultdict(int)
        self.measuring = False

        n = p["clients"]
        clients = [Client(False) for _ in range(n)]
        if p["bias_kind"] == "clients":
            for index in coins.sample(range(n), round(p["bias"] * n)):
                clients[index].biased = True
        for index, client in enumerate(clients):
            if p["start"] == "balanced":
                server = 0 if 2 * index < n else 1
            elif p["start"] == "all_in_1":
                server = 0
            else:
                server = coins.randrange(2)
            self.servers[server].queue.append(client)
        # The first service of each server ends after its service time, server 2's later by the phase.
        for server, late in zip(self.servers, (0, p["phase"])):
            if server.queue:
                server.done_at = server.service - 1 + late
        self.begin = self.comparison()

    def count(self, what, amount=1):
        if self.measuring:
            self.counts[what] += amount

    def lengths(self):
        return [len(server.queue) for server in self.servers]

    def comparison(self):
        """What clients compare: queue 1 less queue 2, as lengths or as work."""
        weights = self.p["service"] if self.p["compare"] == "work" else (1, 1)
        n_1, n_2 = self.lengths()
        return n_1 * weights[0] - n_2 * weights[1]

    def seen(self, now, after_completions):
        """The comparison that a client deciding now is shown."""
        when = now - self.p["delay"]
        if self.p["information"] == "inclusive":
            if self.p["delay"] == 0:
                return after_completions
        else:
            when -= 1
        return self.past.get(when, self.begin)

    def favourite(self, now):
        period = self.p["bias_period"]
        return 0 if period == 0 or now // (period // 2) % 2 == 0 else 1

    def choose(self, client, now, seen):
        coins, p = self.coins, self.p
        by_request = p["bias_kind"] == "requests" and coins.random() < p["bias"]
        if client.biased or by_request:
            return self.favourite(now)
        if seen == 0:
            return coins.randrange(2)
        shorter, longer = (1, 0) if seen > 0 else (0, 1)
        return longer if coins.random() < p["disinformation"] else shorter

    def rejects(self, server):
        length = len(self.servers[server].queue)
        r = max(self.p["rejection"], min(self.p["load_rejection"] * length, 1.0))
        return self.coins.random() < r

    def join(self, client, now):
        server = self.servers[client.server]
        self.count("joined")
        self.count("met", len(server.queue))
        client.joined_at, client.measured = now, self.measuring
        server.queue.append(client)
        if len(server.queue) == 1:
            self.start(server, now)

    def start(self, server, now):
        client = server.queue[0]
        server.done_at = now + server.service
        # Waits belong to the time of joining, even those that end after the measured span.
        if client.measured:
            self.counts["waited"] += now - client.joined_at

    def arrive(self, client, now):
        """A packet is at a server: it joins, bounces, or is refused for good."""
        while self.rejects(client.server):
            self.count("rejections")
            if client.bounces == self.p["bounce_limit"]:
                self.count("refusals")
                # Home, at least one tick of rest, and then the next decision.
                home = now + self.p["travel"]
                self.deciding[home + max(self.p["idle"], 1)].append(client)
                return
            client.bounces += 1
            client.server = 1 - client.server
            if self.p["bounce"] == "travel":
                self.arriving[now + self.p["travel"]].append(client)
                return
        self.join(client, now)

    def tick(self, now):
        # 1 completions
        for which, server in enumerate(self.servers):
            if server.queue and server.done_at == now:
                client = server.queue.popleft()
                self.count(f"completed_{which + 1}")
                self.deciding[now + self.p["travel"] + self.p["idle"]].append(client)
                if server.queue:
                    self.start(server, now)
        after_completions = self.comparison()
        # 2 decisions
        seen = self.seen(now, after_completions)
        for client in self.deciding.pop(now, ()):
            client.server = self.choose(client, now, seen)
            client.bounces = 0
            self.arriving[now + self.p["travel"]].append(client)
        # 3 arrivals
        for client in self.arriving.pop(now, ()):
            if client.bounces == 0:
                self.count("requests")
            self.arrive(client, now)
        # 4 record
        self.past[now] = self.comparison()
        self.past.pop(now - self.p["delay"] - 2, None)


def replica(configuration, seed):
    """The estimates of one replica, by name."""
    p = configuration["parameters"]
    system = System(p, random.Random(seed))
    sign, crossings, peak, squares, total = 0, 0, 0, 0, 0
    idle = [0, 0]
    warmup, duration = configuration["warmup"], configuration["duration"]
    for now in range(warmup + duration):
        system.measuring = now >= warmup
        system.tick(now)
        n_1, n_2 = system.lengths()
        a = n_1 - n_2
        new = (a > 0) - (a < 0)
        crossed = new * sign == -1
        sign = new or sign
        if system.measuring:
            crossings += crossed
            peak = max(peak, abs(a))
            squares += a * a
            total += a
            idle[0] += n_1 == 0
            idle[1] += n_2 == 0
    # No new clients are measured, but those who joined are waited for.
    system.measuring = False
    longest_wait = p["clients"] * max(p["service"]) + p["phase"]
    for now in range(warmup + duration, warmup + duration + longest_wait):
        system.tick(now)
    at_home = sum(map(len, system.deciding.values()))
    travelling = sum(map(len, system.arriving.values()))
    assert sum(system.lengths()) + at_home + travelling == p["clients"], "a client was lost"
    counts = system.counts
    ticks = p["ticks_per_unit"]
    share = lambda up, down: up / down if down else 0.0
    return {
        "a_rms": (squares / duration) ** 0.5,
        "a_mean": total / duration,
        "peak": peak,
        "period": 2 * duration / ticks / crossings if crossings else float("inf"),
        "throughput": (counts["completed_1"] + counts["completed_2"]) * ticks / duration,
        "idle_fraction_1": idle[0] / duration,
        "idle_fraction_2": idle[1] / duration,
        "wait_mean": share(counts["waited"], counts["joined"]) / ticks,
        "queue_met": share(counts["met"], counts["joined"]),
        "rejections_per_request": share(counts["rejections"], counts["requests"]),
        "refusals": share(counts["refusals"], counts["requests"]),
    }


def main(path):
    with open(path) as file:
        configurations = json.load(file)
    answers = [
        [replica(configuration, f"{configuration['seed']} {i}") for i in range(configuration["replicas"])]
        for configuration in configurations
    ]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
