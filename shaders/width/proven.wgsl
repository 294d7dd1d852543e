// Lanes in a subgroup, for browsers. They take a whole struct of built-in values for non-uniform if one of them
// is, and then allow no barrier in a loop that depends on another.
var<workgroup> width_of_all: u32;

fn subgroup_width(lane: Lane) -> u32 {
    if lane.index == 0u {
        width_of_all = lane.width;
    }
    return workgroupUniformLoad(&width_of_all);
}
