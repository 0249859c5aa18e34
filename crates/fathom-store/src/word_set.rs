//! A set of 64-bit words, each with a number: the one table under all compressed stores.
//!
//! Words lie in an array by number. A hash table of 32-bit slots finds the number of a word: a slot holds a
//! number and, in the bits that numbers do not need yet, a part of the hash (the *tag*), so that in a table of
//! sixteen million slots only one look-up in 256 reads a word that is not the right one. "The right one" is
//! always decided by comparing the whole word; nothing here trusts a hash.
//!
//! A bucket is one cache line of sixteen slots, compared all at once; only when it is full, the next one is
//! looked at: at a load of at most 13/16 that is one line, rarely two. The number of buckets
//! need not be a power of two: the bucket is the hash times their number, upper half (Lemire, "Fast Random
//! Integer Generation in an Interval", ACM TOMACS 2019). Growth by half instead of by two keeps the load
//! between 0.54 and 0.81, 8 + 4/load = 13 to 15.4 bytes a word. To grow, the table is dropped and built
//! again from the array, in order and with prefetch, so that there are never two tables in memory.
//!
//! Threads share a set through `&self`. A word is written before its number is published in a slot with a
//! compare-and-swap; whoever sees the number sees the word. Two threads with the same new word race for the
//! same slot, since places are used in a fixed order and nothing is ever removed; the loser finds the
//! winner's number and keeps the number it had claimed for its next word. Numbers that no one used in the end are
//! holes, and hold the word 0; therefore 0 is not a member of any set. Only growth needs `&mut self`.

use crate::bucket::{BUCKET, Bucket, Buckets};
use crate::prefetch::prefetch;
use crate::segments::Segments;
use crate::sync::{AtomicU32, Ordering};

/// Buckets of a new set.
#[cfg(not(loom))]
const FIRST_BUCKETS: usize = 16;
#[cfg(loom)]
const FIRST_BUCKETS: usize = 1;
/// Up to this many buckets a table doubles.
const SMALL: usize = 1 << 14;
/// Most numbers that are given out.
const MOST: u32 = u32::MAX - 1;

/// A set of words other than 0, numbered in the order in which their numbers were claimed.
#[derive(Debug)]
pub(crate) struct WordSet {
    /// A slot is 0 when empty, or the tag above the number plus one.
    buckets: Buckets,
    /// Bits of a slot for the number plus one; the others are the tag.
    number_bits: u32,
    /// By number.
    words: Segments,
    /// Numbers claimed so far.
    n_claimed: AtomicU32,
    /// With this many numbers claimed, the table has to grow.
    n_crowded: u32,
}

/// The place where a word would go.
#[derive(Clone, Copy, Debug)]
pub struct Vacant {
    bucket: usize,
    place: usize,
}

/// The set must grow before anything is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Crowded;

/// Numbers that one thread has claimed and not used yet.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Claim {
    next: u32,
    end: u32,
}

impl WordSet {
    /// An empty set.
    pub(crate) fn new() -> WordSet {
        let mut set = WordSet {
            buckets: Buckets::default(),
            number_bits: 0,
            words: Segments::default(),
            n_claimed: AtomicU32::new(0),
            n_crowded: 0,
        };
        set.rebuild(FIRST_BUCKETS);
        set
    }

