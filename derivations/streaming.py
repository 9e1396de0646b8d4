"""The weights of a stack of L layers do not fit on the GPU, so they are streamed from the host, layer by layer. How
long does that take with one buffer and with two, and from which m on is the link hidden behind the work?"""

from symroof import Derivation, largest, load

streaming = Derivation("streaming", title="Streaming the weights over the host link")
streaming.include(load("gemm"), only=["t", "t_sum"])
streaming.include(load("vram"), only=["L", "M_stream1", "M_stream2", "stream1", "stream2"])
streaming.given("beta_host", "host link, one direction, times its efficiency", unit="byte/s", efficiency="eta_host")
streaming.given("eta_host", "share of the host link that is reached", default=1, most=1)


@streaming.step(unit="ms", symbol=r"t_{\mathrm{link}}")
def t_link(W_layer, beta_host):
    """The weights of a layer cross the link once for every pass through the stack."""
    return W_layer / beta_host


@streaming.step(unit="s", symbol=r"t_{\mathrm{link},L}")
def t_link_L(L, t_link):
    """For the whole stack the link alone needs"""
    return L * t_link


@streaming.step(unit="s", symbol=r"t_{\mathrm{stream1},L}")
def t_stream1_L(L, t_link, t):
    """With one buffer nothing overlaps: a layer is fetched, then it runs."""
    return L * (t_link + t)


@streaming.step(unit="s", symbol=r"t_{\mathrm{stream2},L}")
def t_stream2_L(L, t_link, t):
    """With two buffers the next layer is fetched while this one runs. The first fetch and the last run stand alone."""
    return t_link + (L - 1) * largest(t_link, t) + t


@streaming.step(unit="s", symbol=r"t_{\mathrm{stream1,sum},L}")
def t_stream1_sum_L(L, t_link, t_sum):
    """If within a layer arithmetic and memory traffic do not overlap either, one buffer takes at most"""
    return L * (t_link + t_sum)


@streaming.step(unit="s", symbol=r"t_{\mathrm{stream2,sum},L}")
def t_stream2_sum_L(L, t_link, t_sum):
    """and two buffers take at most"""
    return t_link + (L - 1) * largest(t_link, t_sum) + t_sum


streaming.conclude(
    "At {m=} one buffer takes {t_stream1_L} to {t_stream1_sum_L} and {M_stream1} of memory, which {stream1} in "
    "{C_usable}."
)
streaming.conclude(
    "Two buffers take {t_stream2_L} to {t_stream2_sum_L} and {M_stream2}, which {stream2}: {t_stream1_L/t_stream2_L} "
    "times as fast for {M_stream2 - M_stream1:GiB} more. The link alone needs {t_link_L}, {t_link:ms} a layer, and the "
    "work of a layer {t:ms}."
)
streaming.binding("limit", t="the work hides the link", t_link="the link limits")
streaming.crossover("m_hide", "t = t_link", solve_for="m", symbol=r"m_{\mathrm{hide}}")
streaming.advise(
    "the link limits",
    "Raise $m$ (a larger batch) until the work of a layer takes as long as its weights take to arrive, keep some "
    "layers resident, or store the weights in fewer bytes.",
)
streaming.advise("the work hides the link", "Two buffers are enough: streaming costs one fetch for the whole stack.")

streaming.worked(
    over={"m": [128, 512, 2048, 8192, 9904, 9905, 16384]},
    at={"m": 8192},
    show="t:ms, t_stream1_L:s, M_stream1:GiB, t_stream2_L:s, M_stream2:GiB, stream2, limit",
    answer="t_stream2_L",
)
