"""A stack of 72 alternating layers is to run on one card, or on a few. Which plans fit in its memory, how long does
each take, and which one is to be chosen?"""

from symroof import Derivation, load

plans = Derivation("plans", title="Which plan to choose")
plans.include(load("stack72"), only=["t_L", "t_sum_L", "F_L", "B_L", "regime_L"])
plans.include(load("vram"), only=["M_resident", "M_stream1", "M_stream2", "M_cautious", "M_train", "C_usable"])
plans.include(load("streaming"), only=["t_stream1_L", "t_stream2_L", "limit"])
plans.worked(
    at={"m": 8192},
    show="F_L:PFLOP, B_L:TB, t_comp_L:s, t_mem_L:s, t_L:s, t_sum_L:s, t:ms, t_link:ms, t_stream1_L:s, t_stream2_L:s",
)

plans.plan("all weights resident", memory="M_resident", within="C_usable", low="t_L", high="t_sum_L")
plans.plan("streamed, one buffer", memory="M_stream1", within="C_usable", low="t_stream1_L")
plans.plan(
    "streamed, two buffers",
    memory="M_stream2",
    within="C_usable",
    low="t_stream2_L",
    sentence="Only what a layer needs is on the card, and the next layer's weights arrive while this one runs.",
)
plans.plan("streamed, cautious", memory="M_cautious", within="C_usable", low="t_stream1_L")
plans.chart(
    "m k n P beta C_usable", "F_L B_L", "t_comp_L t_mem_L", "regime_L", "t_L t_sum_L", "M_resident", "t t_link", "limit"
)
