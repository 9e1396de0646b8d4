"""One product C[m,n] = A[m,k] B[k,n] runs on one accelerator. How many operations does it need, how much data does
it move, which of the two limits the time, and at which m does the limit change?"""

from symroof import Derivation, largest, smallest

gemm = Derivation("gemm", title="One matrix product under the roofline")

gemm.given("m", "rows of A and C", count=True)
gemm.given("k", "columns of A, rows of B", count=True, default=512)
gemm.given("n", "columns of B and C", count=True, default="2^20")
gemm.given("c", "operations per multiply-add", unit="FLOP", default=2)
gemm.given("P", "peak rate, times its efficiency", unit="FLOP/s", efficiency="eta_P")
gemm.given("beta", "memory bandwidth, times its efficiency", unit="byte/s", efficiency="eta_beta")
gemm.given("s", "bytes per element", unit="byte")
gemm.given("eta_P", "share of the peak rate that is reached", default=1, most=1)
gemm.given("eta_beta", "share of the bandwidth that is reached", default=1, most=1)


@gemm.step(unit="FLOP")
def F(c, m, k, n):
    """Each of the $m n$ outputs sums $k$ products."""
    return c * m * k * n


@gemm.step(unit="byte")
def B(s, m, k, n):
    """Both operands are read once and the result is written once."""
    return s * (m * k + k * n + m * n)


@gemm.step(unit="GB", symbol="B_{mk}")
def B_mk(s, m, k):
    """The traffic by operand: reading A,"""
    return s * m * k


@gemm.step(unit="GB", symbol="B_{kn}")
def B_kn(s, k, n):
    """reading B, which is the same for every $m$,"""
    return s * k * n


@gemm.step(unit="GB", symbol="B_{mn}")
def B_mn(s, m, n):
    """and writing C."""
    return s * m * n


@gemm.step(unit="%", symbol=r"\sigma_{mk}")
def share_mk(B_mk, B):
    """Of all traffic, A has the share"""
    return B_mk / B


@gemm.step(unit="%", symbol=r"\sigma_{kn}")
def share_kn(B_kn, B):
    """B has"""
    return B_kn / B


@gemm.step(unit="%", symbol=r"\sigma_{mn}")
def share_mn(B_mn, B):
    """and C has the rest."""
    return B_mn / B


@gemm.step(unit="FLOP/byte")
def AI(F, B):
    """The arithmetic intensity is the work done for each byte moved."""
    return F / B


@gemm.step(unit="FLOP/byte")
def I(P, beta):
    """The ridge (machine balance) is the intensity at which the chip's two limits meet."""
    return P / beta


@gemm.step(unit="TFLOP/s")
def R(P, beta, AI):
    """The roofline: no kernel of this intensity runs faster than the lower of the two roofs."""
    return smallest(P, beta * AI)


@gemm.step(unit="s", symbol=r"t_{\mathrm{comp}}")
def t_comp(F, P):
    """All operations at the peak rate."""
    return F / P


@gemm.step(unit="s", symbol=r"t_{\mathrm{mem}}")
def t_mem(B, beta):
    """All traffic at the full bandwidth."""
    return B / beta


@gemm.step(unit="s")
def t(t_comp, t_mem):
    """With perfect overlap the slower of the two hides the other: the lower bound of the time."""
    return largest(t_comp, t_mem)


@gemm.step(unit="s", symbol=r"t_{\mathrm{sum}}")
def t_sum(t_comp, t_mem):
    """With no overlap at all the two add up: the upper bound."""
    return t_comp + t_mem


gemm.binding("regime", t_comp="compute-bound", t_mem="memory-bound")
gemm.crossover("m_star", "t_comp = t_mem", solve_for="m", symbol=r"m^{\star}")

gemm.conclude(
    "At {m=} one product needs {F} and moves {B}. It takes between {t:ms}, where arithmetic and traffic overlap, and "
    "{t_sum:ms}, where they do not."
)
gemm.conclude("Of the traffic C is {share_mn}, the weights B are {share_kn}.")

