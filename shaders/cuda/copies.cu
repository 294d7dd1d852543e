// Copies from global to shared memory that nobody waits for until they are needed: from compute capability 8.0 on.
/// Copies 4 bytes, or makes them zero.
__device__ void copy_4(u32* target, const void* source, u32 bytes) {
#if __CUDA_ARCH__ >= 800
    u32 at = (u32)__cvta_generic_to_shared(target);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source), "r"(bytes) : "memory");
#else
    *target = bytes == 4 ? *(const u32*)source : 0;
#endif
}

/// Copies the first `bytes` of 16, a multiple of 4, and fills up with zeros. No other byte is touched.
__device__ void copy_16(uint4* target, const void* source, u32 bytes) {
    if (bytes < 16) {
        for (u32 i = 0; i < 4; ++i) {
            bool there = 4 * i < bytes;
            copy_4((u32*)target + i, (const u32*)source + (there ? i : 0), there ? 4 : 0);
        }
        return;
    }
#if __CUDA_ARCH__ >= 800
    u32 at = (u32)__cvta_generic_to_shared(target);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(source) : "memory");
#else
    *target = *(const uint4*)source;
#endif
}

/// Ends a group of copies.
__device__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `LEFT` groups of this lane's copies are on their way.
#if __CUDA_ARCH__ >= 800
#define WAIT_FOR_COPIES(LEFT) asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory")
#else
#define WAIT_FOR_COPIES(LEFT)
#endif
