//! A tree as a list of steps over a small stack: compiled once, run for every acknowledgement or integration step.

use super::expression::{Function, Node, Operator};

/// Values at once on the stack, at most.
const STACK: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Push(f64),
    Load(usize),
    Negate,
    Pair(Operator),
    /// `min` and `max` of two, the functions of one value.
    One(Function),
    Two(Function),
    /// Condition, then both branches: both are worked out, one is kept.
    Choose,
}

/// A compiled expression over the variables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Program {
    steps: Vec<Step>,
}

/// The tree with these names replaced by numbers, and every part without a variable worked out.
pub(super) fn bind(node: &Node, value: &dyn Fn(usize) -> Option<f64>) -> Node {
    let bound = match node {
        Node::Number(x) => Node::Number(*x),
        Node::Name(name) => value(*name).map_or(Node::Name(*name), Node::Number),
        Node::Negative(inner) => Node::Negative(Box::new(bind(inner, value))),
        Node::Pair(operator, left, right) => Node::Pair(
            *operator,
            Box::new(bind(left, value)),
            Box::new(bind(right, value)),
        ),
        Node::Call(function, arguments) => Node::Call(
            *function,
            arguments.iter().map(|a| bind(a, value)).collect(),
        ),
    };
    let constant = match &bound {
        Node::Number(_) | Node::Name(_) => false,
        Node::Negative(inner) => is_number(inner),
        Node::Pair(_, left, right) => is_number(left) && is_number(right),
        Node::Call(_, arguments) => arguments.iter().all(is_number),
    };
    if constant && let Some(program) = Program::new(&bound) {
        return Node::Number(program.run(&[]));
    }
    bound
}

fn is_number(node: &Node) -> bool {
    matches!(node, Node::Number(_))
}

/// Whether the tree has this name in it.
pub(super) fn mentions(node: &Node, name: usize) -> bool {
    match node {
        Node::Number(_) => false,
        Node::Name(other) => *other == name,
        Node::Negative(inner) => mentions(inner, name),
        Node::Pair(_, left, right) => mentions(left, name) || mentions(right, name),
        Node::Call(_, arguments) => arguments.iter().any(|a| mentions(a, name)),
    }
}

fn difference(left: &Node, right: &Node) -> Node {
    Node::Pair(
        Operator::Subtract,
        Box::new(left.clone()),
        Box::new(right.clone()),
    )
}

/// Trees that pass through zero where this one has a kink (`smooth`: arguments of min, max and abs) or may jump
/// (`jumps`: both sides of comparisons, conditions).
pub(super) fn edges(node: &Node, smooth: &mut Vec<Node>, jumps: &mut Vec<Node>) {
    match node {
        Node::Number(_) | Node::Name(_) => {}
        Node::Negative(inner) => edges(inner, smooth, jumps),
        Node::Pair(operator, left, right) => {
            if matches!(
                operator,
                Operator::Less | Operator::LessOrEqual | Operator::More | Operator::MoreOrEqual
            ) {
                jumps.push(difference(left, right));
            }
            edges(left, smooth, jumps);
            edges(right, smooth, jumps);
        }
        Node::Call(function, arguments) => {
            match (function, arguments.as_slice()) {
                (Function::Min | Function::Max, all) => {
                    for (i, one) in all.iter().enumerate() {
                        smooth.extend(all[i + 1..].iter().map(|other| difference(one, other)));
                    }
                }
                (Function::Abs, [inner]) => smooth.push(inner.clone()),
                // A condition that is no comparison changes where it reaches zero.
                (Function::If, [condition, ..]) if !is_comparison(condition) => {
                    jumps.push(condition.clone());
                }
                _ => {}
            }
            for argument in arguments {
                edges(argument, smooth, jumps);
            }
        }
    }
}

fn is_comparison(node: &Node) -> bool {
    matches!(
        node,
        Node::Pair(
            Operator::Less | Operator::LessOrEqual | Operator::More | Operator::MoreOrEqual,
            ..
        )
    )
}

