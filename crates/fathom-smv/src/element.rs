//! Elements of arrays: of variables, and of definitions.
//!
//! An index that is known names an element, as a name does. One that varies chooses among the elements, one by one; with several indices each chooses among what the others leave. An index outside of
//! an array violates `runtime-error`; one that is a constant is refused.

use fathom_model::{Base, BinaryOp as Op, Expr as ModelExpr, Index};
use fathom_source::Span;

use crate::expr::{Context, no_branch};
use crate::flatten::{Flat, Symbol};
use crate::syntax::{Expr, ExprKind};
use crate::value::{Ty, Value, equal};

impl Flat {
    /// An element of an array, or a bit of a word.
    pub(crate) fn element(
        &mut self,
        whole: &Expr,
        base: &Expr,
        index: &Expr,
        context: &Context<'_>,
    ) -> Value {
        if let Some(symbol) = self.symbol(whole, context.scope) {
            return self.value_of(&symbol, whole.span, context);
        }
        let Some((array, indices)) = self.array_and_indices(whole, context.scope) else {
            let one = index.clone();
            return self.bits(base, index, &one, whole.span, context);
        };
        let mut chosen = Vec::with_capacity(indices.len());
        for index in indices {
            let value = self.value(index, context);
            if !matches!(value.ty, Ty::Int | Ty::Word { .. }) {
                return self.expected("a number", value.ty, index.span);
            }
            chosen.push((value, index.span));
        }
        self.chosen_element(&array, &chosen, whole.span, context)
    }

    /// The array that an expression takes an element of, and the indices of the element, the outermost first; none when it takes a bit of a word.
    fn array_and_indices<'e>(&mut self, whole: &'e Expr, scope: usize) -> Option<(Symbol, Vec<&'e Expr>)> {
        let mut indices = Vec::new();
        let mut inner = whole;
        while let ExprKind::Index(base, index) = &inner.kind {
            indices.insert(0, &**index);
            if let Some(symbol) = self.symbol(base, scope) {
                let is_array = self.has_dimensions(&symbol, indices.len());
                return is_array.then_some((symbol, indices));
            }
            inner = base;
        }
        None
    }

    /// Whether so many indices lead to an element.
    fn has_dimensions(&mut self, symbol: &Symbol, n_indices: usize) -> bool {
        if n_indices == 0 {
            return true;
        }
        let Symbol::Array { elements, .. } = symbol else { return false };
        let first = self.elements_of(&elements[..elements.len().min(1)]);
        first.first().is_some_and(|first| self.has_dimensions(first, n_indices - 1))
    }

    /// The value of a variable or a definition.
    fn value_of(&mut self, symbol: &Symbol, span: Span, context: &Context<'_>) -> Value {
        match symbol {
            Symbol::Variable(number) => self.load(*number, span, context),
            Symbol::Define((value, scope)) => {
                self.value(value, &Context { scope: *scope, ..context.clone() })
            }
            Symbol::Array { .. } => self.wrong("smv::type", "a whole array is no value", span),
            Symbol::Instance(_) => self.wrong("smv::type", "an instance is no value", span),
        }
    }

    fn chosen_element(
        &mut self,
        symbol: &Symbol,
        indices: &[(Value, Span)],
        span: Span,
        context: &Context<'_>,
    ) -> Value {
        let Some(((index, at), rest)) = indices.split_first() else {
            return self.value_of(symbol, span, context);
        };
        let Symbol::Array { low, elements } = symbol else {
            return self.wrong("smv::type", "elements of an array have different shapes", span);
        };
        let elements = self.elements_of(elements);
        if let Some(known) = index.known() {
            let element = usize::try_from(known - low).ok().and_then(|place| elements.get(place));
            return match element {
                Some(element) => self.chosen_element(element, rest, span, context),
                None => {
                    let most = low + elements.len() as i64 - 1;
                    self.wrong("smv::bounds", format!("index {known} is outside of {low}..{most}"), *at)
                }
            };
        }
        let mut values = Vec::with_capacity(elements.len());
        for element in &elements {
            values.push(self.chosen_element(element, rest, span, context));
        }
        let Some(mut value) = values.first().cloned() else { return Value::broken() };
        value.expr = self.outside(index, *low, &elements);
        for (position, element) in values.into_iter().enumerate().rev() {
            let here = equal(index.expr.clone(), ModelExpr::Const(low + position as i64));
            value = self.chosen(here, element, value, span);
        }
        value
    }

    /// What an index outside of an array runs into.
    fn outside(&self, index: &Value, low: i64, elements: &[Symbol]) -> ModelExpr {
        let [Symbol::Variable(first), ..] = elements else { return no_branch() };
        let mut place = self.place(*first, Base::Global);
        let value = ModelExpr::binary(Op::Subtract, index.expr.clone(), ModelExpr::Const(low));
        let (length, stride) = (elements.len() as u32, place.ty.size());
        place.indices.push(Index { value, length, stride });
        ModelExpr::Load(place)
    }
}
