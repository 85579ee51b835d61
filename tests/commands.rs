//! Runs the command lines of `tests/cmd/*.trycmd` and compares what they print, byte for byte.
//! `TRYCMD=overwrite cargo test --test all commands::` accepts what they print now.

#[test]
fn commands_print_what_they_should() {
    let cases = crate::root().join("tests/cmd/*.trycmd");
    trycmd::TestCases::new().case(cases).env("NO_COLOR", "1").env("COLUMNS", "100");
}
