//! Runs the command lines of `tests/cmd/*.trycmd` and compares what they print, byte for byte.
//! `TRYCMD=overwrite cargo test --test all commands::` accepts what they print now.

#[test]
fn commands_print_what_they_should() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").env("NO_COLOR", "1").env("COLUMNS", "100");
}
