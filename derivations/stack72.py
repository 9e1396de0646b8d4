"""Layers of two types run one after the other, in alternation: Type 1 multiplies [m,n] by [n,k] to [m,k], Type 2
multiplies [m,k] by [k,n] to [m,n]. How many operations and how much data do all L of them need, how long do they take
together, and what would fusing neighbours save?"""

from symroof import Derivation, floor, largest, load, total

# The types of layer in the order in which they repeat: which of the product's sizes change places in each.
TYPES = [{"k": "n", "n": "k"}, {}]

stack72 = Derivation("stack72", title="A stack of layers in alternation")
stack72.given("L", "layers", count=True, default=72)


def count(position):
    """The step that counts the layers of the type at a position of the cycle."""
    ahead = len(TYPES) - 1 - position
    period = len(TYPES)

    def layers(L):
        return floor((L + ahead) / period)

    layers.__name__ = f"N_{position + 1}"
    layers.__doc__ = f"Layers of Type {position + 1}; the types alternate, Type 1 first."
    stack72.step(symbol=f"N_{{{position + 1}}}")(layers)


# One type of layer: the product, and all layers of that type together.
layer = load("gemm")
layer.given("number", "layers of this type", count=True)


@layer.step(unit="TFLOP", symbol=r"F_{\Sigma}")
def F_all(number, F):
    """All layers of this type together."""
    return number * F


@layer.step(unit="GB", symbol=r"B_{\Sigma}")
def B_all(number, B):
    return number * B


@layer.step(unit="s", symbol=r"t_{\Sigma}")
def t_all(number, t):
    return number * t


for at, exchange in enumerate(TYPES):
    count(at)
    stack72.include(
        layer, only=["F_all", "B_all", "t_all"], suffix=f"_{at + 1}", exchange={**exchange, "number": f"N_{at + 1}"}
    )

EACH = [f"_{at + 1}" for at in range(len(TYPES))]


@stack72.step(unit="FLOP", symbol="F_L", of=["F_all" + each for each in EACH])
def F_L(*terms):
    """The operations of the whole stack."""
    return total(*terms)


@stack72.step(unit="byte", symbol="B_L", of=["B_all" + each for each in EACH])
def B_L(*terms):
    """The traffic of the whole stack: nothing stays on the chip from one layer to the next."""
    return total(*terms)


@stack72.step(unit="FLOP/byte", symbol=r"\mathrm{AI}_L")
def AI_L(F_L, B_L):
    """The intensity of the stack."""
    return F_L / B_L


@stack72.step(unit="s", symbol=r"t_{\mathrm{comp},L}")
def t_comp_L(F_L, P):
    """All operations at the peak rate."""
    return F_L / P


@stack72.step(unit="s", symbol=r"t_{\mathrm{mem},L}")
def t_mem_L(B_L, beta):
    """All traffic at the full bandwidth."""
    return B_L / beta


@stack72.step(unit="s", symbol="t_L", of=["t_all" + each for each in EACH])
def t_L(*terms):
    """Layer by layer the slower of the two hides the other: the sum of the layers' maxima."""
    return total(*terms)


@stack72.step(unit="s", symbol=r"t_{\mathrm{bound},L}")
def t_bound_L(t_comp_L, t_mem_L):
    """The maximum of the sums is never more. The two differ only where one type of layer is compute-bound and
    another memory-bound: then the stack waits for each in turn."""
    return largest(t_comp_L, t_mem_L)


@stack72.step(unit="s", symbol=r"t_{\mathrm{sum},L}")
def t_sum_L(t_comp_L, t_mem_L):
    """With no overlap at all, the upper bound."""
    return t_comp_L + t_mem_L


@stack72.step(unit="GB", symbol="B_{mn}")
def B_mn(s, m, n):
    """A matrix of $m n$ elements leaves every layer of Type 2 and enters the next of Type 1. In a transformer's MLP it
    is the hidden one: Type 2 projects $m$ tokens from width $k$ up to $n$, Type 1 back down to $k$. A QKV projection is
    of Type 2 as well, with $n = 3 k$ where each head has keys and values of its own."""
    return s * m * n


@stack72.step(unit="GB", symbol=r"B_{mn,L}")
def B_mn_L(L, B_mn):
    """Each layer writes or reads one such matrix."""
    return L * B_mn


