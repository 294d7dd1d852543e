// How a picture that the GPU has drawn gets onto the page.

/**
 * A function that takes a canvas's next picture: it is called with what draws into a texture's view, given the
 * encoder. Where the GPU is a CPU in disguise, Chromium 156 loses the device when it shows a WebGPU canvas; there the
 * picture is read back.
 */
export function presenter(device, canvas) {
  const software = device.adapterInfo?.isFallbackAdapter || device.adapterInfo?.architecture === "swiftshader";
  return software ? readBack(device, canvas) : direct(device, canvas);
}

function direct(device, canvas) {
  const context = canvas.getContext("webgpu");
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format, alphaMode: "opaque" });
  const present = async (draw) => {
    const encoder = device.createCommandEncoder();
    draw(encoder, context.getCurrentTexture().createView());
    device.queue.submit([encoder.finish()]);
  };
  return { format, present };
}

function readBack(device, canvas) {
  const context = canvas.getContext("2d");
  const format = "rgba8unorm";
  let last = Promise.resolve();
  const one = async (draw) => {
    const { width, height } = canvas;
    // A row in a buffer starts on 256 bytes.
    const row = Math.ceil((width * 4) / 256) * 256;
    const texture = device.createTexture({ size: [width, height], format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
    const buffer = device.createBuffer({ size: row * height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    draw(encoder, texture.createView());
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: row }, [width, height]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const image = context.createImageData(width, height);
    const bytes = new Uint8Array(buffer.getMappedRange());
    for (let y = 0; y < height; y += 1) image.data.set(bytes.subarray(y * row, y * row + width * 4), y * width * 4);
    context.putImageData(image, 0, 0);
    buffer.destroy();
    texture.destroy();
  };
  // One picture after another, so that the last one stays.
  const present = (draw) => (last = last.then(() => one(draw)));
  return { format, present };
}
