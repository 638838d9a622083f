"""Which functions' barriers are deleted, and which of them no check can miss, with the reason."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Place:
    package: str
    file: str
    function: str
    cases: tuple  # patterns of the names of the cases that run it
    occurrence: int = 1  # which definition of that name in the file


@dataclasses.dataclass(frozen=True)
class Redundant:
    reason: str
    file: str = ""  # end of the path; empty: any
    function: str = ""  # empty: any
    numbers: tuple = ()  # barriers of the function, from 1
    text: str = ""  # or all that are spelled so


LLAMA = "llama_cpp_python-0.3.36/vendor/llama.cpp/ggml/src/ggml-metal/kernels/"
MLX = "mlx/include/mlx/backend/metal/kernels/"
TORCH = "torch/include/ATen/native/mps/kernels/"
BITSANDBYTES = "mps_bitsandbytes-0.7.0/mps_bitsandbytes/kernels/"


def llama(file, function, *cases, occurrence=1):
    return Place("llama-cpp-python", LLAMA + file, function, cases, occurrence)


def mlx(file, function, *cases, occurrence=1):
    return Place("mlx-metal", MLX + file, function, cases, occurrence)


PLACES = (
    llama("mul_mm.metal", "kernel_mul_mm", "kernel_mul_mm_f32_f32", "kernel_mul_mm_f16_f32", occurrence=2),
    llama("mul_mm.metal", "kernel_mul_mm", "kernel_mul_mm_f16_f32_tensor_zeroed"),
    llama("softmax.metal", "kernel_soft_max", "kernel_soft_max_f32"),
    llama("softmax.metal", "kernel_soft_max_4", "kernel_soft_max_f16_4"),
    llama("norm.metal", "kernel_rms_norm_fuse_impl", "kernel_rms_norm_f32"),
    llama("fa_common.metal", "kernel_flash_attn_ext_impl", "kernel_flash_attn_ext_f16_dk64*", "kernel_flash_attn_ext_q8_0*"),
    mlx("steel/gemm/kernels/steel_gemm_fused.h", "gemm", "steel_gemm_fused_nn_f32*", "steel_gemm_fused_nt_f32*"),
    mlx("steel/gemm/gemm.h", "gemm_loop", "steel_gemm_fused_nt_f32*", "steel_gemm_splitk*"),
    mlx("steel/gemm/kernels/steel_gemm_splitk.h", "gemm_splitk", "steel_gemm_splitk*"),
    mlx("steel/gemm/mma.h", "mma", "steel_gemm_fused_nn_f32*", occurrence=3),
    mlx("softmax.h", "softmax_single_row", "softmax_single_row_f32"),
    mlx("softmax.h", "softmax_looped", "softmax_looped*"),
    mlx("logsumexp.h", "logsumexp", "logsumexp*"),
    mlx("steel/attn/kernels/steel_attention.h", "attention", "steel_attention_f32", "steel_attention_f32_halves"),
    mlx("steel/gemm/kernels/steel_gemm_fused_nax.h", "gemm", "steel_gemm_fused_nax*"),
    mlx("steel/gemm/gemm_nax.h", "gemm_loop", "steel_gemm_fused_nax*"),
    mlx("steel/attn/kernels/steel_attention_nax.h", "attention_nax", "steel_attention_nax*"),
    Place("torch", TORCH + "PrefillAttention.h", "prefill_attention", ("prefill_attention_float32*",)),
    Place("torch", TORCH + "MppAttention.h", "prefill_attention_mpp", ("prefill_attention_mpp*",)),
    Place("mps-bitsandbytes", BITSANDBYTES + "int8_mm.metal", "int8_matmul_tiled", ("int8_matmul*",)),
)

NO_THREADGROUP_MEMORY = "the kernel has no threadgroup memory, and no thread reads what another one writes"
NOTHING_BEFORE = "nothing has touched threadgroup memory yet, and the loop begins with a barrier before any use of it"
NOTHING_AFTER = "what follows touches registers and each thread's own part of the output only"

REDUNDANT = (
    Redundant(
        "orders no memory: it keeps the compiler from moving fragment loads and multiplications, which are each ordered by "
        "the values that they pass on",
        text="simdgroup_barrier(mem_flags::mem_none)",
    ),
    Redundant("stands between #if 0 and #endif", "fa_common.metal", "kernel_flash_attn_ext_impl", numbers=(2, 3)),
    Redundant(NOTHING_BEFORE, "steel_gemm_fused.h", "gemm", numbers=(1,)),
    Redundant(NOTHING_AFTER, "steel_gemm_fused.h", "gemm", numbers=(5,)),
    Redundant(
        "gemm_loop, which follows, begins with a barrier before it touches threadgroup memory, or there is no more use of it",
        "steel_gemm_splitk.h",
        "gemm_splitk",
        numbers=(1,),
    ),
    Redundant(NOTHING_BEFORE, "steel_attention.h", "attention", numbers=(1,)),
    Redundant(NOTHING_AFTER, "steel_attention.h", "attention", numbers=(12,)),
    Redundant(NOTHING_BEFORE, "PrefillAttention.h", "prefill_attention", numbers=(1,)),
    Redundant(NOTHING_AFTER, "PrefillAttention.h", "prefill_attention", numbers=(10,)),
    *(
        Redundant(NO_THREADGROUP_MEMORY, file, function, text="threadgroup_barrier(mem_flags::mem_none)")
        for file, function in (
            ("steel_gemm_fused_nax.h", "gemm"),
            ("gemm_nax.h", "gemm_loop"),
            ("steel_attention_nax.h", "attention_nax"),
            ("MppAttention.h", "prefill_attention_mpp"),
        )
    ),
)
