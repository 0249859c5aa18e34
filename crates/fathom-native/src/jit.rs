//! Memory for generated code, and the code generator's settings.
//!
//! Functions that come out equal are compiled once: processes of one kind repeat themselves a lot.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::ManuallyDrop;

use cranelift_codegen::ir::{AbiParam, Function, Signature, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, default_libcall_names};

use crate::NativeError;
use crate::context::{Code, helpers};
use crate::emit::{Emitter, HELPERS, Purpose, signature};
use crate::facts::Facts;

/// Generated code in executable memory, released on drop.
pub(crate) struct Compiled {
    module: ManuallyDrop<JITModule>,
    /// The functions, in the order they were asked for. Only as long as this lives.
    pub codes: Vec<Code>,
    /// Number of functions left after equal ones were put together.
    pub n_functions: usize,
}

// SAFETY: after it is made the module is never touched again except to be released, and code may be executed
// by any thread.
#[allow(unsafe_code)]
unsafe impl Send for Compiled {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Compiled {}

impl Drop for Compiled {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the module is taken once, here. Code is only called by methods of the system that owns this
        // value, so none of it is running or called afterwards.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() };
    }
}

/// Compiles functions.
pub(crate) fn compile<'m>(facts: &Facts<'m>, wanted: &[Purpose<'m>]) -> Result<Compiled, NativeError> {
    let mut module = new_module()?;
    let declared = declare_helpers(&mut module)?;
    let signature = signature(module.target_config().default_call_conv);
    let mut context = module.make_context();
    let mut builder_context = FunctionBuilderContext::new();
    let mut known = Known::default();
    let mut functions = Vec::with_capacity(wanted.len());
    let mut runs = HashMap::new();
    for purpose in wanted {
        context.func.signature = signature.clone();
        let builder = FunctionBuilder::new(&mut context.func, &mut builder_context);
        Emitter::new(facts, builder, &mut module, &declared, &runs, *purpose).emit(*purpose);
        let function = match known.find(&context.func) {
            Some(function) => function,
            None => {
                let function = module.declare_anonymous_function(&signature).map_err(failed)?;
                known.add(&context.func, function);
                module.define_function(function, &mut context).map_err(failed)?;
                function
            }
        };
        functions.push(function);
        if let Purpose::Run(template, location) = purpose {
            runs.insert((*template, *location), function);
        }
        module.clear_context(&mut context);
    }
    module.finalize_definitions().map_err(failed)?;
    let codes = functions.iter().map(|function| as_code(module.get_finalized_function(*function))).collect();
    Ok(Compiled { module: ManuallyDrop::new(module), codes, n_functions: known.n_functions })
}

/// The address of a function as something to call.
#[allow(unsafe_code)]
fn as_code(address: *const u8) -> Code {
    // SAFETY: the function was generated with the signature of `Code`. Calling it is for the caller to justify.
    unsafe { std::mem::transmute::<*const u8, Code>(address) }
}

fn new_module() -> Result<JITModule, NativeError> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    let chosen = [
        ("opt_level", OPT_LEVEL),
        ("regalloc_algorithm", ALLOCATOR),
        ("enable_verifier", verify),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("unwind_info", "false"),
        ("enable_probestack", "false"),
    ];
    for (name, value) in chosen {
        flags.set(name, value).map_err(|error| NativeError::Generator(error.to_string()))?;
    }
    let isa = cranelift_native::builder().map_err(|reason| NativeError::Host(reason.to_owned()))?;
    let isa =
        isa.finish(settings::Flags::new(flags)).map_err(|error| NativeError::Generator(error.to_string()))?;
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    builder.symbols(helpers());
    Ok(JITModule::new(builder))
}

/// See `docs/decisions/0007-native-code.md` for what was measured.
const OPT_LEVEL: &str = "speed";
const ALLOCATOR: &str = "backtracking";

fn declare_helpers(module: &mut JITModule) -> Result<HashMap<&'static str, FuncId>, NativeError> {
    let call_conv = module.target_config().default_call_conv;
    let mut declared = HashMap::new();
    for (name, n_arguments, gives_value) in HELPERS {
        let mut signature = Signature::new(call_conv);
        signature.params.extend(std::iter::repeat_n(AbiParam::new(types::I64), n_arguments));
        if gives_value {
            signature.returns.push(AbiParam::new(types::I64));
        }
        let helper = module.declare_function(name, Linkage::Import, &signature).map_err(failed)?;
        declared.insert(name, helper);
    }
    Ok(declared)
}

fn failed(error: ModuleError) -> NativeError {
    NativeError::Generator(error.to_string())
}

/// The functions compiled so far, by hash of what they were made from.
#[derive(Default)]
struct Known {
    functions: HashMap<u64, Vec<(Function, FuncId)>>,
    n_functions: usize,
}

impl Known {
    fn hash(function: &Function) -> u64 {
        let mut hasher = DefaultHasher::new();
        function.stencil.hash(&mut hasher);
        hasher.finish()
    }

    fn find(&self, function: &Function) -> Option<FuncId> {
        let candidates = self.functions.get(&Self::hash(function))?;
        // The helpers that are called are not part of the stencil.
        let same = |other: &Function| {
            other.stencil == function.stencil
                && other.params.user_named_funcs().values().eq(function.params.user_named_funcs().values())
        };
        candidates.iter().find(|(other, _)| same(other)).map(|(_, id)| *id)
    }

    fn add(&mut self, function: &Function, id: FuncId) {
        self.n_functions += 1;
        self.functions.entry(Self::hash(function)).or_default().push((function.clone(), id));
    }
}
