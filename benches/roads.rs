//! What a response costs by each road, and the pieces behind it. Ratios within one run are what counts.

use criterion::{Criterion, criterion_group, criterion_main};
use cwnd::algorithms::Selected;
use cwnd::model::{LossModel, Path, ResponseFunction};
use cwnd::numeric::lambert::omega;
use cwnd::responses::ack::{Ack, Effort};
use cwnd::responses::epoch::Epoch;
use cwnd::units::{LossRate, Packets};
use std::hint::black_box;

fn roads(c: &mut Criterion) {
    let p = LossRate::new(1e-5).expect("a loss rate");
    for spec in ["reno", "highspeed", "scalable", "bic"] {
        let law = Selected::parse(spec).expect("a law");
        let mut group = c.benchmark_group(spec);
        let closed = law.algorithm.closed(&law.setting).remove(0);
        group.bench_function("closed", |b| {
            b.iter(|| closed.respond(black_box(p), &Path::default()));
        });
        group.bench_function("closed inverse", |b| {
            b.iter(|| closed.loss_for(black_box(Packets::new(5000.0)), &Path::default()));
        });
        let epoch = Epoch::new(law.law().expect("a law"));
        group.bench_function("epoch", |b| {
            b.iter(|| epoch.respond(black_box(p), &Path::default()));
        });
        group.finish();
    }
}

fn acknowledgements(c: &mut Criterion) {
    // A budget of a million acknowledgements that is always used up: nanoseconds divided by 1e6 are the cost of one.
    let effort = Effort {
        precision: 1e-9,
        budget: 1_000_000,
        seed: 1,
    };
    let mut group = c.benchmark_group("a million acknowledgements");
    group.sample_size(10);
    for spec in ["reno", "highspeed", "scalable", "bic"] {
        let law = Selected::parse(spec).expect("a law");
        group.bench_function(spec, |b| {
            b.iter(|| {
                Ack::new(law.law().expect("a law"), LossModel::Random, effort)
                    .respond(LossRate::new(1e-3).expect("a loss rate"), &Path::default())
            });
        });
    }
    group.finish();
}

fn functions(c: &mut Criterion) {
    c.bench_function("omega(35)", |b| b.iter(|| omega(black_box(35.0))));
    c.bench_function("parse a law", |b| {
        b.iter(|| Selected::parse(black_box("bic:smax=64,beta=0.2")));
    });
}

criterion_group!(benches, roads, acknowledgements, functions);
criterion_main!(benches);
