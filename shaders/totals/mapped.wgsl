// What enters are elements, as hooks make them.
alias Entries = Inputs;

fn entries_of(i: u32) -> Entries {
    return input_quad(i);
}

fn entered(held: Entries, i: u32) -> Quad {
    return Quad(
        enter(held.x, 4u * i),
        enter(held.y, 4u * i + 1u),
        enter(held.z, 4u * i + 2u),
        enter(held.w, 4u * i + 3u),
    );
}
