"""Does a stack of L alternating layers fit on the card? What do weights, activations, a KV cache and a workspace take
in each plan: all weights resident, one or two layers streamed, with the cautious reading of the activations, and in
training? How large may m become?"""

from symroof import Derivation, ceil, floor, load

vram = Derivation("vram", title="What fits in the memory of one card")
vram.include(load("gemm"), only=["m", "k", "n", "s"])
vram.include(load("stack72"), only=["L"])
vram.given("C", "memory of the card", unit="byte", default="40 GiB")
vram.given("u", "share of the memory that may be used", default=1)
vram.given("KV", "KV cache; none without attention", unit="byte", default="0 GiB")
vram.given("M_ws", "workspace and context", unit="byte", default="0 GiB")
vram.given("q", "bytes per parameter in training: weights, gradients, optimizer", unit="byte", default=16)


@vram.step(unit="GiB", symbol=r"C_{\mathrm{usable}}")
def C_usable(u, C):
    """Of the card's memory so much may be used."""
    return u * C


@vram.step(unit="GiB", symbol=r"W_{\mathrm{layer}}")
def W_layer(s, k, n):
    """The weights of a layer are a matrix of $k n$ elements, whichever type it is."""
    return s * k * n


@vram.step(unit="GiB")
def W(L, W_layer):
    """Every layer has weights of its own."""
    return L * W_layer


@vram.step(unit="GiB", symbol="A_{mn}")
def A_mn(s, m, n):
    """The wide activation leaves each layer of Type 2 and enters the next of Type 1,"""
    return s * m * n


@vram.step(unit="MiB", symbol="A_{mk}")
def A_mk(s, m, k):
    """and the narrow one leaves each layer of Type 1 and enters the next of Type 2."""
    return s * m * k


@vram.step(unit="GiB", symbol=r"A_{\mathrm{live}}")
def A_live(A_mn, A_mk):
    """While a layer runs, its input and its output are live: one of each, since the types alternate."""
    return A_mn + A_mk


@vram.step(unit="GiB", symbol=r"A_{\mathrm{double}}")
def A_double(A_mn):
    """The cautious reading keeps two wide activations."""
    return 2 * A_mn


@vram.step(unit="GiB", symbol=r"A_{\mathrm{train}}")
def A_train(L, A_mn, A_mk):
    """Training keeps each layer's input, which its weight gradient needs: the first, the third ... layer reads a wide
    one, the others a narrow one."""
    return ceil(L / 2) * A_mn + floor(L / 2) * A_mk


@vram.step(unit="GiB", symbol=r"M_{\mathrm{resident}}")
def M_resident(W, A_live, KV, M_ws):
    """All weights resident, with the live activations, the KV cache and the workspace, which every plan has."""
    return W + A_live + KV + M_ws


@vram.step(unit="GiB", symbol=r"M_{\mathrm{stream1}}")
def M_stream1(W_layer, A_live, KV, M_ws):
    """Weights streamed layer by layer through one buffer."""
    return W_layer + A_live + KV + M_ws


@vram.step(unit="GiB", symbol=r"M_{\mathrm{stream2}}")
def M_stream2(W_layer, A_live, KV, M_ws):
    """Two buffers: the next layer's weights arrive while this one runs."""
    return 2 * W_layer + A_live + KV + M_ws


@vram.step(unit="GiB", symbol=r"M_{\mathrm{cautious}}")
def M_cautious(W_layer, A_double, KV, M_ws):
    """One buffer and the cautious activations."""
    return W_layer + A_double + KV + M_ws


@vram.step(unit="GiB", symbol=r"M_{\mathrm{train}}")
def M_train(A_train, q, L, k, n, M_ws):
    """Training: the kept activations, and $q$ bytes for each parameter."""
    return A_train + q * L * k * n + M_ws


@vram.step()
def resident(M_resident, C_usable):
    """All weights resident:"""
    return "fits" if M_resident <= C_usable else "does not fit"


@vram.step()
def stream1(M_stream1, C_usable):
    """One buffer:"""
    return "fits" if M_stream1 <= C_usable else "does not fit"


@vram.step()
def stream2(M_stream2, C_usable):
    """Two buffers:"""
    return "fits" if M_stream2 <= C_usable else "does not fit"


@vram.step()
def cautious(M_cautious, C_usable):
    """The cautious bound:"""
    return "fits" if M_cautious <= C_usable else "does not fit"


@vram.step()
def train(M_train, C_usable):
    """Training:"""
    return "fits" if M_train <= C_usable else "does not fit"


vram.crossover("m_stream1", "M_stream1 = C_usable", solve_for="m", symbol=r"m_{\mathrm{stream1}}")
vram.crossover("m_stream2", "M_stream2 = C_usable", solve_for="m", symbol=r"m_{\mathrm{stream2}}")
vram.crossover("m_cautious", "M_cautious = C_usable", solve_for="m", symbol=r"m_{\mathrm{cautious}}")
vram.crossover("L_resident", "M_resident = C_usable", solve_for="L", symbol=r"L_{\mathrm{resident}}")

vram.crossover("KV_max", "M_stream2 = C_usable", solve_for="KV", symbol=r"\mathrm{KV}_{\max}")

# "40 GB" is three different numbers; each plan against each of them.
for reading in ("40 GB", "40 GiB", "42405855232 byte"):
    for plan, memory in [
        ("resident", "M_resident"),
        ("one buffer", "M_stream1"),
        ("two buffers", "M_stream2"),
        ("cautious", "M_cautious"),
    ]:
        vram.plan(f"{plan}, in {reading}", memory=memory, within="C_usable", at={"C": reading})

vram.worked(
    over={"m": [2, 128, 2048, 8192, 9984, 16384, 19446, 19958]},
    at={"m": 8192},
    show="M_resident:GiB, M_stream1:GiB, M_stream2:GiB, M_cautious:GiB, stream2, cautious",
)

TEXT = "published answer, part 2"
vram.claim("W_layer", "1 GiB", source=TEXT)
vram.claim("W", "72 GiB", source=TEXT)
vram.claim("A_mn", "16 GiB", at={"m": 8192}, source=TEXT)
vram.claim("A_double", "32 GiB", at={"m": 8192}, source=TEXT)
vram.claim("M_cautious", "35 GiB", at={"m": 8192, "M_ws": "2 GiB"}, source=TEXT + ", with 2 GiB of workspace")
vram.claim("M_cautious", "37 GiB", at={"m": 8192, "M_ws": "4 GiB"}, source=TEXT + ", with 4 GiB of workspace")
vram.claim("cautious", "fits", at={"m": 8192, "M_ws": "4 GiB"}, source=TEXT + ", streaming called feasible")
vram.claim("train", "does not fit", at={"m": 8192}, source=TEXT + ", training called far above 40 GB")
vram.claim("resident", "does not fit", at={"m": 8192}, source="published function: 72 k n s <= 40 * 1024^3")
