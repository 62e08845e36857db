#!/usr/bin/env bash
# Submits a run to a real Slurm of one node, disturbs it, and compares what comes of it with an undisturbed run.
#
#   scripts/slurm-test.sh PROGRAM PYTHON      the built queuefarm, and a Python with h5py
#
# The Slurm is its own: configuration, keys, sockets and state are in a temporary folder, its ports are free ones, and nothing
# of an installed Slurm is read or changed. It is stopped at the end, whatever happens. Needs Debian's packages slurm-wlm and
# munge, which it installs as root or through sudo; elsewhere it is skipped, or fails with REQUIRE_SLURM=1.
# It needs no systemd, and no root but for installing. Half a minute on two idle cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# = 2 ] || { echo "usage: scripts/slurm-test.sh PROGRAM PYTHON" >&2; exit 2; }
program=$(realpath "$1")
# Not resolved: the link in a virtual environment is what makes it one.
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
compare=$PWD/tests/python/same_datasets.py
export NODEVICE_SELECT=1
PATH="$PATH:/usr/sbin:/sbin"

say() { printf 'slurm-test: %s\n' "$*" >&2; }

fail() {
    say "FAILED: $*"
    exit 1
}

skip() {
    [ "${REQUIRE_SLURM:-}" != 1 ] || fail "$* (REQUIRE_SLURM=1)"
    say "SKIPPED: $*"
    exit 0
}

# --- Slurm and munge ---

have_slurm() {
    local name
    for name in slurmctld slurmd sbatch munged; do
        command -v "$name" >/dev/null 2>&1 || return
    done
}

