//! The flags that choose a store, for models and model programs alike.

use clap::Args;
use fathom_core::search::StoreKind;

use crate::failure::Failure;

/// Bits of each state in a compact store, unless said otherwise.
const DEFAULT_COMPACT_BITS: u64 = 40;
/// Bits of a bitstate field, unless said otherwise: 128 MiB.
const DEFAULT_BITSTATE_BITS: u64 = 1 << 30;

/// What to remember of each state.
#[derive(Clone, Debug, Args)]
pub struct StoreArguments {
    /// The store: exact (compressed), plain, compact (some bits of a hash of each state), bitstate (a few bits in
    /// one field); the last two may miss states, and the report says how many they probably missed
    #[arg(long, value_name = "STORE", default_value = "exact")]
    pub store: String,
    /// For compact: bits of each state, 8 to 64; for bitstate: bits of the field
    #[arg(long, value_name = "N")]
    pub store_bits: Option<u64>,
    /// For bitstate: bits that are set for each state
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub store_hashes: u32,
}

impl StoreArguments {
    /// The store that is wanted; a bitstate store with another seed misses other states.
    ///
    /// # Errors
    ///
    /// When there is no such store, or not with so many bits.
    pub fn kind(&self, seed: u64) -> Result<StoreKind, Failure> {
        let in_bits = matches!(self.store.as_str(), "compact" | "bitstate");
        if self.store_bits.is_some() && !in_bits {
            return Err(Failure::new("--store-bits needs --store compact or bitstate"));
        }
        Ok(match self.store.as_str() {
            "exact" => StoreKind::Exact,
            "plain" => StoreKind::Plain,
            "compact" => match self.store_bits.unwrap_or(DEFAULT_COMPACT_BITS) {
                bits @ 8..=64 => StoreKind::Compact { bits: bits as u32 },
                other => return Err(Failure::new(format!("--store-bits {other}: compact takes 8 to 64"))),
            },
            "bitstate" => match self.store_bits.unwrap_or(DEFAULT_BITSTATE_BITS) {
                0 => return Err(Failure::new("--store-bits 0: bitstate needs at least one bit")),
                bits => StoreKind::Bitstate { bits, hashes: self.store_hashes, seed },
            },
            other => {
                let expected = "exact, plain, compact or bitstate";
                return Err(Failure::new(format!(
                    "unknown value '{other}' for --store, expected {expected}"
                )));
            }
        })
    }

    /// The flags that choose the same store again, with their values.
    pub fn to_words(&self, kind: StoreKind) -> Vec<(&'static str, Option<String>)> {
        let hashes = match kind {
            StoreKind::Bitstate { hashes, .. } => Some(hashes),
            _ => None,
        };
        let bits = self.store_bits.map(|bits| ("--store-bits", Some(bits.to_string())));
        let hashes = hashes.map(|hashes| ("--store-hashes", Some(hashes.to_string())));
        [Some(("--store", Some(kind.name().to_owned()))), bits, hashes].into_iter().flatten().collect()
    }
}
