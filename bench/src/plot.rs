//! A picture of curves on two logarithmic axes, as SVG.

use std::fmt::Write as _;

/// A named curve of points `(tokens, nanoseconds)`.
pub(crate) type Curve = (String, Vec<(f64, f64)>);

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 40.0;
const LEGEND: f64 = 190.0;
const COLOURS: [&str; 8] =
    ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#566573", "#117a65", "#a04000"];

/// The curves, with a grid line at each power of ten.
pub(crate) fn svg(curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|(_, points)| points);
    let span = |of: fn(&(f64, f64)) -> f64| {
        let logs = points().map(|point| of(point).max(1.0).log10());
        let (low, high) = logs.fold((f64::MAX, 0.0_f64), |(a, b), at| (a.min(at), b.max(at)));
        (low.min(high).floor(), high.ceil().max(low.min(high).floor() + 1.0))
    };
    let (across, up) = (span(|point| point.0), span(|point| point.1));
    let right = WIDTH - LEGEND;
    let x = |value: f64| LEFT + (value - across.0) / (across.1 - across.0) * (right - LEFT);
    let y =
        |value: f64| HEIGHT - BOTTOM - (value - up.0) / (up.1 - up.0) * (HEIGHT - BOTTOM - 20.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let powers = |span: (f64, f64)| (span.0 as i32..=span.1 as i32).map(f64::from);
    for power in powers(across) {
        let (at, foot) = (x(power), HEIGHT - BOTTOM);
        let _ = writeln!(out, "<path d=\"M{at:.1} 20V{foot}\" stroke=\"#ddd\"/>");
        let label = short(10_f64.powf(power));
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            foot + 14.0
        );
    }
    for power in powers(up) {
        let at = y(power);
        let _ = writeln!(out, "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>");
        let label = short(10_f64.powf(power));
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"12\">ns a token (mask and accept) over tokens so far</text>"
    );
    for (at, ((name, points), colour)) in curves.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let path: Vec<String> = points
            .iter()
            .map(|point| {
                format!("{:.1},{:.1}", x(point.0.max(1.0).log10()), y(point.1.max(1.0).log10()))
            })
            .collect();
        let path = path.join(" ");
        let _ = writeln!(
            out,
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
        let legend = 30.0 + 16.0 * at as f64;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{legend}\" fill=\"{colour}\">{name}</text>",
            right + 10.0
        );
    }
    out + "</svg>\n"
}

fn short(value: f64) -> String {
    match value {
        1_000_000.0.. => format!("{} M", value / 1e6),
        1_000.0.. => format!("{} k", value / 1e3),
        _ => format!("{value}"),
    }
}
