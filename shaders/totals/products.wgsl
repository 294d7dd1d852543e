// What enters are products of a matrix's values and the vector's elements of their columns.
struct Entries {
    values: Inputs,
    columns: vec4<u32>,
}

fn entries_of(i: u32) -> Entries {
    return Entries(input_quad(i), columns_of(i));
}

fn entered(held: Entries, i: u32) -> Quad {
    return Quad(
        times_vector(held.values.x, held.columns.x),
        times_vector(held.values.y, held.columns.y),
        times_vector(held.values.z, held.columns.z),
        times_vector(held.values.w, held.columns.w),
    );
}
