//! One log-log chart as SVG: lines, and at the right a label for each, joined to its line's end.

use std::ops::Range;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;

use super::labels;
use super::series::Kind;

const SIZE: (u32, u32) = (1120, 640);
/// Where the chart ends and the labels begin.
const LABELS_X: i32 = 800;
const LABEL_HEIGHT: i32 = 19;
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 40, 40);
const PALE: RGBColor = RGBColor(225, 225, 225);

/// Okabe and Ito's colours, which colour-blind readers can tell apart; their yellow is too pale for
/// lines. Ours and the peers' start at different ones; width and marker differ besides.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

pub struct Line {
    pub label: String,
    pub kind: Kind,
    /// The axes are logarithmic: x is positive, and a y of zero is drawn below all others.
    pub points: Vec<(f64, f64)>,
}

pub struct Chart {
    pub title: String,
    pub subtitle: String,
    pub y_name: &'static str,
    /// A value to draw a level line at.
    pub reference: Option<f64>,
    pub lines: Vec<Line>,
}

/// An axis of logarithms with ticks where this file wants them: the library's own choice is not at
/// whole exponents.
struct Axis {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ranged for Axis {
    type ValueType = f64;
    type FormatOption = DefaultFormatting;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        start + (f64::from(end - start) * share).round() as i32
    }
    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }
    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Chart {
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        let canvas = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        self.draw(&canvas).map_err(|error| anyhow!("{error}"))?;
        drop(canvas);
        Ok(svg)
    }

    fn draw(&self, canvas: &Canvas) -> Result<(), Box<dyn std::error::Error>> {
        canvas.fill(&WHITE)?;
        canvas.draw(&Text::new(self.title.clone(), (20, 14), text(20)))?;
        canvas.draw(&Text::new(self.subtitle.clone(), (20, 42), text(13)))?;

        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = range(points().map(|point| point.0.log2()), 0.0);
        let values = || points().map(|point| point.1).chain(self.reference);
        let zero = zero_level(values());
        let log = |y: f64| y.log10().max(zero);
        let y = range(values().map(log), 0.06);
        let (left, _) = canvas.split_horizontally(LABELS_X);
        let mut chart = ChartBuilder::on(&left)
            .margin_top(70)
            .margin_bottom(10)
            .margin_left(16)
            .margin_right(10)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(
                Axis { ticks: whole_numbers(&x), range: x.clone() },
                Axis { ticks: with_zero(round_numbers(&y), zero), range: y },
            )?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(PALE)
            .axis_style(INK)
            .x_desc("elements")
            .y_desc(self.y_name)
            .axis_desc_style(text(15))
            .label_style(text(15))
            .x_label_formatter(&|x| labels::size(1 << x.round() as u32))
            .y_label_formatter(&|y| {
                if *y == zero { "0".into() } else { plain(10f64.powf(*y)) }
            })
            .draw()?;
        if let Some(level) = self.reference {
            let ends = [(x.start, log(level)), (x.end, log(level))];
            chart.draw_series(LineSeries::new(ends, INK))?;
        }

        let mut ends = Vec::new();
        for line in &self.lines {
            let points: Vec<_> = line.points.iter().map(|&(x, y)| (x.log2(), log(y))).collect();
            let Some(last) = points.last() else { continue };
            ends.push((line, chart.plotting_area().map_coordinate(last)));
            if line.kind == Kind::Limit {
                chart.draw_series(DashedLineSeries::new(points, 6, 4, stroke(line.kind)))?;
                continue;
            }
            chart.draw_series(LineSeries::new(points.clone(), stroke(line.kind)))?;
            let area = chart.plotting_area();
            for point in points {
                draw_marker(canvas, area.map_coordinate(&point), line.kind)?;
            }
        }
        draw_labels(canvas, ends)
    }
}

/// Labels as near to the height of their lines' ends as their own height allows.
fn draw_labels(
    canvas: &Canvas,
    mut ends: Vec<(&Line, (i32, i32))>,
) -> Result<(), Box<dyn std::error::Error>> {
    ends.sort_by_key(|(_, (_, y))| *y);
    let heights = spread(ends.iter().map(|(_, (_, y))| *y).collect(), SIZE.1 as i32 - 50);
    let right = ends.iter().map(|(_, (x, _))| *x).max().unwrap_or(0);
    for ((line, end), y) in ends.into_iter().zip(heights) {
        let x = LABELS_X + 20;
        // From the end of a short line the connection would cross the others.
        if end.0 == right {
            let path = [end, (LABELS_X, y), (x, y)];
            canvas.draw(&PathElement::new(path, colour(line.kind).mix(0.35)))?;
        }
        canvas.draw(&PathElement::new([(x, y), (x + 24, y)], stroke(line.kind)))?;
        if line.kind != Kind::Limit {
            draw_marker(canvas, (x + 12, y), line.kind)?;
        }
        canvas.draw(&Text::new(line.label.clone(), (x + 31, y - 8), text(13)))?;
    }
    Ok(())
}

/// Moves sorted heights apart: downwards first, then back up from the lowest one allowed.
fn spread(mut heights: Vec<i32>, lowest: i32) -> Vec<i32> {
    for i in 1..heights.len() {
        heights[i] = heights[i].max(heights[i - 1] + LABEL_HEIGHT);
    }
    let mut limit = lowest;
    for height in heights.iter_mut().rev() {
        *height = limit.min(*height);
        limit = *height - LABEL_HEIGHT;
    }
    heights
}

