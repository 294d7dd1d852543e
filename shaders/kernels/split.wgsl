// Weighted work split: the first task of each worker, and behind the last one the number of tasks. A worker begins
// with the first task before which there is the whole share of all workers before it.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> ends: array<u32>;
@group(0) @binding(2) var<storage, read_write> bounds: array<u32>;

@compute @workgroup_size(LANES)
fn split(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let worker = (group.y * params.grid_x + group.x) * LANES + lane;
    if worker > params.workers {
        return;
    }
    var total = 0u;
    if params.segments > 0u {
        total = ends[params.ends_base + params.segments - 1u];
    }
    // worker · total / workers, rounded up, in 32 bits: workers are fewer than 2^16.
    let whole = total / params.workers;
    let rest = total % params.workers;
    let place = worker * whole + (worker * rest + params.workers - 1u) / params.workers;
    var task = 0u;
    if worker == params.workers {
        task = params.segments;
    } else if place > 0u {
        // The task that holds the place before is the last of the workers before.
        task = segment_of(place - 1u, 0u, params.segments) + 1u;
    }
    bounds[params.bounds_base + worker] = task;
}
