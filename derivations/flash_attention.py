"""One head of attention runs over one sequence of T tokens. How much data does it move if the scores and their softmax,
two matrices of T by T elements, go through memory, and how much if they stay on the chip, as in FlashAttention-2? How
large must a block of queries be for the arithmetic to be the limit, and how much faster is that?"""

from symroof import Derivation, ceil, floor, largest, load

flash_attention = Derivation("flash_attention", title="Attention that keeps its scores on the chip")
flash_attention.include(load("gemm"), only=["c", "s", "I"])
flash_attention.given("T", "tokens in the sequence", count=True, default=4096)
flash_attention.given("H", "head size", count=True, default=128)
flash_attention.given("B_r", "queries in a block", count=True, default=128)
flash_attention.given(
    "rho",
    "share of the $T^2$ scores that is computed: 1, or towards 1/2 under a causal mask as $T$ grows",
    default=1,
    most=1,
)


@flash_attention.step(unit="GFLOP")
def F(rho, c, T, H):
    """The scores, queries times keys, and the output, their softmax times values, take $T^2 H$ multiply-adds each;
    FlashAttention-2 leaves out the blocks that a causal mask hides, and the softmax itself is not counted."""
    return 2 * rho * c * T**2 * H


@flash_attention.step(unit="GFLOP", symbol=r"F_{\mathrm{std}}")
def F_standard(c, T, H):
    """Standard attention computes the whole square and masks it afterwards."""
    return 2 * c * T**2 * H


@flash_attention.step(unit="MB", symbol=r"B_{\mathrm{std}}")
def B_standard(s, T, H):
    """It reads queries, keys and values and writes the output, of $T H$ elements each, and it writes the scores and
    their softmax, of $T^2$ elements each, and reads both again."""
    return s * (4 * T * H + 4 * T**2)


@flash_attention.step(unit="MB", symbol=r"B_{\mathrm{flash}}")
def B_flash(s, rho, T, H, B_r):
    """FlashAttention-2 reads the queries and writes the output once, and reads keys and values once for each block of
    $B_r$ queries: every read is counted as one from memory, though the L2 cache serves some of them."""
    return s * (2 * T * H + 2 * rho * T * H * ceil(T / B_r))


@flash_attention.step(unit="MB", symbol=r"B_{\mathrm{smooth}}")
def B_smooth(s, rho, T, H, B_r):
    """The smooth form counts the last block as the part of one that it is: it is never more, and can be solved for
    $B_r$."""
    return s * (2 * T * H + 2 * rho * T**2 * H / B_r)


@flash_attention.step(unit="FLOP/byte", symbol=r"\mathrm{AI}_{\mathrm{std}}")
def AI_standard(F_standard, B_standard):
    """The arithmetic intensity of standard attention,"""
    return F_standard / B_standard


@flash_attention.step(unit="FLOP/byte", symbol=r"\mathrm{AI}_{\mathrm{flash}}")
def AI_flash(F, B_flash):
    """that of FlashAttention-2,"""
    return F / B_flash


@flash_attention.step(unit="FLOP/byte", symbol=r"\mathrm{AI}_{\mathrm{smooth}}")
def AI_smooth(F, B_smooth):
    """and that in the smooth form."""
    return F / B_smooth


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{comp,std}}")
def t_comp_standard(F_standard, P):
    """Standard attention: all operations at the peak rate,"""
    return F_standard / P


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{mem,std}}")
def t_mem_standard(B_standard, beta):
    """all traffic at the full bandwidth,"""
    return B_standard / beta


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{std}}")
def t_standard(t_comp_standard, t_mem_standard):
    """the slower of the two if they overlap perfectly,"""
    return largest(t_comp_standard, t_mem_standard)


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{sum,std}}")
def t_sum_standard(t_comp_standard, t_mem_standard):
    """and both if they do not overlap."""
    return t_comp_standard + t_mem_standard


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{comp}}")
def t_comp(F, P):
    """FlashAttention-2: all operations at the peak rate,"""
    return F / P


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{mem}}")
def t_mem(B_flash, beta):
    """all traffic at the full bandwidth,"""
    return B_flash / beta


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{mem,smooth}}")
def t_mem_smooth(B_smooth, beta):
    """in the smooth form,"""
    return B_smooth / beta


@flash_attention.step(unit="us")
def t(t_comp, t_mem):
    """the slower of the two if they overlap perfectly,"""
    return largest(t_comp, t_mem)


@flash_attention.step(unit="us", symbol=r"t_{\mathrm{sum}}")
def t_sum(t_comp, t_mem):
    """and both if they do not overlap."""
    return t_comp + t_mem