gemm.limit("AI", grows="m", sentence="However large $m$ becomes, every byte of C still has to be written.")
gemm.trend("AI", grows="m", sentence="A larger $m$ can only make the product more compute-bound.")

gemm.advise(
    "compute-bound",
    "Raise the use of the arithmetic units: full tiles, no tail wave, tensor cores busy, or a faster data type. "
    "More bandwidth changes nothing.",
)
gemm.advise(
    "memory-bound",
    "Move fewer bytes for each operation: a larger $m$ (batch), fusion with a neighbouring operation so that the "
    "result stays on the chip, a smaller data type. A higher peak rate changes nothing.",
)

gemm.worked(
    over={"m": [2, 8, 32, 128, 256, 512, 2048, 8192]},
    at={"m": 8192},
    show="F:GFLOP, B:GB, AI, t_comp:ms, t_mem:ms, t:ms, t_sum:ms, regime",
)

TABLE = "published answer, part 1, table over m"
for m, flop, traffic, compute, memory, time in [
    (2, "2.147", "1.078", "0.0069", "0.6932", "0.6932"),
    (8, "8.590", "1.091", "0.0275", "0.7013", "0.7013"),
    (32, "34.360", "1.141", "0.1101", "0.7337", "0.7337"),
    (128, "137.439", "1.342", "0.4405", "0.8632", "0.8632"),
    (256, "274.878", "1.611", "0.8810", "1.0359", "1.0359"),
    (512, "549.756", "2.148", "1.7620", "1.3814", "1.7620"),
    (2048, "2199.023", "5.371", "7.0482", "3.4539", "7.0482"),
    (8192, "8796.093", "18.262", "28.1926", "11.7441", "28.1926"),
]:
    gemm.claim("F", f"{flop} GFLOP", at={"m": m}, source=TABLE)
    gemm.claim("B", f"{traffic} GB", at={"m": m}, source=TABLE)
    gemm.claim("t_comp", f"{compute} ms", at={"m": m}, source=TABLE)
    gemm.claim("t_mem", f"{memory} ms", at={"m": m}, source=TABLE)
    gemm.claim("t", f"{time} ms", at={"m": m}, source=TABLE)

TEXT = "published answer, part 1, text"
gemm.claim("F", "1.0737e9 FLOP * m", source=TEXT)
gemm.claim("AI", "m*k*n/(m*k + k*n + m*n) * 1 FLOP/byte", at={"s": "2 byte"}, source=TEXT)
gemm.claim("I", "200.6 FLOP/byte", source=TEXT)
gemm.claim("m_star", "331", first_integer=True, source=TEXT)
gemm.claim("m_star", "I*s*k*n/(c*k*n - I*s*(k + n))", source="the usual form of the batch threshold, with the ridge I")
for m, label in [(2, "memory-bound"), (256, "memory-bound"), (512, "compute-bound"), (8192, "compute-bound")]:
    gemm.claim("regime", label, at={"m": m}, source=TEXT)
gemm.claim("AI", "481.7 FLOP/byte", at={"m": 8192}, source=TEXT)
gemm.claim("B", "18.262 GB", at={"m": 8192}, source=TEXT)
gemm.claim("t_mem", "11.744 ms", at={"m": 8192}, source=TEXT)
gemm.claim("B_kn", "1 GiB", source=TEXT)
gemm.claim("B_mn", "16 GiB", at={"m": 8192}, source=TEXT)

SCRIPT = "published answer, part 1, output of the script"
for m, time, label in [
    (2, "0.000693", "memory-bound"),
    (32, "0.000734", "memory-bound"),
    (128, "0.000863", "memory-bound"),
    (8192, "0.028193", "compute-bound"),
]:
    gemm.claim("t", f"{time} s", at={"m": m}, source=SCRIPT)
    gemm.claim("regime", label, at={"m": m}, source=SCRIPT)