fn text(size: i32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

fn colour(kind: Kind) -> RGBColor {
    match kind {
        Kind::Ours(i) => COLOURS[i % 7],
        // From the other end.
        Kind::Peer(i) => COLOURS[6 - i % 7],
        Kind::Limit => RGBColor(110, 110, 110),
    }
}

fn stroke(kind: Kind) -> ShapeStyle {
    let width = if matches!(kind, Kind::Ours(_)) { 3 } else { 2 };
    colour(kind).stroke_width(width)
}

/// Ours are filled; a peer's marker is open, and changes when the colours begin again.
fn draw_marker(canvas: &Canvas, at: (i32, i32), kind: Kind) -> Result<(), Box<dyn std::error::Error>> {
    let (colour, (x, y)) = (colour(kind), at);
    match kind {
        Kind::Ours(i) if i < 7 => canvas.draw(&Circle::new(at, 4, colour.filled()))?,
        Kind::Ours(_) => canvas.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], colour.filled()))?,
        Kind::Peer(i) if i % 3 == 0 => {
            canvas.draw(&Circle::new(at, 4, WHITE.filled()))?;
            canvas.draw(&Circle::new(at, 4, colour))?;
        }
        Kind::Peer(i) if i % 3 == 1 => canvas.draw(&TriangleMarker::new(at, 5, colour.filled()))?,
        Kind::Peer(_) => canvas.draw(&Cross::new(at, 4, colour.stroke_width(2)))?,
        Kind::Limit => {}
    }
    Ok(())
}

/// From the least to the greatest value, wider by a share of the distance at either end.
fn range(values: impl Iterator<Item = f64>, share: f64) -> Range<f64> {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    // A single value would be a range of no length.
    let margin = ((high - low) * share).max(0.02);
    low - margin..high + margin
}

/// Every second exponent, every one where they are few.
fn whole_numbers(range: &Range<f64>) -> Vec<f64> {
    let step = if range.end - range.start > 10.0 { 2 } else { 1 };
    let first = range.start.ceil() as i32;
    let first = first + first.rem_euclid(step);
    (first..=range.end.floor() as i32).step_by(step as usize).map(f64::from).collect()
}

/// The logarithms of 1, 2, 5 times powers of ten; of the powers alone where the range is wide.
fn round_numbers(range: &Range<f64>) -> Vec<f64> {
    let steps: &[f64] = if range.end - range.start > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let powers = range.start.floor() as i32..=range.end.ceil() as i32;
    let values = powers.flat_map(|power| steps.iter().map(move |step| f64::from(power) + step.log10()));
    values.filter(|value| range.contains(value)).collect()
}

/// What zero has in place of a logarithm: half a power of ten below the least other one. Minus infinity,
/// so below everything, where there is no zero.
fn zero_level(values: impl Iterator<Item = f64> + Clone) -> f64 {
    if values.clone().all(|value| value > 0.0) {
        return f64::NEG_INFINITY;
    }
    let least = values.filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least.log10() - 0.5 } else { 0.0 }
}

/// With a tick at zero; between it and the least value there is no scale.
fn with_zero(mut ticks: Vec<f64>, zero: f64) -> Vec<f64> {
    if zero.is_finite() {
        ticks.retain(|tick| *tick > zero + 0.3);
        ticks.push(zero);
    }
    ticks
}

fn plain(value: f64) -> String {
    if value >= 0.995 {
        labels::count(value.round() as u64)
    } else {
        labels::fraction(value).trim_end_matches('0').into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap_and_stay_above_the_lowest() {
        assert_eq!(spread(vec![100, 200], 500), [100, 200]);
        assert_eq!(spread(vec![100, 100, 101], 500), [100, 119, 138]);
        assert_eq!(spread(vec![490, 495, 500], 500), [462, 481, 500]);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(whole_numbers(&(8.0..28.0)), [8., 10., 12., 14., 16., 18., 20., 22., 24., 26., 28.]);
        let ticks: Vec<String> =
            round_numbers(&(-0.8..0.4)).iter().map(|value| plain(10f64.powf(*value))).collect();
        assert_eq!(ticks, ["0.2", "0.5", "1", "2"]);
        assert_eq!([1e-5, 0.02, 2000.0].map(plain), ["0.00001", "0.02", "2,000"]);
    }

    #[test]
    fn zero_is_below_the_least_value_and_has_a_tick() {
        assert_eq!(zero_level([0.1, 1.0].into_iter()), f64::NEG_INFINITY);
        assert_eq!(zero_level([0.0, 0.1, 1.0].into_iter()), -1.5);
        assert_eq!(zero_level([0.0].into_iter()), 0.0);
        assert_eq!(with_zero(vec![-1.0, 0.0], f64::NEG_INFINITY), [-1.0, 0.0]);
        assert_eq!(with_zero(vec![-1.3, -1.0, 0.0], -1.5), [-1.0, 0.0, -1.5]);
    }

    #[test]
    fn a_chart_of_one_point_draws() {
        assert!(drawn(vec![(256.0, 1.0)]).contains("a line"));
    }

    #[test]
    fn a_chart_with_zeros_draws() {
        for points in [vec![(256.0, 0.0)], vec![(256.0, 0.0), (512.0, 0.25)]] {
            let svg = drawn(points);
            assert!(!svg.contains("inf") && !svg.contains("NaN"), "{svg}");
        }
    }

    fn drawn(points: Vec<(f64, f64)>) -> String {
        let chart = Chart {
            title: "title".into(),
            subtitle: "machine".into(),
            y_name: "GB/s",
            reference: Some(1.0),
            lines: vec![Line { label: "a line".into(), kind: Kind::Ours(0), points }],
        };
        let svg = chart.svg().unwrap();
        assert!(svg.ends_with("</svg>\n"));
        svg
    }
}
