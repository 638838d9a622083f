#include "target/figure_table.h"

namespace tilewright::target {

namespace {

constexpr std::int64_t kKilo = 1000, kMega = 1000 * kKilo, kGiga = 1000 * kMega;

constexpr FigureInfo limit(std::string_view name, std::optional<Figure> DeviceLimits::* member, std::int64_t least,
                           std::int64_t greatest) {
  return {name, FigureSection::Limits, least, greatest, member, nullptr};
}
constexpr FigureInfo figure(std::string_view name, std::optional<Figure> DeviceFigures::* member,
                            std::int64_t greatest) {
  return {name, FigureSection::Figures, 1, greatest, nullptr, member};
}

// clang-format off
constexpr FigureInfo kTable[] = {
    limit("subgroup_size", &DeviceLimits::subgroup_size, 1, 128),
    limit("max_threads_per_group", &DeviceLimits::max_threads_per_group, 1, 4096),
    limit("shared_memory_bytes", &DeviceLimits::shared_memory_bytes, 0, kGiga),
    limit("shared_memory_granule_bytes", &DeviceLimits::shared_memory_granule_bytes, 1, 4096),
    limit("shared_memory_plain_bytes", &DeviceLimits::shared_memory_plain_bytes, 0, kGiga),
    limit("max_groups_x", &DeviceLimits::max_groups_x, 1, kKilo * kGiga),
    limit("max_groups_yz", &DeviceLimits::max_groups_yz, 1, kKilo * kGiga),
    limit("max_buffers", &DeviceLimits::max_buffers, 1, kMega),
    limit("max_inline_bytes", &DeviceLimits::max_inline_bytes, 0, kMega),
    limit("registers_per_group", &DeviceLimits::registers_per_group, 1, kGiga),

    figure("cores", &DeviceFigures::cores, kMega),
    figure("apple_gpu_family", &DeviceFigures::apple_gpu_family, 99),
    figure("clock_mhz", &DeviceFigures::clock_mhz, 100 * kKilo),
    figure("concurrent_subgroups", &DeviceFigures::concurrent_subgroups, kGiga),
    figure("fp32_flops_per_core_cycle", &DeviceFigures::fp32_flops_per_core_cycle, kMega),
    figure("fp32_gflops", &DeviceFigures::fp32_gflops, kGiga),
    figure("fp32_measured_gflops", &DeviceFigures::fp32_measured_gflops, kGiga),
    figure("matrix_f16_flops_per_core_cycle", &DeviceFigures::matrix_f16_flops_per_core_cycle, kMega),
    figure("matrix_f16_gflops", &DeviceFigures::matrix_f16_gflops, kGiga),
    figure("matrix_i8_ops_per_core_cycle", &DeviceFigures::matrix_i8_ops_per_core_cycle, kMega),
    figure("matrix_i8_gops", &DeviceFigures::matrix_i8_gops, kGiga),
    figure("matrix_8x8_f32_cycles", &DeviceFigures::matrix_8x8_f32_cycles, kMega),
    figure("matrix_8x8_f32_latency_cycles", &DeviceFigures::matrix_8x8_f32_latency_cycles, kMega),
    figure("matrix_8x8_f16_cycles", &DeviceFigures::matrix_8x8_f16_cycles, kMega),
    figure("matrix_8x8_f16_latency_cycles", &DeviceFigures::matrix_8x8_f16_latency_cycles, kMega),
    figure("memory_bandwidth_mb_per_s", &DeviceFigures::memory_bandwidth_mb_per_s, kGiga),
    figure("memory_measured_mb_per_s", &DeviceFigures::memory_measured_mb_per_s, kGiga),
    figure("last_level_cache_bytes", &DeviceFigures::last_level_cache_bytes, 100 * kGiga),
    figure("last_level_cache_measured_mb_per_s", &DeviceFigures::last_level_cache_measured_mb_per_s, kGiga),
    figure("l2_cache_bytes", &DeviceFigures::l2_cache_bytes, 100 * kGiga),
    figure("l2_bytes_per_core_cycle", &DeviceFigures::l2_bytes_per_core_cycle, kMega),
    figure("l1_data_cache_bytes", &DeviceFigures::l1_data_cache_bytes, kGiga),
    figure("instruction_cache_bytes", &DeviceFigures::instruction_cache_bytes, kGiga),
    figure("cache_line_bytes", &DeviceFigures::cache_line_bytes, kMega),
    figure("register_file_bytes_per_core", &DeviceFigures::register_file_bytes_per_core, kGiga),
    figure("registers_per_worker", &DeviceFigures::registers_per_worker, kMega),
    figure("workers_per_core", &DeviceFigures::workers_per_core, kMega),
    figure("shared_memory_bytes_per_core", &DeviceFigures::shared_memory_bytes_per_core, kGiga),
    figure("shared_memory_banks", &DeviceFigures::shared_memory_banks, kKilo),
    figure("shared_memory_bank_bytes", &DeviceFigures::shared_memory_bank_bytes, kKilo),
    figure("vector_bytes", &DeviceFigures::vector_bytes, 4096),
    figure("vector_registers", &DeviceFigures::vector_registers, 4096),
    figure("launch_ns", &DeviceFigures::launch_ns, kGiga),
    figure("timestamp_mhz", &DeviceFigures::timestamp_mhz, kMega),
};
// clang-format on

// A member that is added to a struct and not to the table would never be read.
static_assert(sizeof kTable / sizeof *kTable ==
              (sizeof(DeviceLimits) + sizeof(DeviceFigures)) / sizeof(std::optional<Figure>));

}  // namespace

std::span<const FigureInfo> figure_table() { return kTable; }

}  // namespace tilewright::target
