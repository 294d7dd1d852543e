fn send(value: T, element: In, i: u32) -> Out {
    return params.first_element + i;
}
