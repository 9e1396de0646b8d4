"""A transformer writes one token after another. How many bytes does its cache of keys and values take per token and
per sequence, which context and which batch fit beside the weights, how long does a step take, and from which context on
does reading the cache cost more than reading the weights?"""

from symroof import Derivation, floor, largest, load

kv_cache = Derivation("kv_cache", title="The KV cache in decoding")
kv_cache.include(load("gemm"), only=["c", "I"])
kv_cache.given("L", "layers", count=True, default=32)
kv_cache.given("N", "query heads", count=True, default=32)
kv_cache.given("K_kv", "key and value heads", count=True, default=8, symbol=r"K_{\mathrm{kv}}")
kv_cache.given("H", "head size", count=True, default=128)
kv_cache.given("params", "parameters of the model", count=True, default=8030261248, symbol=r"n_{\mathrm{params}}")
kv_cache.given("T", "tokens in the context", count=True, default=8192)
kv_cache.given("b", "sequences in the batch", count=True, default=1)
kv_cache.given("s_w", "bytes per weight", unit="byte")
kv_cache.given("s_a", "bytes per element of the activations", unit="byte")
kv_cache.given("s_kv", "bytes per element of the cache, without scales", unit="byte", symbol=r"s_{\mathrm{kv}}")
kv_cache.given("s_scale", "bytes of scale and zero point per group of elements", unit="byte", default=0)
kv_cache.given("G", "elements in a group", count=True, default=128)
kv_cache.given("C", "memory of the GPU", unit="byte")
kv_cache.given("u", "share of the memory that may be used", default=1, most=1)
kv_cache.given("M_ws", "workspace and context", unit="byte", default=0)


@kv_cache.step()
def r(N, K_kv):
    """This many query heads share one head of keys and values, which makes the cache smaller by that factor."""
    return N / K_kv


@kv_cache.step(unit="byte", symbol=r"s_{\mathrm{eff}}")
def s_eff(s_kv, s_scale, G):
    """Each element takes its own bytes and its part of its group's scale."""
    return s_kv + s_scale / G


@kv_cache.step(unit="KiB", symbol=r"\mathrm{KV}_{\mathrm{token}}")
def KV_token(L, K_kv, H, s_eff):
    """Each layer keeps a key and a value of $H$ elements for each of its $K_{\\mathrm{kv}}$ heads."""
    return 2 * L * K_kv * H * s_eff


@kv_cache.step(unit="GiB", symbol=r"\mathrm{KV}_{\mathrm{seq}}")
def KV_sequence(T, KV_token):
    """A sequence keeps them for all its tokens,"""
    return T * KV_token


@kv_cache.step(unit="GiB")
def KV(b, KV_sequence):
    """and each sequence of the batch has its own."""
    return b * KV_sequence


@kv_cache.step(unit="GiB")
def W(params, s_w):
    """The weights are held once, whatever the batch."""
    return params * s_w


@kv_cache.step(unit="GiB")
def M(W, KV, M_ws):
    """On the GPU lie the weights, the cache and the workspace,"""
    return W + KV + M_ws


@kv_cache.step(unit="GiB", symbol=r"C_{\mathrm{usable}}")
def C_usable(u, C):
    """and of its memory this much may be used."""
    return u * C


@kv_cache.step()
def fits(M, C_usable):
    """So the batch"""
    return "fits" if M <= C_usable else "does not fit"


@kv_cache.step(unit="GiB", symbol=r"C_{\mathrm{free}}")
def C_free(C_usable, W, M_ws):
    """The weights and the workspace leave for the cache (less than nothing where not even they fit)"""
    return C_usable - W - M_ws


@kv_cache.step(symbol=r"T_{\max}")
def T_max(C_free, b, KV_token):
    """so that with this batch the longest context that fits is"""
    return floor(largest(C_free / (b * KV_token), 0))


@kv_cache.step(symbol=r"b_{\max}")
def b_max(C_free, KV_sequence):
    """and with this context the largest batch is"""
    return floor(largest(C_free / KV_sequence, 0))


@kv_cache.step(unit="ms", symbol="t_W")
def t_W(W, beta):
    """A step writes one token of each sequence: it reads all weights once for the whole batch, those of the embedding
    as well,"""
    return W / beta


