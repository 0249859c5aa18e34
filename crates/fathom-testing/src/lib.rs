//! Random models, the reference engine and the corpus runner, for tests.
