fn send(value: T, element: In, i: u32) -> Out {
    return element;
}