if ! have_slurm; then
    command -v apt-get >/dev/null 2>&1 || skip "no Slurm here, and no apt-get to install it with"
    if [ "$(id -u)" = 0 ]; then
        as_root=(env)
    elif command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1; then
        as_root=(sudo -n env)
    else
        skip "no Slurm here; installing it needs root: sudo apt-get install --no-install-recommends slurm-wlm munge"
    fi
    say "installing with apt-get: slurm-wlm munge"
    as_root+=(DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    "${as_root[@]}" update || say "apt-get update failed: trying with the package lists at hand"
    "${as_root[@]}" install -y --no-install-recommends slurm-wlm munge >/dev/null || skip "apt-get could not install them"
    have_slurm || fail "installed, but not found on the path"
fi

folder=$(mktemp -d)
export SLURM_CONF=$folder/slurm.conf

# Stops what was started here, by the numbers in its own files, and shows what went wrong.
clean_up() {
    local status=$? name pid
    if [ "$status" != 0 ]; then
        tail -n 20 "$folder"/*.log "$folder"/*/*.slurm/*.log "$folder"/*/*.log >&2 2>/dev/null || true
        [ ! -e "$folder/slurmctld.pid" ] || timeout 10 squeue -r >&2 || true
    fi
    # Slurm's commands wait long for one that is not there.
    [ ! -e "$folder/slurmctld.pid" ] || timeout 10 scancel --user="$(id -un)" >/dev/null 2>&1 || true
    for name in slurmd slurmctld munged; do
        pid=$(cat "$folder/$name.pid" 2>/dev/null || true)
        [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
        for _ in $(seq 50); do
            [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
    done
    rm -rf "$folder"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The daemons of Slurm cannot choose a free port by themselves.
read -r port1 port2 < <("$python" -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))')

node=$(hostname -s)
user=$(id -un)
mkdir "$folder/state" "$folder/spool"
chmod 755 "$folder"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
# More cores than there may be, so that tasks run side by side; a requeued task may start after 5 seconds, not 120.
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port1
SlurmdPort=$port2
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END

munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF" -N "$node"

# Waits until a command succeeds: SECONDS, what is waited for, the command.
await() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "waited in vain for $what"
        sleep 0.2
    done
}

node_is_up() { [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; }
await 30 "the node" node_is_up
say "Slurm $(sinfo --version | cut -d' ' -f2) is up"

# --- A run in eight shards, with names that must be quoted ---

work="$folder/a \"folder\" of \$HOME, 100%"
mkdir "$work"
cd "$work"
experiment="it's \$1 & more.toml"
out='the "result" of %A.h5'
cat >"$experiment" <<END
model = "delay"
seed = 5
replicas = 49152
batches = 24
warmup = 100
duration = 80000
[parameters]
clients = { list = [40, 41] }
information_delay = 3
END
changes=(--set 'disinformation={ list = [0.1, 0.2] }' --set record.trajectories=2)
"$program" run "$experiment" -o single.h5 --backend cpu --quiet "${changes[@]}"
say "the undisturbed run took $SECONDS s with the start of Slurm"

submitted=$("$program" submit "$experiment" --tasks 8 --time 10 -o "$out" "${changes[@]}" --json)
field() { "$python" -c 'import json, sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "$submitted" "$1"; }
array=$(field array_job)
merge=$(field merge_job)
say "submitted as $array, merged by $merge"

state() { scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | head -n 1; }
restarts() { scontrol show job "$1" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p' | head -n 1; }
is() { [ "$(state "$1")" = "$2" ]; }
went_on() { [ "$(restarts "$1")" -ge 1 ]; }
ended() { case "$(state "$1")" in PENDING | RUNNING | COMPLETING) return 1 ;; esac; }
# The program of that shard: of those that are called so, the one in the folder of this test.
shard_pid() {
    local pid
    for pid in $(pgrep -f -- " --shard $1/8 "); do
        if [ "$(readlink "/proc/$pid/cwd")" = "$work" ] && [ "$(readlink "/proc/$pid/exe")" = "$program" ]; then
            echo "$pid"
            return
        fi
    done
    return 1
}
is_at_work() { is "${array}_$1" RUNNING && shard_pid "$1" >/dev/null; }

# One is killed, which Slurm takes for a failure, and put back by hand. Another gets what Slurm sends shortly before a limit
# of time, and its script puts it back.
await 60 "shard 2" is_at_work 2
await 60 "shard 4" is_at_work 4
sleep 0.2
# scancel --signal would wait until it can signal the task once more.
{ kill -9 "$(shard_pid 2)" && kill -USR1 "$(ps -o ppid= -p "$(shard_pid 4)")"; } || fail "the shards were done before"
await 30 "the failure of shard 2" is "${array}_2" FAILED
say "shard 2 was killed and failed"
scontrol requeue "${array}_2"
await 60 "shard 4 to be put back" went_on "${array}_4"
say "shard 4 was warned and put back"

await 120 "the merge" ended "$merge"
is "$merge" COMPLETED || fail "the merge is $(state "$merge")"
went_on "${array}_2" || fail "shard 2 was not put back"
[ "$(restarts "${array}_3")" = 0 ] || fail "shard 3 was put back"
logs="$out.slurm"
[ "$(find "$logs" -name "shard-${array}_[1-8].log" | wc -l)" = 8 ] || fail "there are other logs: $(ls "$logs")"
grep -q '^terminated: ' "$logs/shard-${array}_4.log" || fail "shard 4 was not stopped in order"
"$python" "$compare" single.h5 "$out"
say "eight shards, one killed, one warned: the same as the single run ($SECONDS s)"

# --- An array of one's own, numbered otherwise ---

cp "$experiment" own.toml
changes=(--set replicas=384 --backend cpu --quiet)
"$program" run own.toml -o own-single.h5 "${changes[@]}"
own=$(sbatch --parsable --array=5-8 --output=own.log --open-mode=append --wrap \
    "'$program' run own.toml -o own.h5 --shard slurm --threads 1 ${changes[*]}")
for task in 5 6 7 8; do
    await 60 "task $task" ended "${own}_$task"
done
"$program" merge own.h5.parts -o own.h5 --quiet
"$python" "$compare" own-single.h5 own.h5
say "passed ($SECONDS s)"
