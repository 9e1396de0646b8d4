"""A stack of alternating layers is to run on one GPU, or on a few. Which plans fit in its memory, how long does each
take, and which one is to be chosen?"""

from symroof import Decision, Derivation, largest, load, next_divisor

plans = Derivation("plans", title="Which plan to choose")
plans.include(load("gemm"), only=["F", "B", "t_comp", "t_mem", "regime"], cited=True)
plans.include(load("stack72"), only=["F_L", "B_L", "t_L", "t_sum_L"], cited=True)
plans.include(
    load("vram"),
    only=[
        *("C_usable", "W", "A_live", "A_double", "stream2"),
        *("M_resident", "M_stream1", "M_stream2", "M_cautious", "M_train"),
    ],
    cited=True,
)
plans.include(
    load("streaming"),
    only=["t", "t_link", "t_stream1_L", "t_stream2_L", "t_stream1_sum_L", "t_stream2_sum_L", "limit"],
    cited=True,
)

# Two, four and eight GPUs, or where that does not divide n the next number that does.
GPUS = (2, 4, 8)
parallel = load("tensor_parallel")


def number_of_gpus(least):
    """The step that finds the next number of GPUs with equal shares."""

    def gpus(n):
        return next_divisor(n, least)

    gpus.__name__ = f"g_{least}"
    parallel.step()(gpus)


for number in GPUS:
    number_of_gpus(number)


@parallel.step()
def g_several(n, g_bytes):
    """The fewest that fit, of those that split anything."""
    return next_divisor(n, largest(g_bytes, 2))


plans.include(
    parallel,
    only=["g_several", "M_g", "t_tp_L", "t_tp_sum_L", *(f"g_{number}" for number in GPUS)],
    cited=True,
)
plans.given("s_group", "bytes of scale and zero point per group of quantised weights", unit="byte", default=2)

# The weights of a layer in INT8 and in INT4, with a scale for each group of them.
for bits, size in [(8, "1 byte"), (4, "0.5 byte")]:
    plans.given(f"s_{bits}", f"bytes per weight in INT{bits}", unit="byte", default=size)
    plans.include(
        load("quantised_gemm"),
        only=["s_eff", "B_w", "t", "t_sum"],
        suffix=f"_int{bits}",
        exchange={"s_w": f"s_{bits}", "s_a": "s", "s_scale": "s_group"},
        cited=True,
    )


@plans.step(unit="GiB", symbol=r"M_{\mathrm{int8}}")
def M_int8(L, B_w_int8, A_live, KV, M_ws):
    """Quantised weights may all be resident; the activations keep their size. In INT8 that takes"""
    return L * B_w_int8 + A_live + KV + M_ws


@plans.step(unit="GiB", symbol=r"M_{\mathrm{int4}}")
def M_int4(L, B_w_int4, A_live, KV, M_ws):
    """and in INT4"""
    return L * B_w_int4 + A_live + KV + M_ws


@plans.step(unit="s", symbol=r"t_{\mathrm{int8},L}")
def t_int8_L(L, t_int8):
    """A layer then reads fewer bytes of weights and multiplies at the same rate. The stack takes in INT8 at least"""
    return L * t_int8


@plans.step(unit="s", symbol=r"t_{\mathrm{int8,sum},L}")
def t_int8_sum_L(L, t_sum_int8):
    """and at most"""
    return L * t_sum_int8


@plans.step(unit="s", symbol=r"t_{\mathrm{int4},L}")
def t_int4_L(L, t_int4):
    """In INT4 it takes at least"""
    return L * t_int4


@plans.step(unit="s", symbol=r"t_{\mathrm{int4,sum},L}")
def t_int4_sum_L(L, t_sum_int4):
    """and at most"""
    return L * t_sum_int4


@plans.step(unit="GiB", symbol=r"M_{\mathrm{int4,bare}}")
def M_int4_bare(L, s_4, k, n, A_live):
    """Without scales, cache and workspace INT4 weights and the live activations are"""
    return L * s_4 * k * n + A_live


@plans.step(unit="GiB", symbol=r"M_{\mathrm{int4,double}}")
def M_int4_double(L, s_4, k, n, A_double):
    """and with the two wide activations of the cautious reading"""
    return L * s_4 * k * n + A_double


@plans.step()
def int4(M_int4, C_usable):
    """INT4 weights, resident:"""
    return "fits" if M_int4 <= C_usable else "does not fit"