@stack72.step(unit="%", symbol=r"\sigma_{mn}")
def share_mn(B_mn_L, B_L):
    """Of all traffic that is"""
    return B_mn_L / B_L


@stack72.step(unit="%", symbol=r"\sigma_{kn}")
def share_kn(L, s, k, n, B_L):
    """and the weights, $k n$ elements in each layer, are"""
    return L * s * k * n / B_L


@stack72.step(unit="GB", symbol=r"B_{\mathrm{saved}}")
def B_saved_L(L, B_mn):
    """Fusing each layer of Type 2 with the layer of Type 1 after it keeps that matrix on the chip: it is neither
    written nor read. That saves"""
    return 2 * floor((L - 1) / 2) * B_mn


@stack72.step(unit="GB", symbol=r"B_{\mathrm{fused}}")
def B_fused_L(B_L, B_saved_L):
    """so that the stack moves no more than"""
    return B_L - B_saved_L


@stack72.step(unit="%", symbol=r"\sigma_{\mathrm{saved}}")
def share_saved(B_saved_L, B_L):
    """Of all traffic fusing saves"""
    return B_saved_L / B_L


@stack72.step(unit="s", symbol=r"t_{\mathrm{mem,fused}}")
def t_mem_fused_L(B_fused_L, beta):
    """Moving the rest takes"""
    return B_fused_L / beta


@stack72.step(unit="s", symbol=r"t_{\mathrm{fused}}")
def t_fused_L(t_comp_L, t_mem_fused_L):
    """so that with perfect overlap the stack takes"""
    return largest(t_comp_L, t_mem_fused_L)


@stack72.step(unit="s", symbol=r"t_{\mathrm{sum,fused}}")
def t_sum_fused_L(t_comp_L, t_mem_fused_L):
    """and with none at all"""
    return t_comp_L + t_mem_fused_L


stack72.binding("regime_L", t_comp_L="compute-bound", t_mem_L="memory-bound")

stack72.conclude(
    "At {m=} and {L=} the stack needs {F_L:PFLOP} and moves {B_L:TB}. It takes between {t_L:s}, where arithmetic and "
    "traffic overlap, and {t_sum_L:s}, where they do not: {t_comp_L:s} of arithmetic and {t_mem_L:s} of traffic."
)
stack72.conclude(
    "Of the traffic {share_mn} is the wide matrix of $m n$ elements, {share_kn} the weights. Fusing each layer of Type "
    "2 with the layer of Type 1 after it saves {share_saved} of all traffic and leaves {B_fused_L:GB}; the times are "
    "then between {t_fused_L:s} and {t_sum_fused_L:s}."
)

stack72.equal("F_1", "F_2", sentence="Both types multiply the same three sizes.")
stack72.equal("B_1", "B_2", sentence="The three matrices are the same three, in other roles.")

stack72.advise(
    "compute-bound",
    "Raise the use of the arithmetic units. Fusing saves traffic that is hidden anyway; it pays where memory binds.",
)
stack72.advise(
    "memory-bound",
    "Fuse each layer of Type 2 with the layer of Type 1 after it, as a fused MLP does with its two projections: the "
    "wide matrix between them need never leave the chip.",
)

stack72.worked(
    over={"m": [2, 8, 32, 128, 256, 512, 2048, 8192]},
    at={"m": 8192},
    show="F_L:PFLOP, B_L:TB, AI_L, t_comp_L:s, t_mem_L:s, t_L:s, t_sum_L:s, regime_L",
    answer="t_L",
)

TEXT = "published answer, part 2"
stack72.claim("F_L", "0.633 PFLOP", at={"m": 8192}, source=TEXT)
stack72.claim("B_L", "1.315 TB", at={"m": 8192}, source=TEXT)
stack72.claim("t_comp_L", "2.03 s", at={"m": 8192}, source=TEXT)
stack72.claim("t_mem_L", "0.85 s", at={"m": 8192}, source=TEXT)
stack72.claim("AI_L", "481.7 FLOP/byte", at={"m": 8192}, source=TEXT)
stack72.claim("F_L", "72 * 2 FLOP * m*k*n", at={"L": 72}, source=TEXT)
stack72.claim("B_L", "72 * 2 byte * (m*k + k*n + m*n)", at={"L": 72}, source=TEXT)
