//! `cargo fuzz run grammar --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    blueprints_fuzz::grammar(data);
});
