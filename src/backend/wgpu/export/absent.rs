//! What stands in where nothing is exported.

/// No device is made for it.
pub(super) fn open(
    _adapter: &wgpu::Adapter,
    _wanted: &wgpu::DeviceDescriptor<'_>,
) -> Option<(wgpu::Device, wgpu::Queue)> {
    None
}
