//! `cargo fuzz run tokenizer_json --features libfuzzer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    blueprints_fuzz::tokenizer_json(data);
});