    /// Numbers claimed so far: all words, and holes.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.n_claimed.load(Ordering::Relaxed) as usize
    }

    /// The word with a number, or 0 for a hole.
    #[inline(always)]
    pub(crate) fn word(&self, number: u32) -> u64 {
        self.words.word(number).load(Ordering::Relaxed)
    }

    /// The hash of a word: both halves of a product, folded.
    #[inline(always)]
    fn hash(word: u64) -> u64 {
        let product = u128::from(word ^ 0x9e37_79b9_7f4a_7c15) * 0xd1b5_4a32_d192_ed03_u128;
        let folded = (product as u64) ^ ((product >> 64) as u64);
        folded.wrapping_mul(0xaef1_7502_108e_f2d9)
    }

    /// The bucket of a hash, and the place in the bucket where probing starts.
    #[inline(always)]
    fn home(&self, hash: u64) -> (usize, usize) {
        let bucket = ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize;
        // The lowest bits are in the tag, the highest have chosen the bucket.
        (bucket, (hash >> 28) as usize % BUCKET)
    }

    /// The tag of a hash, in its place.
    #[inline(always)]
    fn tag(&self, hash: u64) -> u32 {
        // A shift by all 32 bits means that there is no tag.
        (hash as u32).checked_shl(self.number_bits).unwrap_or(0)
    }

    #[inline(always)]
    fn number_mask(&self) -> u32 {
        (u64::MAX >> (64 - self.number_bits)) as u32
    }

    /// Asks for the line in which probing starts.
    #[inline(always)]
    pub(crate) fn prefetch(&self, word: u64) {
        prefetch(&self.buckets[self.home(WordSet::hash(word)).0]);
    }

    /// Asks for the word that is probably the one looked for. The line of the slots should be there by now.
    #[inline(always)]
    pub(crate) fn prefetch_match(&self, word: u64) {
        let hash = WordSet::hash(word);
        let (tag, mask) = (self.tag(hash), self.number_mask());
        let bucket = &self.buckets[self.home(hash).0];
        let (matching, _) = bucket.scan(tag, mask);
        // Without a match, the last slot is as good as any: no branch.
        let slot = bucket.0[(matching | 1 << (BUCKET - 1)).trailing_zeros() as usize].load(Ordering::Relaxed);
        prefetch(self.words.word((slot & mask).saturating_sub(1)));
    }

    /// The number of a word, or the place for it.
    ///
    /// The place is the first empty one of the bucket, going round from where the hash says. A place stays in
    /// use once it is, so of two threads with the same new word neither can get an earlier place than the
    /// other unnoticed.
    #[inline]
    pub(crate) fn find(&self, word: u64) -> Result<u32, Vacant> {
        debug_assert_ne!(word, 0);
        let hash = WordSet::hash(word);
        let (tag, mask) = (self.tag(hash), self.number_mask());
        let (mut index, start) = self.home(hash);
        loop {
            let bucket = &self.buckets[index];
            let (mut matching, empty) = bucket.scan(tag, mask);
            while matching != 0 {
                let number = (bucket.slot(matching.trailing_zeros() as usize) & mask) - 1;
                if self.word(number) == word {
                    return Ok(number);
                }
                matching &= matching - 1;
            }
            if empty != 0 {
                return Err(Vacant { bucket: index, place: first_from(start, empty) });
            }
            index = self.bucket_after(index);
        }
    }

    #[inline(always)]
    fn bucket_after(&self, index: usize) -> usize {
        if index + 1 == self.buckets.len() { 0 } else { index + 1 }
    }

    /// Adds a word that [`WordSet::find`] did not find, at the place that it gave, when nothing was added
    /// since. Gives its number.
    #[inline]
    pub(crate) fn fill(&mut self, vacant: Vacant, word: u64) -> Result<u32, Crowded> {
        let number = self.n_claimed.load(Ordering::Relaxed);
        if number >= self.n_crowded {
            return Err(Crowded);
        }
        self.n_claimed.store(number + 1, Ordering::Relaxed);
        self.words.word(number).store(word, Ordering::Relaxed);
        let slot = self.tag(WordSet::hash(word)) | (number + 1);
        self.buckets[vacant.bucket].0[vacant.place].store(slot, Ordering::Relaxed);
        Ok(number)
    }

    /// The number of a word, which is added if it is missing.
    #[inline]
    pub(crate) fn intern(&mut self, word: u64) -> Result<u32, Crowded> {
        match self.find(word) {
            Ok(number) => Ok(number),
            Err(vacant) => self.fill(vacant, word),
        }
    }

    /// Like [`WordSet::intern`], beside other threads. Says whether this call has added the word. Numbers are
    /// claimed in blocks of `block`.
    #[inline]
    pub(crate) fn intern_shared(
        &self,
        word: u64,
        claim: &mut Claim,
        block: u32,
    ) -> Result<(u32, bool), Crowded> {
        let mut vacant = match self.find(word) {
            Ok(number) => return Ok((number, false)),
            Err(vacant) => vacant,
        };
        if claim.next == claim.end {
            *claim = self.claim(block)?;
        }
        let number = claim.next;
        self.words.word(number).store(word, Ordering::Relaxed);
        let slot = self.tag(WordSet::hash(word)) | (number + 1);
        loop {
            // Release: publishes the word. Its failure tells nothing, the search below looks again.
            let swapped = self.buckets[vacant.bucket].0[vacant.place].compare_exchange(
                0,
                slot,
                Ordering::Release,
                Ordering::Relaxed,
            );
            if swapped.is_ok() {
                claim.next += 1;
                return Ok((number, true));
            }
            match self.find(word) {
                Ok(winner) => {
                    self.words.word(number).store(0, Ordering::Relaxed);
                    return Ok((winner, false));
                }
                Err(next) => vacant = next,
            }
        }
    }

    #[cold]
    fn claim(&self, block: u32) -> Result<Claim, Crowded> {
        let mut next = self.n_claimed.load(Ordering::Relaxed);
        loop {
            if next >= self.n_crowded {
                return Err(Crowded);
            }
            let end = next.saturating_add(block).min(self.n_crowded);
            match self.n_claimed.compare_exchange_weak(next, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(Claim { next, end }),
                Err(now) => next = now,
            }
        }
    }

    /// Bytes by which memory grows when the set grows; 0 while it is not crowded.
    #[inline]
    pub(crate) fn growth(&self) -> usize {
        if self.len() < self.n_crowded as usize { 0 } else { self.growth_when_crowded() }
    }

    /// Bytes by which memory grows the next time that the set grows.
    pub(crate) fn growth_when_crowded(&self) -> usize {
        (WordSet::buckets_after(self.buckets.len()) - self.buckets.len()) * size_of::<Bucket>()
    }

    fn buckets_after(n_buckets: usize) -> usize {
        if n_buckets < SMALL { n_buckets * 2 } else { n_buckets / 2 * 3 }
    }

    /// Whether there are no numbers left.
    pub(crate) fn is_at_its_end(&self) -> bool {
        self.len() >= MOST as usize
    }

    /// Makes room.
    #[cold]
    pub(crate) fn grow(&mut self) {
        self.rebuild(WordSet::buckets_after(self.buckets.len()));
    }

    fn rebuild(&mut self, n_buckets: usize) {
        // The old table goes before the new one comes.
        self.buckets = Buckets::default();
        self.buckets = Buckets::new(n_buckets);
        self.n_crowded = (n_buckets * 13).min(MOST as usize) as u32;
        self.number_bits = 32 - self.n_crowded.leading_zeros();
        self.words.reserve(self.n_crowded as usize);
        let n_words = self.len() as u32;
        let mut first = 0;
        while first < n_words {
            let block = first..n_words.min(first + 32);
            block.clone().map(|number| self.word(number)).for_each(|word| self.prefetch(word));
            for number in block.clone() {
                self.put(self.word(number), number);
            }
            first = block.end;
        }
    }

    /// Enters a number that is in no slot.
    fn put(&mut self, word: u64, number: u32) {
        if word == 0 {
            return;
        }
        let hash = WordSet::hash(word);
        let (mut index, start) = self.home(hash);
        loop {
            let (_, empty) = self.buckets[index].scan(0, 0);
            if empty != 0 {
                let slot = self.tag(hash) | (number + 1);
                self.buckets[index].0[first_from(start, empty)].store(slot, Ordering::Relaxed);
                return;
            }
            index = self.bucket_after(index);
        }
    }

    /// Bytes of memory in use. Words that are reserved but not claimed were never touched.
    pub(crate) fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>() + self.len() * size_of::<u64>()
    }
}

/// The first of the places with a bit, going round from `start`.
#[inline(always)]
fn first_from(start: usize, places: u32) -> usize {
    let from_start = (places >> start | places << (BUCKET - start)) & 0xffff;
    (start + from_start.trailing_zeros() as usize) % BUCKET
}

#[cfg(all(test, not(loom)))]
impl Claim {
    /// Number of claimed numbers that were not used.
    fn n_unused(self) -> usize {
        (self.end - self.next) as usize
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