@flash_attention.step(symbol=r"\mathrm{speedup}")
def speedup(t_standard, t):
    """If both overlap perfectly, FlashAttention-2 is faster by the factor"""
    return t_standard / t


@flash_attention.step(symbol=r"\mathrm{speedup}_{\mathrm{low}}")
def speedup_low(t_standard, t_sum):
    """At least it is this factor, standard attention overlapping perfectly and FlashAttention-2 not at all,"""
    return t_standard / t_sum


@flash_attention.step(symbol=r"\mathrm{speedup}_{\mathrm{high}}")
def speedup_high(t_sum_standard, t):
    """and at most this one, the other way round."""
    return t_sum_standard / t


@flash_attention.step(unit="MiB", symbol=r"M_{\mathrm{std}}")
def M_standard(s, T):
    """Standard attention holds the scores and their softmax in memory, for every head and sequence at work;
    FlashAttention-2 holds neither, only one number a query for the softmax, which is not counted."""
    return 2 * s * T**2


@flash_attention.step(symbol=r"n_{\mathrm{blocks}}")
def most_blocks(F, P, beta, s, rho, T, H):
    """In whole blocks it is compute-bound with no more of them than can be served while the arithmetic runs: at most"""
    return floor(largest((F * beta / (P * s * T * H) - 2) / (2 * rho), 0))


@flash_attention.step(symbol=r"B_{r,\mathrm{whole}}")
def B_r_whole(T, most_blocks):
    """The queries make so few blocks, or as few as there can be, from this many in a block on."""
    return ceil(T / largest(most_blocks, 1))


@flash_attention.step()
def whole_blocks(most_blocks):
    """In blocks of that size or larger it is"""
    return "compute-bound, in smaller ones memory-bound" if most_blocks >= 1 else "memory-bound, as in smaller ones"


flash_attention.binding("regime", t_comp="compute-bound", t_mem="memory-bound")
flash_attention.crossover(
    "B_r_star",
    "t_comp = t_mem_smooth",
    solve_for="B_r",
    symbol=r"B_r^{\star}",
    less="memory-bound in the smooth form",
    more="compute-bound in the smooth form",
)
flash_attention.crossover(
    "B_r_even",
    "B_smooth = B_standard",
    solve_for="B_r",
    symbol=r"B_{r,\mathrm{even}}",
    less="less traffic than standard attention",
    more="more traffic than standard attention",
)

flash_attention.limit(
    "AI_standard",
    grows="T",
    sentence="Each score is moved four times for its $2 H$ multiply-adds, however many there are.",
)
flash_attention.limit(
    "AI_smooth",
    grows="T",
    sentence="Each key and value that is read serves the $B_r$ queries of a block; $H$ is not in it.",
)
flash_attention.trend("AI_smooth", grows="T", sentence="A longer sequence can only make it more compute-bound.")
flash_attention.trend("AI_smooth", grows="B_r", sentence="So does a larger block.")

flash_attention.advise(
    "compute-bound",
    "Raise the use of the arithmetic units: fewer operations outside the two products, work split evenly over the "
    "chip also where there are few heads and sequences. Larger blocks change nothing.",
)
flash_attention.advise(
    "memory-bound",
    "Take larger blocks of queries, as far as registers and shared memory allow, and let neighbouring blocks run at "
    "the same time, so that the L2 cache serves the reads of keys and values that are counted here as from memory.",
)

flash_attention.conclude(
    "At {T=} and {B_r=} FlashAttention-2 moves {B_flash} where standard attention moves {B_standard}, and takes "
    "between {t} and {t_sum} instead of {t_standard} to {t_sum_standard}: it is {speedup_low} to {speedup_high} times "
    "as fast, {speedup} times if both overlap. It saves the {M_standard} of the scores."
)
flash_attention.conclude(
    "Counted in whole blocks, attention over {T} queries in blocks of {B_r_whole} or more is {whole_blocks}."
)

flash_attention.worked(
    over={"B_r": [32, 64, 128, 192, 211, 215, 216, 256, 512, 4096]},
    at={"T": 4096, "B_r": 128},
    show="B_flash:MB, AI_flash, t:us, speedup_low, speedup, speedup_high, regime",
)

BOOK = "How to Scale Your Model (jax-ml, Feb 2025 text), Inference, attention section"
flash_attention.claim(
    "AI_smooth",
    "T*B_r/(T + B_r) * 1 FLOP/byte",
    at={"s": "2 byte"},
    source=BOOK + ": ST/(S + T)",
)
flash_attention.claim(
    "AI_flash", "4096 FLOP/byte", at={"T": 8192, "B_r": 8192, "s": "2 byte"}, source=BOOK + ": T/2 for S = T"
)
