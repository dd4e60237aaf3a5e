# SPDX-License-Identifier: GPL-2.0-only
"""These are the tables of scripts/linux-tcp: cases.tsv, kernel.tsv and the one in docs/tcp-linux.md."""
import re
from typing import NamedTuple

# This is what every case has in common; the defaults of live.c are the same. The kernel that was measured is
# later than 6.10.
SCENARIO = """title = "A case of scripts/linux-tcp";
workload: { operation = "write"; message_size = "64KiB"; messages = 64; };
mpa: { generation = "rfc"; markers = true; crc = true; };
sender: { segmentation = "record"; };
tcp: { receive_window = "8MiB"; sack_compression_after = "window"; };
path: { forward: { rate = "100Mbit/s"; delay = "5ms"; framing = 38; mtu = 1500; }; };
"""
NUMBERS = ["segments", "retransmitted", "spurious", "timeouts", "hole_ms", "time_ms", "io_p99", "io_peak", "mk_peak"]
# These are the ones that are compared, with their heads in the page.
COMPARED = {"time_ms": "time, ms", "hole_ms": "hole, ms", "io_p99": "in order, p99", "io_peak": "in order, peak",
            "mk_peak": "markers, peak"}
WITHIN, FAR = 1.05, 1.1
HEAD = ("| case | " + " | ".join(COMPARED.values()) + " | sent again | spurious | time-outs | order | reason |\n"
        + "|---" * (len(COMPARED) + 6) + "|\n")

UNITS = {"": 1, "%": 0.01, "bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "KiB": 2**10, "MiB": 2**20,
         "s": 10**9, "ms": 10**6, "us": 10**3}


def number(text):
    """Bit/s, octets, nanoseconds or a share."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z/%]*)", text)
    if not found or found[2] not in UNITS:
        raise ValueError(f"expected a number with a unit, not '{text}'")
    value = float(found[1]) * UNITS[found[2]]
    return int(value) if value == int(value) else value


def on(text):
    return int(text in ("true", "on", "stream"))


# A key of the model is this to live_tcp: its option, and how its value is written there.
LIVE = {"path.forward.rate": ("rate", number), "path.forward.delay": ("delay_ns", number),
        "path.forward.mtu": ("mtu", number), "path.forward.queue": ("queue", number),
        "path.forward.displace": ("displace", number), "path.forward.displace_by": ("displace_ns", number),
        "path.forward.duplicate": ("duplicate", number), "path.forward.ecn_every": ("ecn_every", number),
        "workload.messages": ("messages", number), "workload.connections": ("connections", number),
        "sender.segmentation": ("stream", on), "sender.host_rate": ("host_rate", number),
        "tcp.congestion": ("congestion", {"newreno": "reno", "cubic": "cubic"}.__getitem__),
        "tcp.timestamps": ("timestamps", on), "tcp.sack": ("sack", on), "tcp.ecn": ("ecn", on),
        "tcp.receive_window": ("window", number), "middlebox.split_size": ("split", number),
        "middlebox.push": ("flush_at_psh", {"flush": 1, "ignore": 0}.__getitem__),
        "middlebox.chunk": ("chunk", number), "middlebox.flush": ("flush_ns", number),
        "middlebox.coalesce_size": ("join", number), "middlebox.coalesce_time": ("flush_ns", number)}
# A box's options say what it is, and one that joins is after the path; live_tcp's sockets always have a buffer of
# 128 MiB; for the others no kernel has a knob.
MODEL_ONLY = re.compile(r"middlebox\.(mode|position)|path\.forward\.drop|sender\.buffer|tcp\.\w+")


class Case(NamedTuple):
    name: str
    settings: dict  # of the model
    live_settings: dict  # of live_tcp alone: BBR, which the model has not
    again: int  # how often what was sent again for the first loss is lost, too
    reason: str  # why values are more than a tenth off

    @property
    def is_simulated(self):
        return not self.live_settings

    @property
    def is_random(self):
        return any(key.endswith((".displace", ".duplicate")) for key in self.settings)

    @property
    def connections(self):
        return int(self.settings.get("workload.connections", 1))

    @property
    def live(self):
        options = dict(self.live_settings)
        for key, value in self.settings.items():
            if key in LIVE:
                option, write = LIVE[key]
                options[option] = write(value)
            elif not MODEL_ONLY.fullmatch(key):
                raise ValueError(f"{self.name}: live_tcp has nothing for {key}")
        return options


def rows(path, names):
    """The rows below a table's head, each with as many fields as that."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    if not lines or lines[0].split("\t") != names:
        raise ValueError(f"{path}: expected the columns {', '.join(names)}")
    for line in lines[1:]:
        fields = line.split("\t")
        if len(fields) != len(names):
            raise ValueError(f"{path}: '{line[:60]}': expected {len(names)} fields")
        yield fields


