//! `cargo fuzz run schema --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    blueprints_fuzz::schema(data);
});