@kv_cache.step(unit="ms", symbol=r"t_{\mathrm{KV}}")
def t_KV(KV, beta):
    """and the whole cache once,"""
    return KV / beta


@kv_cache.step(unit="ms", symbol=r"t_{\mathrm{mem}}")
def t_mem(t_W, t_KV):
    """next to which its activations count for nothing."""
    return t_W + t_KV


@kv_cache.step(unit="GFLOP", symbol=r"F_{\mathrm{token}}")
def F_token(c, params, L, N, H, T):
    """A token is multiplied once with each parameter, and in each layer and query head its query meets $T$ keys and its
    probabilities meet $T$ values."""
    return c * params + 2 * c * L * N * H * T


@kv_cache.step(unit="ms", symbol=r"t_{\mathrm{comp}}")
def t_comp(b, F_token, P):
    """All operations at the peak rate."""
    return b * F_token / P


@kv_cache.step(unit="ms")
def t(t_comp, t_mem):
    """With perfect overlap the slower of the two hides the other: the lower bound of the time for a step."""
    return largest(t_comp, t_mem)


@kv_cache.step(unit="ms", symbol=r"t_{\mathrm{sum}}")
def t_sum(t_comp, t_mem):
    """With no overlap at all the two add up: the upper bound."""
    return t_comp + t_mem


@kv_cache.step(unit="1/s")
def rate(b, t):
    """At best this many tokens are written per second, by all sequences together."""
    return b / t


@kv_cache.step(unit="FLOP/byte", symbol=r"\mathrm{AI}_{\mathrm{attn}}")
def AI_attention(c, r, T, s_eff, s_a):
    """Attention alone has this intensity: in each head $r$ queries meet $T$ keys and $T$ values, and all these and the
    $r$ results are moved, each of $H$ elements, so that $2 H$ cancels."""
    return c * r * T / (T * s_eff + r * s_a)


@kv_cache.step(unit="FLOP/byte", symbol=r"\mathrm{AI}_{\mathrm{max}}")
def AI_max(c, r, s_eff):
    """In a long context that comes to the group size, times operations per multiply-add over bytes per element."""
    return c * r / s_eff


@kv_cache.step(unit="us", symbol=r"t_{\mathrm{comp,seq}}")
def t_comp_sequence(F_token, P):
    """One more sequence in the batch adds this arithmetic"""
    return F_token / P


@kv_cache.step(unit="us", symbol=r"t_{\mathrm{mem,seq}}")
def t_mem_sequence(KV_sequence, beta):
    """and this reading. Only where the first is more does a larger batch ever make the step compute-bound."""
    return KV_sequence / beta


kv_cache.binding("regime", t_comp="compute-bound", t_mem="memory-bound")
kv_cache.crossover(
    "T_star",
    "t_KV = t_W",
    solve_for="T",
    symbol=r"T^{\star}",
    less="reading the weights takes longer",
    more="reading the cache",
)
for name, unknown in [("T_fit", "T"), ("b_fit", "b")]:
    kv_cache.crossover(
        name,
        "M = C_usable",
        solve_for=unknown,
        symbol=rf"{unknown}_{{\mathrm{{fit}}}}",
        less="weights and cache fit",
        more="no longer",
    )
kv_cache.crossover(
    "T_batch",
    "t_comp_sequence = t_mem_sequence",
    solve_for="T",
    symbol=r"T_{\mathrm{batch}}",
    less="no batch is compute-bound",
    more="a large enough batch is compute-bound",
)

kv_cache.limit(
    "AI_attention", grows="T", sentence="A larger batch does not raise it: each sequence reads a cache of its own."
)
kv_cache.trend("AI_attention", grows="T", sentence="The queries weigh ever less.")

kv_cache.advise(
    "compute-bound",
    "Raise the use of the arithmetic units. A smaller cache saves memory, which a longer context or a larger batch can "
    "use, but no time.",
)
kv_cache.advise(
    "memory-bound",
    "Read fewer bytes for each token: weights in fewer bytes while they are most of it, then the cache in fewer bytes, "
    "fewer heads of keys and values, or a window of the context. A larger batch shares the weights, never the cache.",
)