impl Program {
    /// The steps of a tree, or `None` if it needs more than the stack holds.
    pub fn new(tree: &Node) -> Option<Self> {
        let mut steps = Vec::new();
        (emit(tree, 0, &mut steps) <= STACK).then_some(Self { steps })
    }

    /// The value; a variable that is not given is NaN.
    pub fn run(&self, variables: &[f64]) -> f64 {
        let mut stack = [0.0f64; STACK];
        let mut top = 0;
        for step in &self.steps {
            match *step {
                Step::Push(x) => {
                    stack[top] = x;
                    top += 1;
                }
                Step::Load(name) => {
                    stack[top] = variables.get(name).copied().unwrap_or(f64::NAN);
                    top += 1;
                }
                Step::Negate => stack[top - 1] = -stack[top - 1],
                Step::Pair(operator) => {
                    top -= 1;
                    stack[top - 1] = pair(operator, stack[top - 1], stack[top]);
                }
                Step::One(function) => stack[top - 1] = one(function, stack[top - 1]),
                Step::Two(function) => {
                    top -= 1;
                    stack[top - 1] = two(function, stack[top - 1], stack[top]);
                }
                Step::Choose => {
                    top -= 2;
                    let condition = stack[top - 1];
                    stack[top - 1] = if condition.is_nan() {
                        condition
                    } else if condition > 0.0 {
                        stack[top]
                    } else {
                        stack[top + 1]
                    };
                }
            }
        }
        stack[0]
    }
}

/// Appends the steps of a tree that starts with `held` values on the stack; the most it holds at once.
fn emit(node: &Node, held: usize, steps: &mut Vec<Step>) -> usize {
    match node {
        Node::Number(x) => {
            steps.push(Step::Push(*x));
            held + 1
        }
        Node::Name(name) => {
            steps.push(Step::Load(*name));
            held + 1
        }
        Node::Negative(inner) => {
            let most = emit(inner, held, steps);
            steps.push(Step::Negate);
            most
        }
        Node::Pair(operator, left, right) => {
            let most = emit(left, held, steps).max(emit(right, held + 1, steps));
            steps.push(Step::Pair(*operator));
            most
        }
        Node::Call(function, arguments) => {
            let mut most = held + 1;
            for (i, argument) in arguments.iter().enumerate() {
                let before = match function {
                    // Folded from the left, two at a time.
                    Function::Min | Function::Max => held + usize::from(i > 0),
                    _ => held + i,
                };
                most = most.max(emit(argument, before, steps));
                if i > 0 && matches!(function, Function::Min | Function::Max) {
                    steps.push(Step::Two(*function));
                }
            }
            match function {
                Function::Min | Function::Max => {}
                Function::If => steps.push(Step::Choose),
                other => steps.push(Step::One(*other)),
            }
            most
        }
    }
}

fn pair(operator: Operator, a: f64, b: f64) -> f64 {
    // A comparison with what is no number is no number either.
    let truth = |holds: bool| {
        if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            f64::from(u8::from(holds))
        }
    };
    match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Power => a.powf(b),
        Operator::Less => truth(a < b),
        Operator::LessOrEqual => truth(a <= b),
        Operator::More => truth(a > b),
        Operator::MoreOrEqual => truth(a >= b),
    }
}

fn one(function: Function, x: f64) -> f64 {
    match function {
        Function::Abs => x.abs(),
        Function::Sqrt => x.sqrt(),
        Function::Cbrt => x.cbrt(),
        Function::Exp => x.exp(),
        Function::Ln => x.ln(),
        Function::Log10 => x.log10(),
        Function::Log2 => x.log2(),
        Function::Floor => x.floor(),
        Function::Ceil => x.ceil(),
        Function::Min | Function::Max | Function::If => f64::NAN,
    }
}

fn two(function: Function, a: f64, b: f64) -> f64 {
    // Unlike f64::min and max, which drop what is no number.
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    match function {
        Function::Min => a.min(b),
        Function::Max => a.max(b),
        _ => f64::NAN,
    }
}
