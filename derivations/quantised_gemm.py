"""One product C[m,n] = A[m,k] B[k,n] has its weights B stored in fewer bytes than its activations A and C: INT8 or
INT4, with a scale for each group of weights. What does that save in traffic and in time, and at which m does the
product now become compute-bound?"""

from symroof import Derivation, largest, load

quantised_gemm = Derivation("quantised_gemm", title="One matrix product with quantised weights")
quantised_gemm.include(load("gemm"), only=["F", "I"])
quantised_gemm.given("s_a", "bytes per element of the activations A and C", unit="byte")
quantised_gemm.given("s_w", "bytes per weight, without scales", unit="byte")
quantised_gemm.given("s_scale", "bytes of scale and zero point per group of weights", unit="byte", default=0)
quantised_gemm.given("G", "weights in a group", count=True, default=128)


@quantised_gemm.step(unit="byte", symbol=r"s_{\mathrm{eff}}")
def s_eff(s_w, s_scale, G):
    """Each weight takes its own bytes and its part of its group's scale."""
    return s_w + s_scale / G


@quantised_gemm.step(unit="MB", symbol="B_w")
def B_w(s_eff, k, n):
    """The weights are read once, with their scales."""
    return s_eff * k * n


@quantised_gemm.step(unit="MB", symbol="B_a")
def B_a(s_a, m, k, n):
    """A is read and C is written in the wider type of the activations."""
    return s_a * (m * k + m * n)


@quantised_gemm.step(unit="MB")
def B(B_w, B_a):
    """Together that is the traffic."""
    return B_w + B_a


@quantised_gemm.step(unit="FLOP/byte")
def AI(F, B):
    """The operations stay the same, so fewer bytes raise the arithmetic intensity."""
    return F / B


@quantised_gemm.step(unit="ms", symbol=r"t_{\mathrm{comp}}")
def t_comp(F, P):
    """The weights are widened on the chip before they are multiplied, so the rate stays that of the activations' type,
    and the operations of widening them are left out."""
    return F / P


@quantised_gemm.step(unit="ms", symbol=r"t_{\mathrm{mem}}")
def t_mem(B, beta):
    """All traffic at the full bandwidth."""
    return B / beta


@quantised_gemm.step(unit="ms")
def t(t_comp, t_mem):
    """With perfect overlap the slower of the two hides the other: the lower bound of the time."""
    return largest(t_comp, t_mem)


@quantised_gemm.step(unit="ms", symbol=r"t_{\mathrm{sum}}")
def t_sum(t_comp, t_mem):
    """With no overlap at all the two add up: the upper bound."""
    return t_comp + t_mem


@quantised_gemm.step(unit="MB", symbol=r"B_{\mathrm{wide}}")
def B_wide(s_a, k, n, B_a):
    """With weights as wide as the activations the traffic would be"""
    return s_a * k * n + B_a


@quantised_gemm.step(unit="ms", symbol=r"t_{\mathrm{mem,wide}}")
def t_mem_wide(B_wide, beta):
    """and moving it would take"""
    return B_wide / beta


@quantised_gemm.step(unit="ms", symbol=r"t_{\mathrm{wide}}")
def t_wide(t_comp, t_mem_wide):
    """so that the product would take"""
    return largest(t_comp, t_mem_wide)


@quantised_gemm.step(unit="MB", symbol=r"B_{\mathrm{saved}}")
def B_saved(B_wide, B):
    """Quantising saves this traffic, and as much memory, whatever $m$ is,"""
    return B_wide - B


@quantised_gemm.step(unit="ms", symbol=r"t_{\mathrm{saved}}")
def t_saved(t_wide, t):
    """and this time,"""
    return t_wide - t


@quantised_gemm.step()
def speedup(t_wide, t):
    """so that the product runs faster by the factor"""
    return t_wide / t


@quantised_gemm.step(unit="%")
def share_m(s_eff, s_a):
    """The crossover is proportional to the bytes per weight, so of what it is with wide weights there remains"""
    return s_eff / s_a


@quantised_gemm.step(symbol=r"m_{\infty}")
def m_inf(s_eff, I, c):
    """For very large $k$ and $n$ only the weights count, and the crossover comes down to the rule of thumb"""
    return I * s_eff / c


quantised_gemm.binding("regime", t_comp="compute-bound", t_mem="memory-bound")
quantised_gemm.crossover("m_star", "t_comp = t_mem", solve_for="m", symbol=r"m^{\star}")
quantised_gemm.crossover(
    "m_star_wide",
    "t_comp = t_mem_wide",
    solve_for="m",
    symbol=r"m^{\star}_{\mathrm{wide}}",
    less="memory-bound with wide weights",
    more="compute-bound",
)

quantised_gemm.limit(
    "AI", grows="m", sentence="The bytes per weight are not in it: in a large product the activations set the ceiling."
)
quantised_gemm.trend("AI", grows="m", sentence="A larger $m$ can only make the product more compute-bound.")

quantised_gemm.advise(
    "compute-bound",
    "Fewer bytes per weight save memory but no more time. A faster type for the activations as well (INT8 or FP8 "
    "products) raises the rate.",
)
quantised_gemm.advise(
    "memory-bound",
    "Store the weights in fewer bytes as long as they are most of the traffic; then the activations are next.",
)

quantised_gemm.conclude(
    "At {m=} with {s_eff} a weight the product moves {B} instead of {B_wide} and takes between {t} and {t_sum}: "
    "{speedup} times as fast as with weights as wide as the activations, which take {t_wide} at least."
)

quantised_gemm.worked(
    over={"m": [1, 8, 32, 64, 85, 86, 128, 256, 512, 2048]},
    at={"m": 128, "s_w": "0.5 byte", "s_scale": "2 byte"},
    show="F:GFLOP, B:MB, B_wide:MB, t_comp:ms, t_mem:ms, t:ms, t_sum:ms, t_wide:ms, speedup, regime",
)

quantised_gemm.claim(
    "m_star",
    "P*(s_w + s_scale/G)*k*n/(c*beta*k*n - P*s_a*(k + n))",
    source="the usual form of the batch threshold, with the bytes per weight and those per activation apart",
)
quantised_gemm.claim("m_star_wide", "331", first_integer=True, source="published answer, part 1, text")

ROOFLINES = "How to Scale Your Model (jax-ml, Feb 2025 text), Rooflines"
V5E = {"P": "197 TFLOP/s", "beta": "820 GB/s", "s_scale": 0}
V5E_INT8 = {"P": "394 TOP/s", "beta": "810 GB/s", "s_scale": 0, "s_w": "1 byte", "s_a": "1 byte"}
quantised_gemm.claim(
    "m_inf", "240", at={**V5E, "s_w": "2 byte", "s_a": "2 byte"}, source=ROOFLINES + ", matrix multiplication"
)
quantised_gemm.claim("I", "486 FLOP/byte", at=V5E_INT8, source=ROOFLINES + ", Question 1")
quantised_gemm.claim("m_inf", "243", at=V5E_INT8, source=ROOFLINES + ", Question 1")
quantised_gemm.claim("m_inf", "120", at={**V5E, "s_w": "1 byte", "s_a": "2 byte"}, source=ROOFLINES + ", Question 2")
quantised_gemm.claim(
    "m_star",
    "11",
    at={**V5E_INT8, "beta": "17.82 TB/s", "k": 4096, "n": 16384},
    source="How to Scale Your Model (jax-ml, Feb 2025 text), TPUs, Question 4 part 2",
)