@plans.step()
def int8_first(M_int8, C_usable, t_int8_L, t_int4_L):
    """Of equally fast plans the one that keeps more precision comes first. INT8 rather than INT4:"""
    if M_int8 > C_usable:
        return "no"
    return "yes" if t_int8_L <= t_int4_L else "no"


@plans.step()
def whole_first(M_resident, C_usable, t_L, t_int4_L):
    """The weights as they are, rather than fewer bytes:"""
    if M_resident > C_usable:
        return "no"
    return "yes" if t_L <= t_int4_L else "no"


@plans.step(unit="s", symbol=r"t_{\mathrm{train},L}")
def t_train_L(t_L):
    """A training step multiplies each layer three times, forward and twice backward: at least"""
    return 3 * t_L


@plans.step(unit="s", symbol=r"t_{\mathrm{train,sum},L}")
def t_train_sum_L(t_sum_L):
    """and at most"""
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
    sentence="Only what a layer needs is on the GPU, and the next layer's weights arrive while this one runs.",
)
plans.plan("streamed, cautious", memory="M_cautious", within="C_usable", low="t_stream1_L", high="t_stream1_sum_L")
FEWER_BYTES = (
    "The weights stay on the GPU in fewer bytes, so that the link is not needed; whether their precision is enough is "
    "a question that no memory budget answers."
)
BARE_INT4 = (
    " Without scales INT4 weights take {M_int4_bare} with the live activations and {M_int4_double} with two wide ones."
)
for name, more in [("int8", ""), ("int4", BARE_INT4)]:  # more precision first: it decides between equally fast plans
    plans.plan(
        f"{name.upper()} weights, resident",
        memory=f"M_{name}",
        within="C_usable",
        low=f"t_{name}_L",
        high=f"t_{name}_sum_L",
        sentence=FEWER_BYTES + more,
    )
for number in (*(f"g_{number}" for number in GPUS), "g_several"):
    plans.plan(
        "tensor parallelism, {g} GPUs",
        memory="M_g",
        within="C_usable",
        low="t_tp_L",
        high="t_tp_sum_L",
        at={"g": number},
        gpus="g",
        sentence="Every GPU holds its share of all layers, and a ring all-reduce follows each layer of Type 1.",
    )
plans.plan("training", memory="M_train", within="C_usable", low="t_train_L", high="t_train_sum_L")

plans.conclude(
    "At {m=} and {L=} the stack needs {F_L} and moves {B_L}. Its weights take {W} and the live activations {A_live}; "
    "a GPU has {C_usable}, which is {C_usable:GB}."
)

plans.chart(
    "m k n P beta C_usable",
    "F B",
    "t_comp t_mem",
    Decision(
        "regime",
        "Which of the two binds?",
        {
            "compute-bound": "Raise the use of the arithmetic units, or take a faster data type",
            "memory-bound": "Move fewer bytes: a larger $m$, fusion, a smaller data type",
        },
    ),
    "F_L B_L t_L t_sum_L",
    "W A_live M_resident",
    Decision(
        "whole_first",
        "Do all weights fit in {C_usable}, with INT4 no faster?",
        {"yes": "Keep them on the GPU: {M_resident}, {t_L}", "no": ""},
    ),
    Decision(
        "int8_first",
        "Do they fit in INT8, with INT4 no faster?",
        {"yes": "If its precision is enough, keep INT8 weights on the GPU: {M_int8}, {t_int8_L}", "no": ""},
    ),
    Decision(
        "int4",
        "Do they fit in INT4?",
        {"fits": "If its precision is enough, keep INT4 weights on the GPU: {M_int4}, {t_int4_L}", "does not fit": ""},
    ),
    Decision(
        "stream2",
        "Do two layers at a time fit?",
        {"does not fit": "Split the layers over {g_several} GPUs, or lower $m$", "fits": ""},
    ),
    Decision(
        "limit",
        "Does the work hide the link?",
        {
            "the work hides the link": "Stream with two buffers: {M_stream2}, {t_stream2_L}",
            "the link limits": "Streaming takes {t_stream2_L}: raise $m$, or split the layers over {g_several} GPUs",
        },
    ),
)

plans.worked(
    at={"m": 8192},
    show="F:GFLOP, B:GB, F_L:PFLOP, B_L:TB, t_comp:ms, t_mem:ms, t:ms, t_link:ms, B_w_int8:GiB, B_w_int4:GiB",
)
