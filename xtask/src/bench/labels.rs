//! Names for people.

use super::report::Row;

/// Whose program, and of ours which algorithm.
pub fn who(row: &Row) -> String {
    let who = match &row.peer {
        Some(peer) => peer.clone(),
        None => format!("gpuscan {}, {}", row.algorithm, row.backend),
    };
    if row.primitive == "copy" {
        format!("copy: {who}")
    } else if row.element == "i32" {
        // Shown among the u32 rows.
        who + " (i32)"
    } else {
        who
    }
}

/// The same with a peer's algorithm: its version, and whether a wall clock measured it.
pub fn with_algorithm(row: &Row) -> String {
    match row.peer {
        Some(_) => format!("{} ({})", who(row), row.algorithm),
        None => who(row),
    }
}

/// "inclusive sum, u32".
pub fn task(primitive: &str, element: &str) -> String {
    format!("{}, {element}", primitive.replace('_', " "))
}

/// 2²⁰, 10⁸, or the number itself.
pub fn size(n: u64) -> String {
    let power = |base: u64| {
        let exponent = n.ilog(base);
        (exponent > 0 && base.pow(exponent) == n).then(|| format!("{base}{}", raised(exponent)))
    };
    power(2).or_else(|| power(10)).unwrap_or_else(|| n.to_string())
}

fn raised(exponent: u32) -> String {
    let digit = |c: char| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c as usize - '0' as usize];
    exponent.to_string().chars().map(digit).collect()
}

/// With two or three digits that matter, or all before the point: 0, 0.0012, 0.12, 13.3, 1,585.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if value < 0.995 {
        fraction(value)
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        count(value.round() as u64)
    }
}

/// A number below one, with two digits that matter.
pub fn fraction(value: f64) -> String {
    let digits = (-value.log10()).ceil() as usize + 1;
    format!("{value:.digits$}")
}

/// With a comma after every three digits.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_where_they_can_be() {
        assert_eq!(size(1 << 20), "2²⁰");
        assert_eq!(size(100_000_000), "10⁸");
        assert_eq!(size(1000), "10³");
        assert_eq!(size(12), "12");
        assert_eq!(size(1), "1");
    }

    #[test]
    fn numbers_keep_what_matters() {
        let numbers =
            [0.0, 0.00123, 0.05, 0.123, 0.997, 7.5, 99.94, 99.96, 667.2, 1585.4, 1234567.0].map(number);
        assert_eq!(
            numbers,
            ["0", "0.0012", "0.050", "0.12", "1.0", "7.5", "99.9", "100", "667", "1,585", "1,234,567"]
        );
    }
}
