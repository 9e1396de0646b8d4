"""A stack of alternating layers is to run on one card, or on a few. Which plans fit in its memory, how long does each
take, and which one is to be chosen?"""

from symroof import Derivation, largest, load

plans = Derivation("plans", title="Which plan to choose")
plans.include(load("stack72"), only=["t_L", "t_sum_L", "F_L", "B_L", "regime_L"])
plans.include(
    load("vram"), only=["M_resident", "M_stream1", "M_stream2", "M_cautious", "M_train", "C_usable", "A_live"]
)
plans.include(load("streaming"), only=["t", "t_stream1_L", "t_stream2_L", "t_stream1_sum_L", "t_stream2_sum_L", "limit"])
plans.include(load("tensor_parallel"), only=["M_g", "t_tp_L", "t_tp_sum_L"])
plans.given("s_w", "bytes per element of the weights, where they are quantised", unit="byte")


@plans.step(unit="GiB", symbol=r"M_{\mathrm{quantised}}")
def M_quantised(L, s_w, k, n, A_live, KV, M_ws):
    """Quantised weights may all be resident; the activations keep their size."""
    return L * s_w * k * n + A_live + KV + M_ws


@plans.step(unit="s", symbol=r"t_{\mathrm{mem,quantised}}")
def t_mem_quantised(s_w, s, m, k, n, beta):
    """A layer then reads fewer bytes of weights and multiplies at the same rate."""
    return (s_w * k * n + s * (m * k + m * n)) / beta


@plans.step(unit="s", symbol=r"t_{\mathrm{quantised},L}")
def t_quantised_L(L, t_comp, t_mem_quantised):
    return L * largest(t_comp, t_mem_quantised)


@plans.step(unit="s", symbol=r"t_{\mathrm{quantised,sum},L}")
def t_quantised_sum_L(L, t_comp, t_mem_quantised):
    """With no overlap:"""
    return L * (t_comp + t_mem_quantised)


@plans.step(unit="s", symbol=r"t_{\mathrm{train},L}")
def t_train_L(t_L):
    """A training step multiplies each layer three times: forward, and twice backward."""
    return 3 * t_L


@plans.step(unit="s", symbol=r"t_{\mathrm{train,sum},L}")
def t_train_sum_L(t_sum_L):
    """With no overlap:"""
    return 3 * t_sum_L


plans.plan("all weights resident", memory="M_resident", within="C_usable", low="t_L", high="t_sum_L")
plans.plan(
    "streamed, one buffer",
    memory="M_stream1",
    within="C_usable",
    low="t_stream1_L",
    high="t_stream1_sum_L",
    sentence="It takes the least memory, and pays for it with time: a layer waits until its weights have arrived.",
)
plans.plan(
    "streamed, two buffers",
    memory="M_stream2",
    within="C_usable",
    low="t_stream2_L",
    high="t_stream2_sum_L",
    sentence="Only what a layer needs is on the card, and the next layer's weights arrive while this one runs.",
)
plans.plan("streamed, cautious", memory="M_cautious", within="C_usable", low="t_stream1_L", high="t_stream1_sum_L")
for name, size in [("INT8 weights, resident", "1 byte"), ("INT4 weights, resident", "0.5 byte")]:
    plans.plan(
        name,
        memory="M_quantised",
        within="C_usable",
        low="t_quantised_L",
        high="t_quantised_sum_L",
        at={"s_w": size},
        sentence="The weights stay on the card in fewer bytes, so that the link is not needed; whether their precision "
        "is enough is a question that no memory budget answers.",
    )
for gpus in (2, 4, 8):
    plans.plan(
        f"tensor parallelism, {gpus} GPUs",
        memory="M_g",
        within="C_usable",
        low="t_tp_L",
        high="t_tp_sum_L",
        at={"g": gpus},
        cards=gpus,
        sentence="Every GPU holds its share of all layers, and a ring all-reduce follows each layer of Type 1.",
    )
plans.plan("training", memory="M_train", within="C_usable", low="t_train_L", high="t_train_sum_L")

plans.chart(
    "m k n P beta C_usable",
    "F_L B_L",
    "t_comp_L t_mem_L",
    "regime_L",
    "t_L t_sum_L",
    "M_resident M_stream2 M_quantised M_g",
    "t t_link",
    "limit",
)

plans.worked(
    at={"m": 8192},
    show="F_L:PFLOP, B_L:TB, t_comp_L:s, t_mem_L:s, t_L:s, t_sum_L:s, t:ms, t_link:ms, t_stream1_L:s, t_stream2_L:s",
)
