//! The values that expressions may have in an abstraction, and the cells that places may mean.

use fathom_model::{Base, BinaryOp, ChannelQuery, Expr, Place, TemplateId};

use super::machine::Machine;
use super::values::Values;

/// More cells than that are not told apart.
const MOST_CELLS: usize = 1024;

impl Machine<'_> {
    /// What an expression, seen by a process, may be; none when it is an error of evaluation for sure.
    pub(super) fn value(&self, expr: &Expr, own: Option<usize>) -> Option<Values> {
        Some(match expr {
            Expr::Const(value) => Values::One(i64::from(*value as i32)),
            Expr::Load(place) => return self.load(place, own),
            Expr::Unary(op, operand) => Values::unary(*op, &self.value(operand, own)?),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                return self.logical(*op, left, right, own);
            }
            Expr::Binary(op, left, right) => {
                return Values::binary(*op, &self.value(left, own)?, &self.value(right, own)?);
            }
            Expr::Conditional(condition, then, otherwise) => {
                let condition = self.value(condition, own)?;
                let then = condition.may_be_true().then(|| self.value(then, own)).flatten();
                let otherwise = condition.may_be_false().then(|| self.value(otherwise, own)).flatten();
                return either(then, otherwise);
            }
            Expr::Channel(query, channel) => return self.query(*query, &self.value(channel, own)?),
            Expr::OwnProcess => Values::One(own.map_or(-1, |own| own as i64)),
            Expr::ProcessCount => Values::One(self.shape.n_processes(self.work.n_records) as i64),
            Expr::Created => Values::One(self.created),
            Expr::LocationOf(process) => self.location_of(&self.value(process, own)?),
            Expr::AtLocation { template, process, location } => {
                let at = i64::from(location.0);
                return self.over_processes(*template, process.as_deref(), own, |process| match process {
                    None => Some(Values::One(0)),
                    Some(process) => {
                        let here = self.read(self.shape.locations[process] as usize);
                        Values::binary(BinaryOp::Equal, &here, &Values::One(at))
                    }
                });
            }
            Expr::Poll { .. }
            | Expr::Enabled(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::SomeAccepting => Values::unknown_truth(),
            Expr::LastProcess | Expr::Priority(_) => Values::Any,
        })
    }

    fn logical(&self, op: BinaryOp, left: &Expr, right: &Expr, own: Option<usize>) -> Option<Values> {
        let left = self.value(left, own)?;
        // The value with which the left operand decides.
        let decisive = op == BinaryOp::Or;
        let decided = left.may_be(decisive).then_some(Values::One(i64::from(decisive)));
        let open = left.may_be(!decisive).then(|| self.value(right, own)).flatten();
        let open = open.and_then(|right| Values::binary(BinaryOp::NotEqual, &right, &Values::One(0)));
        either(decided, open)
    }

    fn query(&self, query: ChannelQuery, channels: &Values) -> Option<Values> {
        let Some(list) = channels.list() else {
            return Some(if query == ChannelQuery::Length { Values::Any } else { Values::unknown_truth() });
        };
        let one = |&number: &i64| {
            let (channel, ty) = self.channel(number)?;
            let capacity = self.model.channel_type(ty).capacity;
            let answer = |length: u32| {
                let is_full = capacity > 0 && length >= capacity;
                match query {
                    ChannelQuery::Length => i64::from(length),
                    ChannelQuery::Empty => i64::from(length == 0),
                    ChannelQuery::NotEmpty => i64::from(length > 0),
                    ChannelQuery::Full => i64::from(is_full),
                    ChannelQuery::NotFull => i64::from(!is_full),
                }
            };
            match capacity == 0 || self.is_exact(channel) {
                true if capacity == 0 => Some(Values::One(answer(0))),
                true => Some(Values::One(answer(self.length(channel)))),
                false => Values::of((0..=capacity).map(answer).collect()),
            }
        };
        list.iter().map(one).reduce(either).flatten()
    }

    fn location_of(&self, process: &Values) -> Values {
        let Some(list) = process.list() else { return Values::Any };
        let one = |&number: &i64| {
            let number = usize::try_from(number).ok()?;
            self.shape.process(number, self.work.n_records)?;
            Some(self.read(self.shape.locations[number] as usize))
        };
        let parts = list.iter().map(|number| one(number).unwrap_or(Values::One(0)));
        parts.reduce(|one, other| one.union(&other)).unwrap_or(Values::Any)
    }

    /// What holds for every process that a reference may mean.
    fn over_processes(
        &self,
        template: TemplateId,
        process: Option<&Expr>,
        own: Option<usize>,
        of: impl Fn(Option<usize>) -> Option<Values>,
    ) -> Option<Values> {
        let numbers = self.processes_of(template, process, own)?;
        numbers.into_iter().map(of).reduce(either).flatten()
    }

    /// The processes that a reference may mean; none for one that does not exist. None at all is an error.
    fn processes_of(
        &self,
        template: TemplateId,
        process: Option<&Expr>,
        own: Option<usize>,
    ) -> Option<Vec<Option<usize>>> {
        let n_records = self.work.n_records;
        let of_template = |number: usize| self.shape.process(number, n_records) == Some(template);
        let all = 0..self.shape.n_processes(n_records);
        let Some(process) = process else {
            return Some(vec![all.into_iter().find(|&number| of_template(number))]);
        };
        let numbers = self.value(process, own)?;
        Some(match numbers.list() {
            Some(list) => {
                let known =
                    |number: &i64| usize::try_from(*number).ok().filter(|&number| of_template(number));
                list.iter().map(known).collect()
            }
            None => all.filter(|&number| of_template(number)).map(Some).chain([None]).collect(),
        })
    }

    fn load(&self, place: &Place, own: Option<usize>) -> Option<Values> {
        match place.base {
            Base::Discard => return Some(Values::One(0)),
            Base::Temporary => return Some(Values::Any.stored_as(place.ty)),
            _ => {}
        }
        match self.cells_of(place, own)? {
            None => Some(Values::Any.stored_as(place.ty)),
            Some(cells) if cells.is_empty() => Some(Values::One(0)),
            Some(cells) => {
                let values = cells.into_iter().map(|cell| self.read(cell));
                values.reduce(|one, other| one.union(&other))
            }
        }
    }

    /// The cells that a place may mean: none at all when evaluation is an error for sure, no list when they are not
    /// told apart, an empty one for a place that takes nothing.
    #[allow(clippy::type_complexity, reason = "errors, ignorance and lists are three things")]
    pub(super) fn cells_of(&self, place: &Place, own: Option<usize>) -> Option<Option<Vec<usize>>> {
        let locals = |number: usize| {
            let record = self.shape.records[self.shape.processes[number]];
            let template = self.shape.process(number, self.work.n_records).expect("the process exists");
            record.offset + self.shape.layout.processes[template.index()].locals
        };
        let mut addresses = match &place.base {
            Base::Global => vec![place.offset],
            Base::Own => match own {
                Some(own) => vec![locals(own) + place.offset],
                None => return Some(Some(Vec::new())),
            },
            Base::Other { template, process } => {
                let numbers = self.processes_of(*template, process.as_deref(), own)?;
                if numbers.iter().any(Option::is_none) && numbers.len() > 1 {
                    return Some(None);
                }
                numbers.into_iter().flatten().map(|number| locals(number) + place.offset).collect()
            }
            Base::Temporary | Base::Discard => return Some(Some(Vec::new())),
        };
        if addresses.is_empty() {
            return Some(Some(Vec::new()));
        }
        for index in &place.indices {
            let values = self.value(&index.value, own)?;
            let all: Vec<u32> = match values.list() {
                Some(list) => {
                    let fitting =
                        |&value: &i64| u32::try_from(value).ok().filter(|&value| value < index.length);
                    list.iter().filter_map(fitting).collect()
                }
                None => (0..index.length).collect(),
            };
            if all.is_empty() {
                return None;
            }
            if addresses.len() * all.len() > MOST_CELLS {
                return Some(None);
            }
            addresses = addresses
                .iter()
                .flat_map(|&address| all.iter().map(move |&value| address + value * index.stride))
                .collect();
        }
        Some(addresses.into_iter().map(|address| self.shape.cell_at(address)).collect())
    }
}

fn either(one: Option<Values>, other: Option<Values>) -> Option<Values> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.union(&other)),
        (one, None) => one,
        (None, other) => other,
    }
}
