//! Runs the command lines of `tests/cmd/*.trycmd` and compares what they print, byte for byte.
//! `TRYCMD=overwrite cargo test --test all commands::` accepts what they print now. `NODEORDER_INSTALLED=PROGRAM` tests
//! another build of the command, as `.ci/installed` does.

#[test]
fn commands_print_what_they_should() {
    let case = crate::root().join("tests/cmd/*.trycmd");
    let cases = trycmd::TestCases::new();
    cases.case(case).env("NO_COLOR", "1").env("COLUMNS", "100");
    if let Some(path) = std::env::var_os("NODEORDER_INSTALLED") {
        cases.register_bin("nodeorder", trycmd::schema::Bin::Path(path.into()));
    }
}