kv_cache.conclude(
    "At {T=} and {b=} the cache takes {KV_token} a token and {KV} in all, beside {W} of weights: {M} of {C_usable}, "
    "which {fits}. The longest context for this batch is {T_max}, the largest batch for this context {b_max}."
)
kv_cache.conclude(
    "A step takes between {t} and {t_sum}, at best {rate * 1 s} tokens a second; {t_KV/t_mem:%} of its reading is "
    "cache."
)

kv_cache.worked(
    over={"T": [512, 1024, 2048, 4096, 8192, 12562, 12563, 16384, 32768, 131072]},
    at={"T": 8192, "b": 16},
    show="KV:GiB, M:GiB, fits, b_max, t_mem:ms, t:ms, rate, AI_attention, regime",
)

BOOK = "How to Scale Your Model (jax-ml, Feb 2025 text)"
kv_cache.claim("KV", "6.7 GB", at={"L": 40, "K_kv": 40, "b": 1}, source=f"{BOOK}, Inference, what about memory")
kv_cache.claim(
    "KV_token",
    "160 KiB",
    at={"L": 80, "s_kv": "1 byte"},
    source=f"{BOOK}, Applied Inference, KV cache per token (as kB)",
)
kv_cache.claim(
    "KV",
    "8 GiB",
    at={"L": 64, "K_kv": 64, "b": 1, "s_kv": "1 byte"},
    source=f"{BOOK}, Transformers, key-value caching",
)
kv_cache.claim(
    "KV_token",
    "512 KiB",
    at={"L": 64, "K_kv": 32, "s_kv": "1 byte"},
    source=f"{BOOK}, Transformers, Question 1 (as kB)",
)
BEKMAN = "Stas Bekman, Machine Learning Engineering Open Book, Inference, KV caching"
kv_cache.claim("KV_token", "0.131 MB", source=BEKMAN)
kv_cache.claim("KV_sequence", "134 MB", at={"T": 1024}, source=BEKMAN)
kv_cache.claim("KV", "17.2 GB", at={"T": 1024, "b": 128}, source=BEKMAN)

KIPPLY = "Carol Chen (kipply), Transformer Inference Arithmetic"
kv_cache.claim("KV_token", "2097152 byte", at={"L": 64, "K_kv": 64}, source=f"{KIPPLY}, capacity")
for params, beta, printed, section in [
    (12 * 64 * 8192**2, "1.5 TB/s", "69 ms", "kv cache"),
    (12 * 40 * 5120**2, "1.5 TB/s", "16.8 ms", "comparing against real benchmarks, one A100"),
    (12 * 40 * 5120**2, "3 TB/s", "8.4 ms", "comparing against real benchmarks, two A100"),
    (260 * 10**9, "24 TB/s", "22 ms", "latency calculations, 16 A100"),
]:
    kv_cache.claim("t_W", printed, at={"params": params, "beta": beta}, source=f"{KIPPLY}, {section}")
kv_cache.claim(
    "t_W",
    "10 ms",
    at={"params": 200 * 10**9, "beta": "39.36 TB/s"},
    source=f"{BOOK}, TPUs, Question 1, 32 TPU v4p",
)
for batch, printed in [(1, "4.17 ms"), (8, "5.60 ms")]:
    kv_cache.claim(
        "t_mem",
        printed,
        at={"L": 40, "params": 13 * 10**9, "b": batch, "beta": "6.56 TB/s"},
        source=f"{BOOK}, Inference, throughput and latency, 8 TPU v5e",
    )
BOTH = {"s_kv": "2 byte", "s_a": "2 byte"}
ATTENTION = f"{BOOK}, Inference, attention section: SG/(G + S)"
kv_cache.claim("AI_attention", "T*N/(N + T*K_kv) * 1 FLOP/byte", at=BOTH, source=ATTENTION)
kv_cache.claim("AI_max", "N/K_kv * 1 FLOP/byte", at=BOTH, source=ATTENTION)
kv_cache.claim("AI_max", "1 FLOP/byte", at={"K_kv": 32}, source=ATTENTION + ", MHA")
