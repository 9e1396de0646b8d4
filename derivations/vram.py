"""Does a stack of L alternating layers fit on the GPU? What do weights, activations, a KV cache and a workspace take
in each plan: all weights resident, one or two layers streamed, with the cautious reading of the activations, and in
training? How large may m become?"""

from symroof import Derivation, ceil, floor, load

vram = Derivation("vram", title="What fits in the memory of one GPU")
vram.include(load("gemm"), only=["m", "k", "n", "s"])
vram.include(load("stack72"), only=["L"])
vram.given(
    "C",
    "memory of the GPU; of the question's own as the question reads it, a GB as a GiB",
    unit="byte",
    default="40 GiB",
    on="a100-40gb",
)
vram.given("C_label", "what the GPU is sold as having", unit="byte")
vram.given("C_driver", "memory as the driver reports it, or as sold", unit="byte")
vram.given("u", "share of the memory that may be used", default=1, most=1)
vram.given("KV", "KV cache; none without attention", unit="byte", default="0 GiB")
vram.given("M_ws", "workspace and context", unit="byte", default="0 GiB")
vram.given("q", "bytes per parameter in training: weights, gradients, optimizer", unit="byte", default=16)


@vram.step(unit="GiB", symbol=r"C_{\mathrm{usable}}")
def C_usable(u, C):
    """The part of the memory that may be used."""
    return u * C


@vram.step(unit="GiB", symbol=r"C_{\mathrm{decimal}}")
def C_decimal(u, C_label):
    """What a GPU is sold as having is read in two ways. Read as decimal, a GB is $10^9$ byte:"""
    return u * C_label


@vram.step(unit="GiB", symbol=r"C_{\mathrm{binary}}")
def C_binary(u, C_label):
    """Read as binary it is a GiB of $2^{30}$ byte:"""
    return u * C_label * 2**30 / 10**9


@vram.step(unit="GiB", symbol=r"C_{\mathrm{reported}}")
def C_reported(u, C_driver):
    """And the driver reports, or where that is not known the label says in the decimal reading,"""
    return u * C_driver


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
    """Training keeps each layer's input, which its weight gradient needs: a wide one for each layer of Type 1, the
    first of which begins the stack, and a narrow one for each of Type 2."""
    return ceil(L / 2) * A_mn + floor(L / 2) * A_mk


@vram.step(unit="GiB", symbol=r"M_{\mathrm{resident}}")
def M_resident(W, A_live, KV, M_ws):
    """All weights resident, with the live activations, the KV cache and the workspace."""
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


@vram.step(unit="GiB", symbol=r"M_{\mathrm{state}}")
def M_state(q, L, k, n):
    """Training has weights, gradients and the optimizer's state, $q$ bytes for each parameter,"""
    return q * L * k * n


@vram.step(unit="GiB", symbol=r"M_{\mathrm{train}}")
def M_train(A_train, M_state, M_ws):
    """beside the activations it keeps."""
    return A_train + M_state + M_ws


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


for name, fits, no_longer in [
    ("stream1", "one buffer fits", "it no longer fits"),
    ("stream2", "two buffers fit", "they no longer fit"),
    ("cautious", "the cautious bound fits", "it no longer fits"),
]:
    vram.crossover(
        f"m_{name}",
        f"M_{name} = C_usable",
        solve_for="m",
        symbol=rf"m_{{\mathrm{{{name}}}}}",
        less=fits,
        more=no_longer,
    )
vram.crossover(
    "L_resident",
    "M_resident = C_usable",
    solve_for="L",
    symbol=r"L_{\mathrm{resident}}",
    less="all weights fit",
    more="they no longer fit",
)
vram.crossover("KV_max", "M_stream2 = C_usable", solve_for="KV", symbol=r"\mathrm{KV}_{\max}")

# Each plan against what may be used here, and against each reading of the label.
for plan, memory in [
    ("all weights resident", "M_resident"),
    ("one buffer", "M_stream1"),
    ("two buffers", "M_stream2"),
    ("the cautious bound", "M_cautious"),
    ("training", "M_train"),
]:
    vram.plan(plan, memory=memory, within=["C_usable", "C_decimal", "C_binary", "C_reported"])

vram.conclude(
    "At {m=} the weights take {W}, {W_layer} a layer, and the activations {A_live}, or {A_double} in the cautious "
    "reading. There is room for {C_usable}, which is {C_usable:GB}."
)
vram.conclude(
    "The {C_label} on the label may mean {C_decimal:GB} = {C_decimal:GiB} or {C_binary:GB} = "
    "{C_binary:GiB}. As the driver reports it, or as sold where that is not known, it is {C_reported:GB} = "
    "{C_reported:GiB}."
)
vram.conclude(
    "Training keeps {A_train} of activations and needs another {M_state} for weights, gradients and optimizer."
)

vram.worked(
    over={"m": [2, 128, 2048, 8192, 9984, 16384, 19446, 19958]},
    at={"m": 8192},
    show="resident, M_stream1:GiB, stream1, M_stream2:GiB, stream2, M_cautious:GiB, cautious",
    answer="M_stream2",
)

TEXT = "published answer, part 2"
vram.claim("W_layer", "1 GiB", source=TEXT)
vram.claim("W", "72 GiB", source=TEXT)
vram.claim("A_mn", "16 GiB", at={"m": 8192}, source=TEXT)
vram.claim("A_double", "32 GiB", at={"m": 8192}, source=TEXT)
vram.claim("M_cautious", "35 GiB", at={"m": 8192, "M_ws": "2 GiB"}, source=TEXT + ", with 2 GiB of workspace")
vram.claim("M_cautious", "37 GiB", at={"m": 8192, "M_ws": "4 GiB"}, source=TEXT + ", with 4 GiB of workspace")
vram.claim(
    "cautious", "fits", at={"m": 8192, "M_ws": "4 GiB", "C": "40 GiB"}, source=TEXT + ", streaming called feasible"
)
vram.claim("train", "does not fit", at={"m": 8192, "C": "40 GiB"}, source=TEXT + ", training called far above 40 GB")
vram.claim(
    "resident", "does not fit", at={"m": 8192, "C": "40 GiB"}, source="published function: 72 k n s <= 40 * 1024^3"
)
