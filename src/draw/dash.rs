//! Cuts a line into the dashes of a pattern.

use super::scene::Place;

/// A line longer than this many pixels goes to and fro until it fills an area; its dashes could not
/// be seen any more.
const LONGEST: f64 = 60_000.0;

/// The drawn pieces of a line. The pattern (drawn, left out, drawn, …; empty for a solid line)
/// goes on around the line's corners.
pub(super) fn dashes(line: &[Place], pattern: &[f64]) -> Vec<Vec<Place>> {
    let whole: f64 = pattern.iter().sum();
    let ends = line.iter().zip(line.iter().skip(1));
    let length: f64 = ends
        .map(|(from, to)| (to.0 - from.0).hypot(to.1 - from.1))
        .sum();
    let visible = length <= LONGEST && pattern.iter().all(|length| *length > 0.0);
    if !visible || whole <= 0.0 {
        return vec![line.to_vec()];
    }
    let mut lengths = pattern.iter().copied().cycle();
    let mut left = lengths.next().unwrap_or(whole);
    let mut drawn = true;
    let mut pieces: Vec<Vec<Place>> = Vec::new();
    let mut piece: Vec<Place> = line.first().copied().into_iter().collect();
    for (&from, &to) in line.iter().zip(line.iter().skip(1)) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let mut gone = 0.0;
        while length - gone > left {
            gone += left;
            let part = gone / length;
            let here = (
                from.0 + part * (to.0 - from.0),
                from.1 + part * (to.1 - from.1),
            );
            if drawn {
                piece.push(here);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![here];
            }
            drawn = !drawn;
            left = lengths.next().unwrap_or(whole);
        }
        left -= length - gone;
        if drawn {
            piece.push(to);
        }
    }
    if drawn {
        pieces.push(piece);
    }
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_goes_on_around_a_corner() {
        let line = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)];
        assert_eq!(
            dashes(&line, &[4.0, 0.5]),
            [
                vec![(0.0, 0.0), (4.0, 0.0)],
                vec![(4.5, 0.0), (5.0, 0.0), (5.0, 3.5)],
                vec![(5.0, 4.0), (5.0, 5.0)],
            ]
        );
    }

    #[test]
    fn no_pattern_is_a_solid_line() {
        let line = [(0.0, 0.0), (5.0, 0.0)];
        assert_eq!(dashes(&line, &[]), [line.to_vec()]);
        let endless = [(0.0, 0.0), (1e9, 0.0)];
        assert_eq!(dashes(&endless, &[4.0, 2.0]), [endless.to_vec()]);
    }
}
