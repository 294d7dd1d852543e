//! Ways to sum on the host.

/// The running sum in f32.
pub fn sequential(values: &[f32]) -> Vec<f32> {
    let mut sum = 0.0;
    values
        .iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect()
}

/// The running sum in f32 with its rounding errors kept aside: A. Neumaier, "Rundungsfehleranalyse einiger
/// Verfahren zur Summation endlicher Summen" (1974).
pub fn compensated(values: &[f32]) -> Vec<f32> {
    let (mut sum, mut lost) = (0.0f32, 0.0f32);
    values
        .iter()
        .map(|&x| {
            let next = sum + x;
            lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
            sum = next;
            sum + lost
        })
        .collect()
}

/// Every prefix, exact to far below an f32's last bit: f64 with its own rounding errors kept aside.
pub fn exact(values: &[f32]) -> impl Iterator<Item = f64> {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    values.iter().map(move |&x| {
        let x = f64::from(x);
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
        sum + lost
    })
}

/// The best that f32 can hold.
pub fn rounded(values: &[f32]) -> Vec<f32> {
    exact(values).map(|sum| sum as f32).collect()
}
