//! How long something stood at each height.

const BINS: usize = 4096;

/// Time spent at each height, in bins of equal width that double when the range does.
pub(super) struct Histogram {
    top: f64,
    /// Bins a unit of height, and the height of one.
    scale: f64,
    bin: f64,
    time: Vec<f64>,
    /// What a bin has more than the one below it, besides `time`: a stretch over many bins is noted at its two ends.
    rise: Vec<f64>,
    /// Time at exactly nothing.
    floor: f64,
}

impl Histogram {
    pub fn new(top: f64) -> Self {
        Self {
            top,
            scale: BINS as f64 / top,
            bin: top / BINS as f64,
            time: vec![0.0; BINS],
            rise: vec![0.0; BINS + 1],
            floor: 0.0,
        }
    }

    /// Adds the course of `height` from `a` to `b`, as straight pieces that leave it by less than half a bin.
    pub fn spread(&mut self, height: impl Fn(f64) -> f64, a: f64, b: f64) {
        let (low, high) = (height(a), height(b));
        let mut bent = 0.0_f64;
        for share in [0.25, 0.5, 0.75] {
            let chord = low + share * (high - low);
            bent = bent.max((height(a + share * (b - a)) - chord).abs());
        }
        let bins = bent * self.scale;
        // A chord of the n-th part leaves a parabola by the n²-th part.
        let pieces = if bins <= 0.5 {
            1
        } else {
            ((2.0 * bins).sqrt().ceil() as usize).clamp(1, 64)
        };
        let width = (b - a) / pieces as f64;
        let mut from = low;
        for k in 1..=pieces {
            let to = if k == pieces {
                high
            } else {
                height(a + width * k as f64)
            };
            self.add(from, to, width);
            from = to;
        }
    }

    fn add(&mut self, from: f64, to: f64, time: f64) {
        let (low, high) = if from < to { (from, to) } else { (to, from) };
        if high <= 0.0 {
            self.floor += time;
            return;
        }
        while high > self.top * (1.0 + 1e-9) {
            self.double();
        }
        let place = |x: f64| ((x * self.scale) as usize).min(BINS - 1);
        let (first, last) = (place(low.max(0.0)), place(high));
        if first == last {
            self.time[first] += time;
            return;
        }
        let density = time / (high - low);
        let edge = |bin: usize| bin as f64 * self.bin;
        self.time[first] += density * (edge(first + 1) - low);
        self.time[last] += density * (high - edge(last));
        self.rise[first + 1] += density * self.bin;
        self.rise[last] -= density * self.bin;
    }

    /// Times of the bins, stretches included.
    fn times(&self) -> impl Iterator<Item = f64> {
        let mut level = 0.0;
        self.time.iter().zip(&self.rise).map(move |(time, rise)| {
            level += rise;
            (time + level).max(0.0)
        })
    }

    fn double(&mut self) {
        let mut times: Vec<f64> = self.times().collect();
        for k in 0..BINS / 2 {
            times[k] = times[2 * k] + times[2 * k + 1];
        }
        times[BINS / 2..].fill(0.0);
        self.time = times;
        self.rise.fill(0.0);
        self.top *= 2.0;
        self.scale *= 0.5;
        self.bin *= 2.0;
    }

    /// The height below which the share `q` of the time was spent.
    pub fn quantile(&self, q: f64) -> f64 {
        let total = self.floor + self.times().sum::<f64>();
        let mut left = q * total - self.floor;
        if left <= 0.0 {
            return 0.0;
        }
        for (bin, time) in self.times().enumerate() {
            if left <= time && time > 0.0 {
                return (bin as f64 + left / time) * self.bin;
            }
            left -= time;
        }
        self.top
    }
}
