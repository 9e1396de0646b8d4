"""The stack does not fit on one GPU. Tensor parallelism splits it over g GPUs along n: the weights of a Type 2 layer
by columns, those of the Type 1 layer after it by rows, as in Megatron-LM. What does each GPU hold, move and send, how
long does the stack take, how many GPUs does it need, and how many are worth having?"""

from symroof import Derivation, ceil, largest, load, next_divisor

tensor_parallel = Derivation("tensor_parallel", title="Tensor parallelism over several GPUs")
tensor_parallel.include(load("gemm"), only=["t"])
tensor_parallel.include(load("vram"), only=["W", "A_mn", "A_mk", "KV", "M_ws", "C_usable"])
tensor_parallel.given("g", "GPUs that share the stack", count=True, default=4)
tensor_parallel.given(
    "beta_link", "link between GPUs, one direction, times its efficiency", unit="byte/s", efficiency="eta_link"
)
tensor_parallel.given("eta_link", "share of the link between GPUs that is reached", default=1, most=1)


@tensor_parallel.step(unit="GiB", symbol="W_g")
def W_g(W, g):
    """Each GPU holds $n/g$ of the $n$ rows or columns of every layer's weights."""
    return W / g


@tensor_parallel.step(unit="GiB", symbol="A_{mn,g}")
def A_mn_g(A_mn, g):
    """It makes $n/g$ columns of the wide activation, and its part of the next layer reads just these: they stay."""
    return A_mn / g


@tensor_parallel.step(unit="GiB", symbol=r"\mathrm{KV}_g")
def KV_g(KV, g):
    """Attention is split by heads, and its cache with it."""
    return KV / g


@tensor_parallel.step(unit="MiB", symbol=r"M_{\mathrm{whole}}")
def M_whole(A_mk, M_ws):
    """Every GPU needs the narrow activation whole, and a workspace of its own."""
    return A_mk + M_ws


@tensor_parallel.step(unit="GiB", symbol="M_g")
def M_g(W_g, A_mn_g, KV_g, M_whole):
    """The memory of each GPU:"""
    return W_g + A_mn_g + KV_g + M_whole


@tensor_parallel.step(unit="GiB", symbol=r"C_{\mathrm{share}}")
def C_share(C_usable, M_whole):
    """Beside what it needs whole a GPU has room for its share: none, where that alone fills it."""
    return largest(C_usable, M_whole) - M_whole


@tensor_parallel.step(unit="GiB", symbol=r"M_{\mathrm{split}}")
def M_split(W, A_mn, KV):
    """All GPUs together have to hold"""
    return W + A_mn + KV


@tensor_parallel.step(symbol=r"g_{\mathrm{bytes}}")
def g_bytes(M_split, C_share):
    """By bytes alone this many GPUs hold that;"""
    return ceil(M_split / C_share)


@tensor_parallel.step(symbol=r"g_{\mathrm{fit}}")
def g_fit(n, g_bytes):
    """but for equal shares their number must divide $n$: the fewest that fit are the next divisor of $n$."""
    return next_divisor(n, g_bytes)


@tensor_parallel.step(symbol="n_g")
def n_g(n, g):
    """Of every layer's product a GPU works out its part, of sizes $m$, $k$ and"""
    return n / g


tensor_parallel.include(load("gemm"), only=["t", "t_sum"], suffix="_g", exchange={"n": "n_g"})


@tensor_parallel.step(unit="MB", symbol=r"B_{\mathrm{ring}}")
def B_ring(g, s, m, k):
    """After a Type 1 layer each GPU has a partial sum of all $m k$ outputs; after one of Type 2 nothing is exchanged. A
    ring all-reduce adds them up: each GPU sends $g - 1$ parts of $1/g$ to reduce, and as many to gather."""
    return 2 * (g - 1) / g * s * m * k


@tensor_parallel.step(unit="s", symbol=r"t_{\mathrm{ring}}")
def t_ring(B_ring, beta_link):
    """The link sets the time of the all-reduce; latency is neglected."""
    return B_ring / beta_link


@tensor_parallel.step(unit="s", symbol=r"t_{\mathrm{pair}}")
def t_pair(t_g):
    """Between two all-reduces lies the work of one layer of each type, which take the same time."""
    return 2 * t_g


tensor_parallel.include(load("stack72"), only=["N_1"])


@tensor_parallel.step(unit="s", symbol=r"t_{\mathrm{tp},L}")
def t_tp_L(L, t_g, N_1, t_ring):
    """The next layer waits for the sum, so that communication adds to the work."""
    return L * t_g + N_1 * t_ring


@tensor_parallel.step(unit="s", symbol=r"t_{\mathrm{tp,sum},L}")
def t_tp_sum_L(L, t_sum_g, N_1, t_ring):
    """With no overlap of arithmetic and memory traffic either, the upper bound."""
    return L * t_sum_g + N_1 * t_ring


@tensor_parallel.step(symbol="S_g")
def speedup(L, t, t_tp_L):
    """One GPU with room for everything would need $L t$. Against it $g$ of them are faster by the factor"""
    return L * t / t_tp_L


@tensor_parallel.step(unit="%", symbol="E_g")
def efficiency(speedup, g):
    """and their efficiency is its share of $g$."""
    return speedup / g


@tensor_parallel.step()
def split(M_g, C_usable, n, g):
    """Split over $g$ GPUs, the stack"""
    if M_g > C_usable:
        return "does not fit"
    if n % g == 0:
        return "fits"
    return "fits by bytes only"


tensor_parallel.conclude(
    "At {m=} the bytes of the stack need at least {g_bytes} GPUs with {C_usable} each; the fewest that also divide $n$ "
    "are {g_fit}."
)
tensor_parallel.conclude(
    "With {g=} the stack {split}: each GPU holds {M_g}, and the stack takes between {t_tp_L} and {t_tp_sum_L}. That is "
    "{speedup} times as fast as one GPU with room for everything, an efficiency of {efficiency}."
)

tensor_parallel.binding("spent", t_pair="mostly work", t_ring="mostly communication")
tensor_parallel.crossover("g_comm", "t_pair = t_ring", solve_for="g", symbol=r"g_{\mathrm{comm}}")

tensor_parallel.limit(
    "B_ring", grows="g", sentence="However many GPUs share the work, each sends this much for an all-reduce."
)
tensor_parallel.trend("M_g", grows="g", sentence="More GPUs always need less memory each.")

tensor_parallel.advise("mostly work", "More GPUs still shorten the time, as long as their number divides $n$.")
tensor_parallel.advise(
    "mostly communication",
    "More GPUs bring little. A faster link, fewer bytes for the narrow activation, or overlapping the all-reduce with "
    "the work of another batch would help.",
)

tensor_parallel.worked(
    over={"g": [1, 2, 3, 4, 8, 64, 1024]},
    at={"m": 8192, "g": 4},
    show="W_g:GiB, A_mn_g:GiB, M_g:GiB, t_g:ms, t_ring:ms, t_tp_L:s, efficiency, split",
    answer="t_tp_L",
)