def read_cases(path):
    """[Case], in the order of the table. A row `@name` is a list that other rows name."""
    lists, cases = {}, []
    for name, words, reason in rows(path, ["case", "settings", "reason"]):
        if name.startswith("@"):
            lists[name] = words
            continue
        if not re.fullmatch(r"[\w.-]+", name) or any(case.name == name for case in cases):
            raise ValueError(f"{path}: '{name}': not a name, or not its first row")
        settings, live, again = {}, {}, 0
        for word in words.split():
            key, is_set, value = word.partition("=")
            if not is_set:
                raise ValueError(f"{path}: {name}: expected KEY=VALUE, not '{word}'")
            if value.startswith("@"):
                if value not in lists:
                    raise ValueError(f"{path}: {name}: no list '{value}' above")
                value = f"[{lists[value]}]"
            if key == "again":
                again = int(value)
            elif key.startswith("live."):
                live[key.removeprefix("live.")] = value
            else:
                settings[key] = value
        cases.append(Case(name, settings, live, again, reason))
        _ = cases[-1].live  # reports what is wrong with the settings
    return cases


def read_kernel(path):
    """{case: {name: (median, least, most), "order": name or ""}}."""
    found = {}
    for fields in rows(path, ["case", *NUMBERS, "order"]):
        row = {"order": fields[-1]}
        for name, text in zip(NUMBERS, fields[1:]):
            match = re.fullmatch(r"([\d.]+) \[([\d.]+) ([\d.]+)\]", text)
            if not match:
                raise ValueError(f"{path}: {fields[0]}: expected 'MEDIAN [LEAST MOST]', not '{text}'")
            row[name] = tuple(map(float, match.groups()))
        found[fields[0]] = row
    return found


def write_kernel(path, kernel, cases):
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    lines = [*head, "\t".join(["case", *NUMBERS, "order"])]
    for case in cases:
        if case.name in kernel:
            row = kernel[case.name]
            cells = ["{:.10g} [{:.10g} {:.10g}]".format(*(round(value, 1) for value in row[name])) for name in NUMBERS]
            lines.append("\t".join([case.name, *cells, row["order"]]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Compared(NamedTuple):
    kernel: float
    least: float
    most: float
    model: float

    @property
    def ratio(self):
        return self.model / self.kernel if self.kernel else 1.0 if not self.model else float("inf")

    def is_beyond(self, limit):
        # A spread is written with one decimal.
        return not 1 / limit <= self.ratio <= limit and not self.least - 0.05 <= self.model <= self.most + 0.05

    @property
    def is_within(self):
        return not self.is_beyond(WITHIN)

    @property
    def is_far(self):
        return self.is_beyond(FAR)


def compare(kernel, model):
    return {name: Compared(*kernel[name], model[name][0]) for name in COMPARED}


def shown(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def row(case, compared, kernel, model):
    """A row of the page: of what is compared the kernel's value, the model's and their ratio; what lies beyond 5 % and
    the spread is bold."""
    cells = [case.name]
    for item in compared.values():
        ratio = f"{item.ratio:.2f}" if item.is_within else f"**{item.ratio:.2f}**"
        cells.append("–" if item.kernel == item.model == 0 else f"{shown(item.kernel)}, {shown(item.model)}: {ratio}")
    cells += [f"{shown(kernel[name][0])}, {shown(model[name][0])}" if kernel[name][0] or model[name][0] else "–"
              for name in ("retransmitted", "spurious", "timeouts")]
    orders = kernel["order"], model["order"]
    cells.append("varies" if not all(orders) else "equal" if orders[0] == orders[1] else "differs")
    return "| " + " | ".join([*cells, case.reason]) + " |\n"
