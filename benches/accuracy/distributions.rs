//! Inputs that sums are tried on.

#[derive(Clone, Copy, PartialEq)]
pub enum Distribution {
    /// In [0, 1).
    Uniform,
    /// Mean 0, deviation 1.
    Normal,
    /// Mean 1, in [0, ∞).
    Exponential,
    /// +x, −x, +x, −x … with a little left over.
    Alternating,
}

impl Distribution {
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Normal, Self::Exponential, Self::Alternating];

    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Normal => "normal",
            Self::Exponential => "exponential",
            Self::Alternating => "alternating",
        }
    }

    /// Whether there are negative values.
    pub fn signed(self) -> bool {
        matches!(self, Self::Normal | Self::Alternating)
    }

    pub fn values(self, n: usize) -> Vec<f32> {
        (0..n as u64)
            .map(|i| match self {
                Self::Uniform => (random(2 * i) >> 40) as f32 / (1 << 24) as f32,
                Self::Normal => {
                    // Box and Muller.
                    let radius = (-2.0 * unit(2 * i).ln()).sqrt();
                    (radius * (std::f64::consts::TAU * unit(2 * i + 1)).cos()) as f32
                }
                Self::Exponential => -unit(2 * i).ln() as f32,
                Self::Alternating => {
                    let size = 1.0 + unit(2 * (i / 2)) + 1e-3 * unit(2 * i + 1);
                    (if i % 2 == 0 { size } else { -size }) as f32
                }
            })
            .collect()
    }
}

/// In (0, 1].
fn unit(i: u64) -> f64 {
    ((random(i) >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// SplitMix64 (Steele, Lea and Flood, 2014) of a counter.
fn random(i: u64) -> u64 {
    let mut x = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
