// A blur from an integral image: the sum of any box of pixels is four look-ups in running sums.
//
// One scan over all rows, one behind the other, serves every row: what lies before a row is subtracted again, and
// that is exact, for sums that wrap around wrap back. The same goes for columns, in a transposed image.
struct View {
    width: u32,
    height: u32,
    /// Where it is sharp, in pixels.
    focus: vec2<f32>,
    /// The distance from there at which the blur begins, and the largest radius, in pixels.
    sharp: f32,
    most: f32,
}

@group(0) @binding(0) var<uniform> view: View;

// First: a picture as three planes of numbers from 0 to 255.
@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var<storage, read_write> red: array<u32>;
@group(1) @binding(2) var<storage, read_write> green: array<u32>;
@group(1) @binding(3) var<storage, read_write> blue: array<u32>;

@compute @workgroup_size(16, 16)
fn split(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= view.width || at.y >= view.height {
        return;
    }
    let colour = vec3<u32>(round(textureLoad(picture, at.xy, 0).rgb * 255.0));
    let i = at.y * view.width + at.x;
    red[i] = colour.r;
    green[i] = colour.g;
    blue[i] = colour.b;
}

// Between the two scans: running sums of each row by itself, column by column.
@group(1) @binding(0) var<storage, read> scanned: array<u32>;
@group(1) @binding(1) var<storage, read_write> rows: array<u32>;

@compute @workgroup_size(16, 16)
fn turn(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= view.width || at.y >= view.height {
        return;
    }
    var before = 0u;
    if at.y > 0u {
        before = scanned[at.y * view.width - 1u];
    }
    rows[at.x * view.height + at.y] = scanned[at.y * view.width + at.x] - before;
}

// Last: the picture, each pixel the mean of a box around it.
@group(1) @binding(0) var<storage, read> reds: array<u32>;
@group(1) @binding(1) var<storage, read> greens: array<u32>;
@group(1) @binding(2) var<storage, read> blues: array<u32>;

@vertex
fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the canvas.
    return vec4(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

/// The sums at one corner of a box; nothing lies left of the first column.
fn sums(x: i32, y: i32) -> vec3<u32> {
    let i = x * i32(view.height) + y;
    if x < 0 || i < 0 {
        return vec3(0u);
    }
    return vec3(reds[i], greens[i], blues[i]);
}

/// The mean of the pixels at most `radius` away in either direction.
fn mean(at: vec2<i32>, radius: i32) -> vec3<f32> {
    let size = vec2(i32(view.width), i32(view.height));
    let low = max(at - radius, vec2(0)) - 1;
    let high = min(at + radius, size - 1);
    let sum = sums(high.x, high.y) - sums(high.x, low.y) - sums(low.x, high.y) + sums(low.x, low.y);
    let count = f32((high.x - low.x) * (high.y - low.y));
    return vec3<f32>(sum) / (255.0 * count);
}

@fragment
fn pixel(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let far = distance(position.xy, view.focus) - view.sharp;
    let blurred = smoothstep(0.0, f32(view.height), max(far, 0.0));
    let radius = i32(round(view.most * blurred));
    return vec4(mean(vec2<i32>(position.xy), radius), 1.0);
}
